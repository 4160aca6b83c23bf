package index

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
)

// maxFolders bounds the watched folders.
const maxFolders = 8192

// Times until a changed home is indexed: the pause without changes, and the longest delay.
const (
	settleTime = time.Second
	maxDelay   = 30 * time.Second
)

// Watcher notices changes in a home. If the system cannot watch all folders, each start of a turn
// counts as a change instead. The watched folders are those that the last Run has named.
type Watcher struct {
	dir     string            // absolute path of the home
	watcher *fsnotify.Watcher // the system's watcher; nil means that nothing can be watched
	touched chan struct{}     // holds a token when something may have changed

	folders    int         // number of folders in the current or last Run
	incomplete atomic.Bool // whether some folders are not watched
}

// NewWatcher makes a watch of a home. It watches nothing until Open; WatchFolder adds the folders.
func NewWatcher(dir string) *Watcher {
	w := &Watcher{dir: dir, touched: make(chan struct{}, 1)}
	w.RecordChange()
	return w
}

// Open begins to watch, if the system allows it. Call it before the other methods. The caller
// closes the watch.
func (w *Watcher) Open() {
	w.watcher, _ = fsnotify.NewWatcher() // w.watcher is nil if the system refuses, or already has too many watches
}

// Close ends the watch.
func (w *Watcher) Close() error {
	if w.watcher == nil {
		return nil
	}
	return w.watcher.Close()
}

// BeginRun tells the watch that a Run begins, which names all folders. Two Runs never run at once.
func (w *Watcher) BeginRun() {
	w.folders = 0
	w.incomplete.Store(w.watcher == nil)
}

// WatchFolder watches a folder, by its path in the home.
func (w *Watcher) WatchFolder(path string) {
	w.folders++
	if !w.incomplete.Load() && (w.folders > maxFolders || w.watcher.Add(filepath.Join(w.dir, path)) != nil) {
		w.incomplete.Store(true)
	}
}

// RecordTurnStart notes a change, unless the whole home is watched.
func (w *Watcher) RecordTurnStart() {
	if w.incomplete.Load() {
		w.RecordChange()
	}
}

// RecordChange notes that something may have changed.
func (w *Watcher) RecordChange() {
	select {
	case w.touched <- struct{}{}:
	default:
	}
}

// Run calls changed after each change of the home once the home is still, until ctx ends.
func (w *Watcher) Run(ctx context.Context, changed func()) {
	var events chan fsnotify.Event
	var lost chan error
	if w.watcher != nil {
		events, lost = w.watcher.Events, w.watcher.Errors
	}
	timer := time.NewTimer(settleTime)
	timer.Stop()
	defer timer.Stop()
	first := time.Time{} // time of the first waiting change; zero means none
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			first = time.Time{}
			changed()
			continue
		case e := <-events:
			if strings.HasPrefix(filepath.Base(e.Name), ".") || e.Op == fsnotify.Chmod {
				continue
			}
		case <-lost: // an error usually means that the system has lost events
		case <-w.touched:
		}
		if first.IsZero() {
			first = time.Now()
		}
		timer.Reset(max(0, min(settleTime, maxDelay-time.Since(first))))
	}
}
