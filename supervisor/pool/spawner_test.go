package pool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol/spawnwire"
)

func TestStartSpawner_CannotStart_SaysWhy(t *testing.T) {
	old, err := spawnwire.Encode(spawnwire.ReadyMessage{Version: spawnwire.Version + 7, Tier: "off", Why: "old"})
	if err != nil {
		t.Fatal(err)
	}
	unequal := fmt.Sprintf("it speaks version %d, want %d: install mews, mews-spawner and mews-worker of one release together",
		spawnwire.Version+7, spawnwire.Version)
	dir := t.TempDir()
	file, other := filepath.Join(dir, "ready"), filepath.Join(dir, "other")
	if err := errors.Join(os.WriteFile(file, old, 0o600), os.WriteFile(other, append(old, "\xff fields that only it knows"...), 0o600)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/no/such/mews-spawner":                    "no such file",
		script(t, "exit 0"):                        "it ended without a word",
		script(t, "echo broken >&2; exit 4"):       "exit status 4; it wrote: broken",
		script(t, "echo garbage >&3; read x <&3"):  "malformed",
		script(t, "cat "+file+" >&3; read x <&3"):  unequal,
		script(t, "cat "+other+" >&3; read x <&3"): unequal,
	} {
		s, err := StartSpawner(context.Background(), spawnerOptions(path, workerPath))
		if err == nil {
			t.Errorf("%s: started, %v", path, s.Close())
			continue
		}
		if !strings.Contains(strings.ReplaceAll(err.Error(), "\n", "; "), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestSandboxWalls_TierAndWhy_AreReported(t *testing.T) {
	s, err := StartSpawner(context.Background(), spawnerOptions(spawnerPath, workerPath))
	if err != nil {
		t.Fatal(err)
	}
	if w := s.Sandbox(); w.Tier != "off" || !strings.Contains(w.Why, "no walls") || w.Limits == "" {
		t.Errorf("walls: %+v", w)
	}
	pid := s.PID()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if !isGone(pid) {
		t.Error("a closed spawner is left")
	}
}
