package index

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// TestWatch_BurstOfChanges_IsOneRun: the home is indexed once it is still, or at the latest after
// maxDelay.
func TestWatch_BurstOfChanges_IsOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &Watch{touched: make(chan struct{}, 1), watcher: &fsnotify.Watcher{Events: make(chan fsnotify.Event)}}
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

func TestWatch_Change_IsNoticed(t *testing.T) {
	dir := t.TempDir()
	w := NewWatch(dir)
	w.Open()
	defer w.Close()
	if w.watcher == nil {
		t.Skip("nothing can be watched here")
	}
	w.Begin()
	w.Folder(".")
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if e := <-w.watcher.Events; filepath.Base(e.Name) != "a.md" {
		t.Errorf("noticed %v", e)
	}
}

// TestWatch_Incomplete_RunsAtTurnStart: if there are too many folders, or none can be watched, each
// turn's start counts as a change.
func TestWatch_Incomplete_RunsAtTurnStart(t *testing.T) {
	dir := t.TempDir()
	watched := NewWatch(dir)
	watched.Open()
	defer watched.Close()
	for name, c := range map[string]struct {
		w       *Watch
		folders int
		want    int
	}{
		"nothing can be": {&Watch{touched: make(chan struct{}, 1)}, 1, 1},
		"too many":       {watched, maxFolders + 1, 1},
		"all are":        {watched, 1, 0},
	} {
		for len(c.w.touched) > 0 {
			<-c.w.touched
		}
		if c.w.Begin(); c.w.watcher != nil {
			c.w.folders = c.folders - 1
		}
		c.w.Folder(".")
		if c.w.OnTurnStart(); len(c.w.touched) != c.want {
			t.Errorf("%s: touched %d times", name, len(c.w.touched))
		}
	}
}
