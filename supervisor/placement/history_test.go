package placement_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/app/apptest"
	"mews/supervisor/placement"
	"mews/supervisor/pool"
)

// newState makes a state folder that the workers' account can enter.
func newState(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mews-history-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	state := filepath.Join(dir, "state")
	if err := errors.Join(os.Chmod(dir, 0o711), os.MkdirAll(filepath.Join(state, "private"), 0o711)); err != nil {
		t.Fatal(err)
	}
	return state
}

// startLocations starts a spawner whose workers are behind the walls of a tier.
func startLocations(t *testing.T, tier string, o placement.Options) *placement.WorkerLocations {
	t.Helper()
	workers, err := placement.WorkerAccount(t.Context(), apptest.WorkersAccount, false)
	if err != nil {
		t.Fatal(err)
	}
	bin := apptest.BuildPrograms(t)
	s, err := pool.StartSpawner(t.Context(), pool.SpawnerOptions{
		Path: filepath.Join(bin, "mews-spawner"), Worker: filepath.Join(bin, "mews-worker"), Tier: tier,
		Least: "off", UID: workers.UID, GID: workers.GID, Log: hclog.NewNullLogger()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	o.Tier, o.Log = tier, hclog.NewNullLogger()
	return &placement.WorkerLocations{Options: o, Workers: workers, Spawner: s}
}

// historyTiers are the tiers of these tests. Only root can give workers another account.
func historyTiers() []string {
	if os.Getuid() != 0 {
		return []string{"off", "landlock", "namespaces"}
	}
	return []string{"off", "landlock", "namespaces", "accounts"}
}

// TestLocation_History_OnlyBehindWalls: a worker behind walls keeps the history of its home. It is
// beside the home or in the configured folder.
func TestLocation_History_OnlyBehindWalls(t *testing.T) {
	for _, tier := range historyTiers() {
		t.Run(tier, func(t *testing.T) {
			state := newState(t)
			homes, other := filepath.Join(state, "homes"), filepath.Join(state, "other", "histories")
			locations := startLocations(t, tier, placement.Options{State: state})
			ann := supervisor.User{Name: "ann", Home: filepath.Join(homes, "ann")}
			commit, err := locations.SetUsers([]supervisor.User{ann})
			if err != nil {
				t.Fatal(err)
			}
			commit()
			for name, c := range map[string]struct {
				set  func(o *placement.Options)
				root string // "" means no history
			}{
				"beside the home": {func(o *placement.Options) { o.HistoryDir = homes }, homes},
				"elsewhere":       {func(o *placement.Options) { o.HistoryDir = other }, other},
				"no room":         {func(o *placement.Options) { o.History = false }, ""},
				"no service":      {func(o *placement.Options) { o.Idle = true }, ""},
			} {
				locations.Options.History, locations.Options.HistoryDir, locations.Options.Idle = true, homes, false
				c.set(&locations.Options)
				location, err := locations.LocationOf(ann)
				if err != nil {
					t.Fatal(err)
				}
				root, path := c.root, ""
				if tier == "off" {
					root = ""
				}
				if root != "" {
					path = "ann.history"
					if root, err = filepath.EvalSymlinks(root); err != nil {
						t.Fatal(err)
					}
				}
				if location.HistoryRoot != root || location.HistoryPath != path {
					t.Errorf("%s: %q in %q, want %q in %q", name, location.HistoryPath, location.HistoryRoot,
						path, root)
				}
			}
			if location := locations.LocationWithoutHome(); location.HistoryPath != "" {
				t.Errorf("without a home: %+v", location)
			}
			_, err = os.Stat(other)
			if made := err == nil; made != (tier != "off") {
				t.Errorf("the folder of histories: %v", err)
			}
		})
	}
}

// TestSelfTest_EachTier_ReachesNoHistory: a real worker's program tries to reach its history. Every
// start makes the same attempts.
func TestSelfTest_EachTier_ReachesNoHistory(t *testing.T) {
	for _, tier := range historyTiers()[1:] {
		t.Run(tier, func(t *testing.T) {
			state := newState(t)
			locations := startLocations(t, tier, placement.Options{State: state})
			location, err := placement.SelfTestLocation(state, locations.Workers, tier)
			if err != nil {
				t.Fatal(err)
			}
			secret := filepath.Join(state, "trial.history", "mews-escape-secret") // of this process, as after a restore
			if err := os.WriteFile(secret, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			outcomes := map[string]string{}
			type worker = pool.Worker[pool.RefusingHost]
			err = placement.WithSelfTestWorker(t.Context(), locations.Spawner, location, func(worker *worker) error {
				findings, err := placement.TryEscapes(t.Context(), worker, state, locations.Workers, false)
				for _, f := range placement.SandboxHoles(tier, findings) {
					t.Errorf("%s: %s %s", f.Row, f.Outcome, f.Detail)
				}
				for _, f := range findings {
					outcomes[f.Row] = f.Outcome
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range []string{"H1", "H2"} {
				if outcomes[row] != protocol.EscapePrevented {
					t.Errorf("%s: %q", row, outcomes[row])
				}
			}
			kept, err := os.ReadDir(filepath.Join(state, "trial.history"))
			if err != nil || len(kept) != 1 {
				t.Errorf("the worker has kept %v, %v; want the secret", kept, err)
			}
		})
	}
}

// TestHistory_OwnedByRoot_IsChownedToWorker: root owns the history, as after a restored backup.
func TestHistory_OwnedByRoot_IsChownedToWorker(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	state := newState(t)
	homes := filepath.Join(state, "homes")
	locations := startLocations(t, "namespaces", placement.Options{State: state, History: true, HistoryDir: homes})
	ann := supervisor.User{Name: "ann", Home: filepath.Join(homes, "ann")}
	commit, err := locations.SetUsers([]supervisor.User{ann})
	if err != nil {
		t.Fatal(err)
	}
	commit()
	history := locations.HistoryPath(ann)
	pack := filepath.Join(history, "packs", "1")
	outside := filepath.Join(state, "private", "key")
	if err := errors.Join(os.MkdirAll(filepath.Dir(pack), 0o700), os.WriteFile(pack, nil, 0o600),
		os.WriteFile(outside, nil, 0o600), os.Symlink(outside, filepath.Join(history, "link")),
		os.Link(outside, filepath.Join(history, "hard"))); err != nil {
		t.Fatal(err)
	}
	if _, err := locations.LocationOf(ann); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]uint32{history: locations.Workers.UID, pack: locations.Workers.UID, outside: 0} {
		info, err := os.Lstat(path)
		if err != nil || info.Sys().(*syscall.Stat_t).Uid != want {
			t.Errorf("%s: %+v, %v; want the owner %d", path, info, err, want)
		}
	}
}
