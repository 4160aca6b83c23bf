package placement

import (
	"context"
	"path/filepath"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/pool"
)

// TryEscapesWithoutWalls lets a worker without a sandbox attempt the escapes of every start. It
// returns the outcome of each attempt. bin is the folder of the programs, and state a folder for
// the worker. If this process is root, name is the worker's account.
func TryEscapesWithoutWalls(ctx context.Context, bin, state, name string) (outcomes map[string]string, err error) {
	workers, err := WorkerAccount(ctx, name, false)
	if err != nil {
		return nil, err
	}
	location, err := SelfTestLocation(state, workers, "off")
	if err != nil {
		return nil, err
	}
	s, err := pool.StartSpawner(ctx, pool.SpawnerOptions{
		Path: filepath.Join(bin, "mews-spawner"), Worker: filepath.Join(bin, "mews-worker"), Tier: "off", Least: "off",
		UID: workers.UID, GID: workers.GID, Log: hclog.NewNullLogger(),
	})
	if err != nil {
		return nil, err
	}
	outcomes = map[string]string{}
	err = WithSelfTestWorker(ctx, s, location, func(worker *pool.Worker[pool.RefusingHost]) error {
		findings, err := TryEscapes(ctx, worker, state, workers, false)
		for _, f := range findings {
			outcomes[f.Row] = f.Outcome
		}
		return err
	})
	return outcomes, err
}
