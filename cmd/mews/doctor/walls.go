package doctor

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"mews/config"
	"mews/supervisor/api"
	"mews/supervisor/app"
	"mews/supervisor/logging"
	"mews/supervisor/placement"
	"mews/supervisor/pool"
)

func examineWalls(ctx context.Context, o Options) (string, error) {
	status, err := readIsolation(ctx, o.Config)
	if err != nil {
		return "", placement.SandboxError(err)
	}
	walls, shared := status.Walls, sharedAccountText(o.Config, status)
	if walls.IsWeak() {
		return "", &warning{strings.ToUpper(walls.Tier) + ". " + splitTiers(walls.Why) + shared}
	}
	return walls.Tier + ". " + walls.Why + shared, nil
}

func examineLimits(ctx context.Context, o Options) (string, error) {
	if status, err := serviceStatus(ctx, o.Config); err == nil {
		return status.Walls.Limits, nil
	}
	status, err := readIsolation(ctx, o.Config)
	if err != nil {
		return "", unknownLimits(err)
	}
	return fmt.Sprintf(textLimits, o.Config.Worker.Memory, o.Config.Worker.PIDs, status.Walls.Limits), nil
}

// readIsolation returns the status of the running service, with its isolation. A service manager
// may have started its spawner with rights that the doctor lacks. Without a service, it starts a
// spawner only to ask it, and the rest of the status is empty.
func readIsolation(ctx context.Context, cfg *config.Config) (api.Status, error) {
	if status, err := serviceStatus(ctx, cfg); err == nil {
		return status, nil
	}
	s, _, err := startSpawner(ctx, cfg, nil)
	if err != nil {
		return api.Status{}, err
	}
	status := api.Status{Walls: s.Sandbox()}
	return status, s.Close()
}

// startSpawner starts a spawner as the service would. If a spawner has started this process,
// startSpawner uses that spawner.
func startSpawner(ctx context.Context, cfg *config.Config, started *os.File) (*pool.Spawner, placement.Account, error) {
	workers, err := placement.WorkerAccount(ctx, cfg.Worker.Account, cfg.Local)
	if err != nil {
		return nil, workers, err
	}
	o, err := app.PlacementOptions(cfg, logging.Discard()).SpawnerOptions(workers)
	if err != nil {
		return nil, workers, err
	}
	o.Log, o.Started = logging.Discard(), started
	s, err := pool.StartSpawner(ctx, o)
	return s, workers, err
}

// unknownLimits is the finding about limits if no sandbox could be built. Another finding says why.
func unknownLimits(err error) error {
	if fault := placement.SandboxError(err); fault != err {
		return &warning{textLimitsUnknown}
	}
	return err
}

// splitTiers puts each failed tier of a spawner's sentence on a line.
func splitTiers(why string) string {
	held, rest, found := strings.Cut(why, spawnerBetter)
	if !found {
		return why
	}
	return held + "\n" + strings.TrimSpace(spawnerBetter) + "\n" + strings.ReplaceAll(rest, "; ", "\n")
}

// sharedAccountText counts the users without their own account, and gives the reason. Unless
// accounts are the isolation, it also names the resources that these users share. Without a
// service, it judges by the configuration.
func sharedAccountText(cfg *config.Config, status api.Status) string {
	n, tier := 0, status.Walls.Tier
	for _, u := range cfg.Users {
		known := slices.IndexFunc(status.Users, func(s api.UserStatus) bool { return s.Name == u.Name })
		if known >= 0 && status.Users[known].Shares || known < 0 && u.Account == "" && cfg.Worker.UIDs == "" {
			n++
		}
	}
	switch {
	case tier == "namespaces" || tier == "landlock":
		n = len(cfg.Users)
	case tier != "accounts":
		return ""
	}
	switch {
	case n < 2:
		return ""
	case tier != "accounts":
		return fmt.Sprintf(textSharedPools, n)
	case status.Sharing != "":
		return fmt.Sprintf(textSharedAccount, n, status.Sharing)
	case cfg.Worker.UIDs == "":
		return fmt.Sprintf(textSharedAccount, n, textSharedByChoice)
	}
	return fmt.Sprintf(textSharedAccount, n, textSharedHomes)
}
