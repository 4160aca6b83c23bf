package index

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// TestWatcher_ManyChangesAtOnce_CauseOneRun: the home is indexed once it is still, or at the latest
// after maxDelay.
func TestWatcher_ManyChangesAtOnce_CauseOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &Watcher{touched: make(chan struct{}, 1), watcher: &fsnotify.Watcher{Events: make(chan fsnotify.Event)}}
		began := time.Now()
		var at []time.Duration
		go w.Run(t.Context(), func() { at = append(at, time.Since(began)) })
		change := func(name string) { w.watcher.Events <- fsnotify.Event{Name: name, Op: fsnotify.Write} }
		for range 20 {
			change("/home/a.md")
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(5 * time.Second)
		change("/home/.a.md.swp")
		time.Sleep(5 * time.Second)
		for range 400 {
			change("/home/a.md")
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if len(at) != 3 || at[0] != 2900*time.Millisecond || at[1] != 42*time.Second {
			t.Errorf("it was looked through at %v", at)
		}
	})
}

func TestWatcher_EachChange_IsReported(t *testing.T) {
	dir := t.TempDir()
	w := NewWatcher(dir)
	w.Open()
	defer w.Close()
	if w.watcher == nil {
		t.Skip("nothing can be watched here")
	}
	w.BeginRun()
	w.WatchFolder(".")
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if e := <-w.watcher.Events; filepath.Base(e.Name) != "a.md" {
		t.Errorf("noticed %v", e)
	}
}

// TestWatcher_CannotWatchAll_RunsAtTurnStart checks that each turn's start counts as a change if
// the watcher can't watch all folders.
func TestWatcher_CannotWatchAll_RunsAtTurnStart(t *testing.T) {
	dir := t.TempDir()
	watched := NewWatcher(dir)
	watched.Open()
	defer watched.Close()
	for name, c := range map[string]struct {
		w       *Watcher
		folders int
		want    int
	}{
		"nothing can be": {&Watcher{touched: make(chan struct{}, 1)}, 1, 1},
		"too many":       {watched, maxFolders + 1, 1},
		"all are":        {watched, 1, 0},
	} {
		for len(c.w.touched) > 0 {
			<-c.w.touched
		}
		if c.w.BeginRun(); c.w.watcher != nil {
			c.w.folders = c.folders - 1
		}
		c.w.WatchFolder(".")
		if c.w.RecordTurnStart(); len(c.w.touched) != c.want {
			t.Errorf("%s: touched %d times", name, len(c.w.touched))
		}
	}
}
