package pool

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"mews/protocol/spawnwire"
)

func TestASpawnerThatDoesNotStartIsExplained(t *testing.T) {
	old, err := spawnwire.Encode(spawnwire.Ready{Version: spawnwire.Version + 7, Tier: "off", Why: "old"})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ready")
	if err := os.WriteFile(file, old, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/no/such/mews-spawner":                   "no such file",
		script(t, "exit 0"):                       "it ended without a word",
		script(t, "echo broken >&2; exit 4"):      "exit status 4; it wrote: broken",
		script(t, "echo garbage >&3; read x <&3"): "malformed",
		script(t, "cat "+file+" >&3; read x <&3"): "it speaks version 8, want 1",
	} {
		s, err := StartSpawner(context.Background(), path, workerPath, hclog.NewNullLogger())
		if err == nil {
			t.Errorf("%s: started, %v", path, s.Close())
			continue
		}
		if !strings.Contains(strings.ReplaceAll(err.Error(), "\n", "; "), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestTheWallsAreTold(t *testing.T) {
	s, err := StartSpawner(context.Background(), spawnerPath, workerPath, hclog.NewNullLogger())
	if err != nil {
		t.Fatal(err)
	}
	if tier, why := s.Walls(); tier != "off" || !strings.Contains(why, "no walls") {
		t.Errorf("tier %q: %s", tier, why)
	}
	pid := s.PID()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if !isGone(pid) {
		t.Error("a closed spawner is left")
	}
}
