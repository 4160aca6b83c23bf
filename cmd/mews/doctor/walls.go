package doctor

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"

	"mews/config"
	"mews/supervisor/app"
	"mews/supervisor/control"
	"mews/supervisor/placement"
	"mews/supervisor/pool"
)

func examineWalls(ctx context.Context, o Options) (string, error) {
	walls, err := wallsHere(ctx, o.Config)
	if err != nil {
		return "", placement.SandboxFault(err)
	}
	if walls.Weak() {
		return "", &warning{strings.ToUpper(walls.Tier) + ". " + lineATier(walls.Why) + sharing(o.Config, walls.Tier)}
	}
	return walls.Tier + ". " + walls.Why + sharing(o.Config, walls.Tier), nil
}

func examineLimits(ctx context.Context, o Options) (string, error) {
	if status, err := serviceStatus(ctx, o.Config); err == nil {
		return status.Walls.Limits, nil
	}
	walls, err := wallsHere(ctx, o.Config)
	if err != nil {
		return "", limitsUnknown(err)
	}
	return fmt.Sprintf(textLimits, o.Config.Worker.Memory, o.Config.Worker.PIDs, walls.Limits), nil
}

// wallsHere are those of the service that runs: its spawner may have been started by a service manager, with rights that one of
// the doctor's own lacks. Where no service runs, they are those of a spawner that is started to ask.
func wallsHere(ctx context.Context, cfg *config.Config) (control.Walls, error) {
	if status, err := serviceStatus(ctx, cfg); err == nil {
		return status.Walls, nil
	}
	s, _, err := startSpawner(ctx, cfg, nil)
	if err != nil {
		return control.Walls{}, err
	}
	walls := control.Walls(s.Sandbox())
	return walls, s.Close()
}

// startSpawner starts a spawner as the service would, or takes the one that has started this process.
func startSpawner(ctx context.Context, cfg *config.Config, started *os.File) (*pool.Spawner, placement.Account, error) {
	workers, err := placement.WorkerAccount(ctx, cfg.Worker.Account, cfg.Local)
	if err != nil {
		return nil, workers, err
	}
	o, err := app.PlacementOptions(cfg, app.Discard()).SpawnerOptions(workers)
	if err != nil {
		return nil, workers, err
	}
	o.Log, o.Started = app.Discard(), started
	s, err := pool.StartSpawner(ctx, o)
	return s, workers, err
}

// limitsUnknown is the limits' line where no walls could be built. The walls' own line says why.
func limitsUnknown(err error) error {
	if fault := placement.SandboxFault(err); fault != err {
		return &warning{textLimitsUnknown}
	}
	return err
}

// lineATier is a spawner's sentence with a line for each tier that does not hold.
func lineATier(why string) string {
	held, rest, found := strings.Cut(why, spawnerBetter)
	if !found {
		return why
	}
	return held + "\n" + strings.TrimSpace(spawnerBetter) + "\n" + strings.ReplaceAll(rest, "; ", "\n")
}

// sharing says how many people have no account of their own, and where accounts are not the walls what all of them share.
func sharing(cfg *config.Config, tier string) string {
	n := 0
	for _, u := range cfg.Users {
		if u.Account == "" && (cfg.Worker.UIDs == "" || len(u.Workspaces) > 0) {
			n++
		}
	}
	switch {
	case tier == "namespaces" || tier == "landlock":
		n = len(cfg.Users)
	case tier != "accounts":
		return ""
	}
	if n < 2 {
		return ""
	}
	name := strconv.Itoa(os.Getuid())
	if me, err := user.LookupId(name); err == nil {
		name = me.Username
	}
	if tier != "accounts" {
		return fmt.Sprintf(textSharedPools, n)
	}
	return fmt.Sprintf(textSharedAccount, n, name)
}
