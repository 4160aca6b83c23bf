package index

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
)

// maxFolders is how many folders are watched.
const maxFolders = 8192

// How long a home must have been still before it is looked through, and how long it may go on
// changing until it is looked through all the same.
const (
	settled = time.Second
	longest = 30 * time.Second
)

// Watch says when something in a home has changed. Where the system lets nothing be watched, or not
// all folders, the start of a turn has to do. The folders are those that the last Run has named.
type Watch struct {
	dir     string            // absolute
	watcher *fsnotify.Watcher // nil: nothing can be watched
	touched chan struct{}     // holds a token when something may have changed

	folders    int         // of the Run under way, or the last one
	incomplete atomic.Bool // not all of them are watched
}

// NewWatch makes a watch of a home, whose folders are told by Folder. It watches nothing until
// Open.
func NewWatch(dir string) *Watch {
	w := &Watch{dir: dir, touched: make(chan struct{}, 1)}
	w.Touch()
	return w
}

// Open lets folders be watched, if the system does. It is called before the other methods; the
// caller closes the watch.
func (w *Watch) Open() {
	w.watcher, _ = fsnotify.NewWatcher() // where the system call is refused, or there are too many
}

// Close ends the watch.
func (w *Watch) Close() error {
	if w.watcher == nil {
		return nil
	}
	return w.watcher.Close()
}

// Begin says that a Run begins, which names all folders. Two Runs do not run at once.
func (w *Watch) Begin() {
	w.folders = 0
	w.incomplete.Store(w.watcher == nil)
}

// Folder watches a folder, by its path in the home.
func (w *Watch) Folder(path string) {
	w.folders++
	if !w.incomplete.Load() && (w.folders > maxFolders || w.watcher.Add(filepath.Join(w.dir, path)) != nil) {
		w.incomplete.Store(true)
	}
}

// TurnBegins has the home be looked through where not all of it is watched.
func (w *Watch) TurnBegins() {
	if w.incomplete.Load() {
		w.Touch()
	}
}

// Touch says that something may have changed.
func (w *Watch) Touch() {
	select {
	case w.touched <- struct{}{}:
	default:
	}
}

// Run calls changed each time that the home has changed and been still for a moment, until ctx
// ends.
func (w *Watch) Run(ctx context.Context, changed func()) {
	var events chan fsnotify.Event
	var lost chan error
	if w.watcher != nil {
		events, lost = w.watcher.Events, w.watcher.Errors
	}
	timer := time.NewTimer(settled)
	timer.Stop()
	defer timer.Stop()
	first := time.Time{} // of the changes that wait; zero: none do
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
		case <-lost: // events, as a rule
		case <-w.touched:
		}
		if first.IsZero() {
			first = time.Now()
		}
		timer.Reset(max(0, min(settled, longest-time.Since(first))))
	}
}
