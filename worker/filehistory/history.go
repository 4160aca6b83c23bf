package filehistory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"mews/protocol"
	"mews/worker/workspace"
)

// Options are the options of a History.
type Options struct {
	Folder  *os.File             // the open folder of the history; the History owns and closes it
	Home    *workspace.Workspace // the home; all of it is kept, also files that the rules hide
	Room    int64                // most bytes of the history
	Exclude []string             // globs of paths whose bytes are not kept, as in protocol.FilePolicy
	Temp    string               // path in the home that no walk enters; "" means none
	Now     func() time.Time
	Report  func(error) // gets errors that no caller sees, such as a damaged record
	// ForgetOnly means that no new bytes are kept. Versions from before can be forgotten.
	ForgetOnly bool

	inject func(step, name string) error         // for tests: see folder
	disk   func() (free, total int64, err error) // for tests: instead of the system's numbers
}

// History is the file history of one home. Its methods may be called from any goroutine.
type History struct {
	options Options
	home    *home
	rules   *leftOut
	folder  *folder
	wake    chan struct{} // wakes Run if files wait to be kept

	mu       sync.Mutex // guards the fields below
	store    *store     // nil until it is used, and after a while without use
	used     time.Time  // last use of the store
	running  map[*Program]bool
	recorded int64 // time of the last change that was recorded without a tree, in ns
	closed   bool
}

var errClosed = errors.New("the file history is closed")

// Open opens the history in a folder, which may be empty. It reads no pack yet.
func Open(o Options) (*History, error) {
	rules, err := newLeftOut(&o)
	if err != nil {
		return nil, err
	}
	dir, err := o.Home.OpenFolder()
	if err != nil {
		return nil, err
	}
	own, err := reopenFolder(o.Folder)
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return &History{options: o, home: &home{dir: dir}, rules: rules, folder: &folder{dir: own, inject: o.inject},
		wake: make(chan struct{}, 1), running: map[*Program]bool{}}, nil
}

// Close saves the index and closes the folder. Call it after Run has returned.
func (h *History) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	err := h.unload()
	h.closed = true
	return errors.Join(err, h.folder.dir.Close(), h.options.Folder.Close(), h.home.dir.Close())
}

// do runs an operation on the loaded store.
func (h *History) do(operation func(s *store) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.load(); err != nil {
		return err
	}
	defer func() { clear(h.store.fresh) }()
	h.used = time.Now()
	if err := h.store.measureRoom(); err != nil {
		return err
	}
	return operation(h.store)
}

// load loads the store if it is not. The caller holds mu. A new history begins with a list of the
// home.
func (h *History) load() error {
	if h.closed {
		return errClosed
	}
	if h.store != nil {
		return nil
	}
	s := &store{folder: h.folder, now: h.options.Now, report: h.options.Report, fresh: map[digest]bool{}}
	s.room.most, s.room.disk = h.options.Room, h.options.disk
	if s.room.disk == nil {
		s.room.disk = h.folder.disk
	}
	if err := s.load(); err != nil {
		return err
	}
	if s.index.last() == 0 && !h.options.ForgetOnly {
		tree, err := h.home.walk(context.Background(), ".", h.rules)
		if err != nil {
			return fmt.Errorf("list the home: %w", err)
		}
		if _, err := s.appendPoint(s.foundAuthor(0), s.compare(tree, ".")); err != nil {
			return err
		}
	}
	h.store = s
	return nil
}

// unload saves the index and frees it. The caller holds mu.
func (h *History) unload() error {
	if h.store == nil {
		return nil
	}
	err := h.store.save()
	h.store.packs.close()
	h.store = nil
	return err
}

// Walk lists the home, without half-written files and the folder for temporary files.
func (h *History) Walk(ctx context.Context) (*Tree, error) {
	return h.home.walk(ctx, ".", h.rules)
}

// fresh returns t, or a new tree if t is older than the last recorded change.
func (h *History) fresh(ctx context.Context, t *Tree) (*Tree, error) {
	if t != nil && t.at > h.recorded {
		return t, nil
	}
	return h.Walk(ctx)
}

// look records changes from outside Mews, and keeps their new bytes until stop returns true. The
// result left has the paths that are not kept then.
func (h *History) look(ctx context.Context, s *store, t *Tree, stop func() bool) (left []string, err error) {
	if t, err = h.fresh(ctx, t); err != nil {
		return nil, err
	}
	changes, left, err := s.keepFound(h.home, s.compare(t, "."), stop)
	if err != nil || len(changes) == 0 {
		return left, err
	}
	_, err = s.appendPoint(s.foundAuthor(len(h.running)), changes)
	return left, err
}

// wakeRun tells Run that files wait to be kept.
func (h *History) wakeRun() {
	select {
	case h.wake <- struct{}{}:
	default: // Run has not received the last wake yet
	}
}

// Space returns the size and age of the history.
func (h *History) Space() (space protocol.HistorySpace) {
	err := h.do(func(s *store) error {
		space.Bytes, space.Room = s.packs.total(), s.room.limit
		var left []string
		for path, e := range s.index.present {
			switch {
			case e.kind == file && e.isKept():
				space.Files++
			case e.kind == file:
				left = append(left, path)
				if e.wantsBytes() {
					space.Waiting++
				}
			}
		}
		sortForNames(left)
		space.Left = countPaths(left)
		if len(s.index.points) > 0 {
			space.Oldest = s.index.points[0].time()
		}
		return nil
	})
	if err != nil {
		space.Off = err.Error()
	}
	return space
}

// LeftOut is a number of present files whose bytes are not kept for the same reason.
type LeftOut struct {
	Why   string
	Files int64
}

// LeftOut returns why bytes of present files are not kept, the most frequent reason first.
func (h *History) LeftOut() (list []LeftOut) {
	_ = h.do(func(s *store) error { // an unreadable history has no list
		counts := make([]int64, len(reasons))
		for _, e := range s.index.present {
			if e.kind == file && !e.isKept() {
				counts[e.why]++
			}
		}
		for why, n := range counts {
			if n > 0 {
				list = append(list, LeftOut{Why: reasons[why], Files: n})
			}
		}
		return nil
	})
	sortLeftOut(list)
	return list
}
