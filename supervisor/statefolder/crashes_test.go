package statefolder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestCrashCount_Crashes_CountInARow: each case is a history of starts, one letter each: c is a
// crash, s a stop, h a crash after the service was healthy.
func TestCrashCount_Crashes_CountInARow(t *testing.T) {
	for history, want := range map[string]int{
		"": 0, "c": 1, "ccccc": 5, "s": 0, "ccscc": 4, "cccch": 1, "hc": 2, "ss": 0, "ccccch": 1, "cccccf": 0,
	} {
		state := t.TempDir()
		for _, end := range history {
			c, _, err := BeginRun(state, "v1.0.0")
			if err == nil && end == 'h' {
				err = c.Healthy()
			}
			if err == nil && end == 'f' { // forgotten while the service runs, and then it is restarted
				err = ForgetCrashes(state)
			}
			if err == nil && (end == 's' || end == 'f') {
				err = c.Stopped()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, got, err := BeginRun(state, "v1.0.0"); err != nil || got != want {
			t.Errorf("%q: %d crashes, %v; want %d", history, got, err, want)
		}
		if err := ForgetCrashes(state); err != nil {
			t.Error(err)
		}
		if _, got, err := BeginRun(state, "v1.0.0"); err != nil || got != 0 {
			t.Errorf("%q: %d crashes after they were forgotten, %v", history, got, err)
		}
	}
}

// TestCrashCount_OtherVersion_CountsAnew: after a failed update, the version before starts in full.
func TestCrashCount_OtherVersion_CountsAnew(t *testing.T) {
	state := t.TempDir()
	for n, version := range []string{"v1.0.0", "v1.1.0", "v1.1.0", "v1.1.0", "v1.0.0", ""} {
		if _, got, err := BeginRun(state, version); err != nil || got != []int{0, 0, 1, 2, 0, 0}[n] {
			t.Errorf("start %d, of %s: %d crashes, %v", n, version, got, err)
		}
	}
}

func TestCrashCount_HealthyAfterStop_StaysStopped(t *testing.T) {
	state := t.TempDir()
	c, _, err := BeginRun(state, "v1.0.0")
	if err := errors.Join(err, c.Stopped(), c.Healthy()); err != nil {
		t.Fatal(err)
	}
	if _, got, err := BeginRun(state, "v1.0.0"); err != nil || got != 0 {
		t.Errorf("%d crashes, %v", got, err)
	}
}

func TestCrashCount_DamagedFile_CountsNothing(t *testing.T) {
	for _, text := range []string{"", "running", "running x", "running -3", "\x00\x00"} {
		state := t.TempDir()
		if err := os.WriteFile(filepath.Join(state, crashFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, got, err := BeginRun(state, "v1.0.0"); err != nil || got > 1 {
			t.Errorf("%q: %d crashes, %v", text, got, err)
		}
	}
}
