package serve

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"mews/protocol"
)

func TestIdleWorker_RemovesLeftovers(t *testing.T) {
	home, temp := t.TempDir(), t.TempDir()
	outputs := filepath.Join(temp, "mews-shell-1")
	if err := os.Mkdir(outputs, 0o700); err != nil {
		t.Fatal(err)
	}
	stale, young := filepath.Join(home, ".mews-1.tmp"), filepath.Join(home, ".mews-2.tmp")
	now := time.Now()
	for path, age := range map[string]time.Duration{stale: 25 * time.Hour, young: time.Minute} {
		if err := os.WriteFile(path, []byte("half a no"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := newServer(Options{
			Now: func() time.Time { return now }, Report: func(err error) { t.Error(err) },
			Start: (*exec.Cmd).Start, Temp: temp,
		})
		putReceived(t, home, day(now, -3), day(now, -2))
		c, err := openUserTools(protocol.Hello{Home: home, Uploads: 2}, s.options, s.reportExcess)
		if err != nil {
			t.Fatal(err)
		}
		s.state.tools = c
		defer s.close()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.cleanUpWhenIdle(ctx)
		s.idle <- struct{}{}
		time.Sleep(idleAfter - time.Second)
		if _, err := os.Stat(stale); err != nil {
			t.Errorf("it tidied too early: %v", err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if _, err := os.Stat(stale); !os.IsNotExist(err) {
			t.Errorf("a crash's file is still there: %v", err)
		}
		if _, err := os.Stat(outputs); !os.IsNotExist(err) {
			t.Errorf("outputs of a worker that was killed are still there: %v", err)
		}
		if _, err := os.Stat(young); err != nil {
			t.Errorf("a write under way was disturbed: %v", err)
		}
		checkReceived(t, home, day(now, -2))
		putReceived(t, home, day(now, -3))
		time.Sleep(expireEvery)
		synctest.Wait()
		checkReceived(t, home, day(now, -2))
	})
}

func day(now time.Time, days int) string { return now.AddDate(0, 0, days).Format(time.DateOnly) }

// putReceived puts a file below uploads/ for each day.
func putReceived(t *testing.T, home string, days ...string) {
	t.Helper()
	for _, day := range days {
		dir := filepath.Join(home, "uploads", day)
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "120000-a.txt"), nil, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// checkReceived checks which days have files.
func checkReceived(t *testing.T, home string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(home, "uploads"))
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("there are files of %q, %v, want %q", got, err, want)
	}
}
