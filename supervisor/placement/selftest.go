package placement

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/pool"
)

// selfTestHome is the name of the home, in the state folder, of the worker that tests walls.
const selfTestHome = "trial"

// SelfTestLocation returns the location of the worker that tests a sandbox of this tier.
func SelfTestLocation(state string, workers Account, tier string) (pool.WorkerLocation, error) {
	location := pool.WorkerLocation{Root: state, Path: selfTestHome}
	err := makeSelfTestFolder(state, selfTestHome, workers)
	if err == nil && keepsHistory(tier) {
		location.HistoryRoot, location.HistoryPath = state, selfTestHome+HistorySuffix
		err = makeSelfTestFolder(state, location.HistoryPath, workers)
	}
	if err != nil {
		return pool.WorkerLocation{}, fmt.Errorf("make a folder to try the walls in: %w", err)
	}
	return location, nil
}

func makeSelfTestFolder(state, name string, workers Account) error {
	path := filepath.Join(state, name)
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if info, bad := os.Lstat(path); err == nil && (bad != nil || !info.IsDir()) {
		err = errors.Join(bad, fmt.Errorf("%s is no folder", path))
	}
	if err == nil && workers.UID != 0 {
		err = os.Lchown(path, int(workers.UID), int(workers.GID))
	}
	return err
}

// SelfTestSpec returns the spec of a worker without a user.
func SelfTestSpec(location pool.WorkerLocation) pool.WorkerSpec {
	return pool.WorkerSpec{Key: "self-test", Profile: pool.ProfileSelfTest, Location: location}
}

// WithSelfTestWorker calls f with a worker without a user. The worker's pool ends after f.
func WithSelfTestWorker(ctx context.Context, s *pool.Spawner, location pool.WorkerLocation,
	f func(*pool.Worker[pool.RefusingHost]) error) error {
	running, end := context.WithCancel(ctx)
	workers := pool.New(pool.Options[pool.RefusingHost]{Spawner: s, Log: hclog.NewNullLogger(), Now: time.Now})
	ended := make(chan error, 1)
	go func() { ended <- workers.Run(running) }()
	worker, err := workers.Acquire(ctx, SelfTestSpec(location))
	if err == nil {
		err = worker.ReleaseAndWait(f(worker))
	}
	end()
	return errors.Join(err, <-ended)
}
