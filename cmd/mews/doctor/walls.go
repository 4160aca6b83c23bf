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
	if err := placement.CheckVersions(ctx, o.Version); err != nil {
		return "", err
	}
	walls := status.Walls
	more := sharedAccountText(o.Config, status) + historyText(o.Config, walls.Tier)
	if walls.IsWeak() {
		return "", &warning{strings.ToUpper(walls.Tier) + ". " + splitTiers(walls.Why) + more}
	}
	return walls.Tier + ". " + walls.Why + more, nil
}

// historyText says why no file history is kept, or which wall around it a tier lacks.
func historyText(cfg *config.Config, tier string) string {
	switch {
	case cfg.Worker.History == 0:
		return textHistoryNone
	case tier == "off":
		return textHistoryOff
	case tier == "landlock":
		return textHistoryModes
	}
	return ""
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
// may have given the spawner rights that the doctor lacks. If no service runs, readIsolation starts
// a spawner to ask it, and the rest of the status is empty.
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

// startSpawner starts a spawner as the service would. If this process was started by a spawner, it
// uses that one.
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

// unknownLimits returns the finding about limits if no sandbox could be built. Another finding says
// why it could not.
func unknownLimits(err error) error {
	if fault := placement.SandboxError(err); fault != err {
		return &warning{textLimitsUnknown}
	}
	return err
}

// splitTiers puts each failed tier in a spawner's sentence on its own line.
func splitTiers(why string) string {
	held, rest, found := strings.Cut(why, spawnerBetter)
	if !found {
		return why
	}
	return held + "\n" + strings.TrimSpace(spawnerBetter) + "\n" + strings.ReplaceAll(rest, "; ", "\n")
}

// sharedAccountText counts the users without their own account, and gives the reason. Unless the
// isolation is accounts, it also names the resources that these users share. If no service runs, it
// counts by the configuration.
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
