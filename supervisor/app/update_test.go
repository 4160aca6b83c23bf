package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/health"
	"mews/supervisor/statefolder"
)

func TestOnTrial_Files_NameTheVersions(t *testing.T) {
	folder := t.TempDir()
	if isOnTrial(folder, "v1.0.0") {
		t.Error("an update is on trial without a file")
	}
	for _, name := range []string{"trial-two", "result"} {
		text := "v1.0.0 v1.1.0 0 forward active\n"
		if name == "result" {
			text = "v1.2.0 is installed\n"
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for version, want := range map[string]bool{"v1.0.0": true, "v1.1.0": true, "v1.2.0": false, "v1.1": false} {
		if got := isOnTrial(folder, version); got != want {
			t.Errorf("%s: %v, want %v", version, got, want)
		}
	}
}

func TestFindMove_File_HasPauseOfMigration(t *testing.T) {
	folder := t.TempDir()
	text := []byte("v1.0.0 v1.1.0 42 forward active\n")
	if err := os.WriteFile(filepath.Join(folder, "trial"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	m, found := findMove(folder, "v1.0.0")
	if want := (updateMove{"v1.0.0", "v1.1.0", 42 * time.Second}); !found || m != want {
		t.Errorf("%+v, %v", m, found)
	}
	if _, found := findMove(folder, ""); found {
		t.Error("a program without a version is on trial")
	}
}

// TestDrain_RunningTurn_IsAwaited: the turn may run on for drainTimeout.
func TestDrain_RunningTurn_IsAwaited(t *testing.T) {
	for name, c := range map[string]struct{ turn, want time.Duration }{
		"none": {0, 0}, "short": {3 * time.Second, 3 * time.Second}, "long": {time.Hour, drainTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &service{storage: storage{log: hclog.NewNullLogger()}, process: newProcessTuner(false)}
				if c.turn > 0 {
					s.process.turnsChanged(1)
					turn := time.AfterFunc(c.turn, func() { s.process.turnsChanged(-1) })
					defer turn.Stop()
				}
				began := time.Now()
				s.drain(t.Context(), updateMove{})
				if took := time.Since(began); took < c.want || took > c.want+drainPoll {
					t.Errorf("waited %v, want %v", took, c.want)
				}
			})
		})
	}
}

// TestAwaitHealth_Fault_BeginsAnew: a service that is up but not ready is not healthy.
func TestAwaitHealth_Fault_BeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		faults := func(context.Context) []string {
			if time.Since(began) < 50*time.Second {
				return []string{"the database can't be written"}
			}
			return nil
		}
		if !awaitHealth(t.Context(), healthyAfter, faults) {
			t.Error("it never became healthy")
		}
		if took := time.Since(began) - healthyAfter; took < 45*time.Second || took > 50*time.Second+healthCheck {
			t.Errorf("healthy %v after the fault's begin", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), healthyAfter/2)
		defer cancel()
		if awaitHealth(ctx, healthyAfter, faults) {
			t.Error("healthy before its time")
		}
	})
}

// TestPingLoops_SilentLoop_IsNamed: a version whose loop stands still does not pass its trial.
func TestPingLoops_SilentLoop_IsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := func(context.Context) error { return nil }
		s := &service{health: health.New(health.Loop{Name: "writer", Ping: answers})}
		if err := s.pingLoops(t.Context()); err != nil {
			t.Error(err)
		}
		s.health = health.New(health.Loop{Name: "writer", Ping: answers},
			health.Loop{Name: "sessions", Ping: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }})
		ctx, cancel := context.WithTimeout(t.Context(), health.AnswerLimit/2)
		defer cancel()
		if err := s.pingLoops(ctx); err == nil || !strings.Contains(err.Error(), "sessions") {
			t.Errorf("one loop is silent: %v", err)
		}
	})
}

// TestRemoveTrials_RunningPreflight_Stays: a service that starts leaves the trial of another version
// alone, and deletes what killed trials have left.
func TestRemoveTrials_RunningPreflight_Stays(t *testing.T) {
	state := t.TempDir()
	folders := []string{filepath.Join(state, preflightFolder), filepath.Join(state, trialFolder)}
	for _, dir := range folders {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	running, err := statefolder.LockFolder(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if err := removeTrials(state); err != nil {
			t.Fatal(err)
		}
		for i, dir := range folders {
			if _, err := os.Lstat(dir); (err == nil) != (want && i == 0) {
				t.Errorf("with a running preflight %v: %s: %v", want, dir, err)
			}
		}
		_ = running.Close()
	}
}
