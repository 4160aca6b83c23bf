package filehistory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync/atomic"
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

	entries int                                   // for tests: most entries of a tree; 0 means maxEntries
	inject  func(step, name string) error         // for tests: see folder
	records int64                                 // for tests: 0 means smallPoint
	elapsed func() time.Duration                  // for tests: see clock
	disk    func() (free, total int64, err error) // for tests: instead of the system's numbers
}

// History is the file history of one home. Its methods may be called from any goroutine.
type History struct {
	options Options
	home    *home
	rules   *leftOut
	folder  *folder
	wake    chan struct{} // wakes Run if files wait to be kept
	clock   clock         // only the store uses it

	mu       *lock     // guards the fields below
	store    *store    // nil until it is used, and after a while without use
	used     time.Time // last use of the store
	running  map[*Program]bool
	recorded time.Time // time of the last change of the points or of the present entries
	exact    int64     // number of the tree that equals the present entries; 0 means none
	closed   bool
	tools    atomic.Int32 // number of running tools that may change files; mu does not guard it
	// interrupted means that a crash came before the index was saved, so that the packs may have
	// bytes that no record names
	interrupted bool
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
	if o.elapsed == nil {
		o.elapsed = elapsedFromNow()
	}
	return &History{options: o, home: &home{dir: dir, report: o.Report}, rules: rules, folder: &folder{dir: own,
		inject: o.inject},
		clock: clock{now: o.Now, elapsed: o.elapsed}, mu: newLock(), wake: make(chan struct{}, 1),
		running: map[*Program]bool{}}, nil
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

// do runs an operation on the loaded store. It waits for the lock without a limit.
func (h *History) do(operation func(s *store) error) error {
	return h.doFor(context.Background(), operation)
}

// doFor runs an operation on the loaded store. If ctx ends while doFor waits for the lock or the
// load, the operation does not run.
func (h *History) doFor(ctx context.Context, operation func(s *store) error) error {
	if err := h.lockLoaded(ctx); err != nil {
		return err
	}
	defer h.mu.Unlock()
	maps.DeleteFunc(h.running, func(p *Program, _ bool) bool { return p.ended.Load() })
	s := h.store
	last, present := s.index.last(), len(s.index.present)
	defer func() {
		if s.index.last() != last || len(s.index.present) != present {
			h.recorded, h.exact = time.Now(), s.exact
		}
		s.exact = 0
		clear(s.fresh)
	}()
	h.used = time.Now()
	if err := errors.Join(s.folder.close(), s.measureRoom()); err != nil {
		return err
	}
	return operation(s)
}

// lockLoaded takes the lock, and loads the store. If ctx ends meanwhile, the load goes on, and
// keeps the lock until it is done.
func (h *History) lockLoaded(ctx context.Context) error {
	if err := h.mu.lockFor(ctx); err != nil {
		return err
	}
	load := func() error {
		err := h.load()
		if err != nil {
			h.mu.Unlock()
		}
		return err
	}
	if h.store != nil || ctx.Done() == nil {
		return load()
	}
	loaded := make(chan error, 1)
	go func() { loaded <- load() }()
	select {
	case err := <-loaded:
		return err
	case <-ctx.Done():
		go func() {
			if <-loaded == nil {
				h.used = time.Now() // else it is freed before anybody has used it
				h.mu.Unlock()
			}
		}()
		return context.Cause(ctx)
	}
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
	s := &store{folder: h.folder, now: h.options.Now, clock: &h.clock, report: h.options.Report,
		fresh: map[digest]bool{}}
	s.room.most, s.room.disk = h.options.Room, h.options.disk
	s.room.small = cmp.Or(h.options.records, smallPoint)
	if s.room.disk == nil {
		s.room.disk = h.folder.disk
	}
	if err := s.load(); err != nil {
		return err
	}
	h.interrupted = h.interrupted || s.index.changed
	if s.index.last() == 0 && !h.options.ForgetOnly {
		tree, err := h.home.walk(context.Background(), ".", h.rules)
		if err != nil {
			return fmt.Errorf("list the home: %w", err)
		}
		if _, err := s.appendPoint(s.foundAuthor(0), s.compare(tree, ".")); err != nil {
			return err
		}
		h.recorded = time.Now()
	}
	h.clock.begin(s.index.lastTime())
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

// fresh returns t, or a new tree if t is older than the last recorded change. A tree that is older
// lacks newer files, so these would count as deleted.
func (h *History) fresh(ctx context.Context, t *Tree) (*Tree, error) {
	if t != nil && (t.at.After(h.recorded) || t.number == h.exact) {
		return t, nil
	}
	return h.Walk(ctx)
}

// scan records changes from outside Mews, and keeps their new bytes until stop returns true. The
// result left has the paths that are not kept then.
func (h *History) scan(ctx context.Context, s *store, t *Tree, stop func() bool) (left []string, err error) {
	if t, err = h.fresh(ctx, t); err != nil {
		return nil, err
	}
	changes, left, err := s.keepFound(h.home, h.compareHome(s, t), stop)
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
		space.Oldest = s.oldest()
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
		counts, waiting := make([]int64, len(reasons)), int64(0)
		for _, e := range s.index.present {
			switch {
			case e.kind != file || e.isKept():
			case e.wantsBytes():
				waiting++
			default:
				counts[e.why]++
			}
		}
		if waiting > 0 {
			list = append(list, LeftOut{Why: textWaiting, Files: waiting})
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
