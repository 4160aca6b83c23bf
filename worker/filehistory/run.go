package filehistory

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// Times of the background work.
const (
	scanEvery  = time.Hour   // time between two searches for changes from outside Mews
	idleAfter  = time.Minute // time without use after which the index is freed
	keepPace   = 20 << 20    // most bytes that are kept in a second
	keepSlice  = 2 << 20     // bytes that are kept before other calls get the lock
	sliceFiles = 100         // files that are kept before other calls get the lock
	niceness   = 10          // priority of the background work (nice(1))
)

// Run does the background work of the history until ctx ends. It keeps the home's files, finds
// changes from outside Mews each hour, deletes old versions, and frees memory.
func (h *History) Run(ctx context.Context) error {
	runtime.LockOSThread() // never unlocked, so the thread and its priority end with this goroutine
	lowerPriority()
	ticker := time.NewTicker(idleAfter)
	defer ticker.Stop()
	var scanned, tidied time.Time
	for {
		now := h.options.Now()
		if now.Sub(scanned) >= scanEvery {
			var err error
			if !scanned.IsZero() || !h.awaitsRepeat() {
				err = h.scanHome(ctx)
			}
			if err != errToolRuns { // else the next tick scans
				h.report(err)
				scanned = now
			}
		}
		if now.Sub(tidied) >= scanEvery {
			h.report(h.keepWaiting(ctx))
			h.report(h.deleteOld(ctx))
			tidied = now
		}
		select {
		case <-ctx.Done():
			return nil
		case <-h.wake:
			h.report(h.keepWaiting(ctx))
		case <-ticker.C:
			h.report(h.unloadIdle())
		}
	}
}

func (h *History) report(err error) {
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errClosed) {
		h.options.Report(err)
	}
}

// errToolRuns ends a scan, because it can't tell the changes of a running tool or program from others.
var errToolRuns = errors.New("a tool or program runs")

// StartTool keeps the hourly scan away from what a tool changes. The caller records the tool's
// changes, and then calls end.
func (h *History) StartTool() (end func()) {
	h.tools.Add(1)
	return func() { h.tools.Add(-1) }
}

// scanHome records changes from outside Mews. While a tool or program runs, it returns errToolRuns.
func (h *History) scanHome(ctx context.Context) error {
	if err := h.do(func(*store) error { return h.checkNoneRuns() }); err != nil {
		return err
	}
	tree, err := h.Walk(ctx)
	if err != nil {
		return err
	}
	return h.recordTree(ctx, tree)
}

// recordTree does the work of scanHome with a tree.
func (h *History) recordTree(ctx context.Context, tree *Tree) error {
	return h.do(func(s *store) error {
		s.retryUnreadable()
		if err := h.checkNoneRuns(); err != nil {
			return err
		}
		_, err := h.scan(ctx, s, tree, func() bool { return true })
		return errors.Join(err, s.packs.sync())
	})
}

// checkNoneRuns returns errToolRuns while a tool or program runs. The caller holds the lock.
func (h *History) checkNoneRuns() error {
	if h.tools.Load() > 0 || len(h.running) > 0 {
		return errToolRuns
	}
	return nil
}

// keepWaiting keeps all files that wait, at keepPace, and makes their bytes durable.
func (h *History) keepWaiting(ctx context.Context) error {
	var paths []string
	err := h.do(func(s *store) error {
		for _, c := range s.candidates(nil) {
			paths = append(paths, c.path)
		}
		return nil
	})
	for err == nil && len(paths) > 0 && ctx.Err() == nil {
		bytes := int64(0)
		err = h.do(func(s *store) (err error) {
			paths, bytes, err = s.keepSome(h.home, paths, func() bool { return ctx.Err() != nil || h.mu.hasWaiters() })
			return err
		})
		rest := time.NewTimer(time.Duration(bytes) * time.Second / keepPace)
		select {
		case <-rest.C:
		case <-ctx.Done():
		}
		rest.Stop()
	}
	return errors.Join(err, h.do(func(s *store) error { return s.packs.sync() }))
}

// keepSome keeps the first of some present files, and returns the rest. It ends early if stop
// returns true. Files that have changed since wait for the next scan.
func (s *store) keepSome(h *home, paths []string, stop func() bool) (rest []string, bytes int64, err error) {
	var list []candidate
	for len(paths) > 0 && len(list) < sliceFiles && bytes < keepSlice {
		if e := s.index.present[paths[0]]; e != nil && (e.wantsBytes() || e.racy || s.mayRetry(e)) {
			clone := *e
			list = append(list, candidate{path: paths[0], e: &clone, isPresent: true})
			bytes += e.size
		}
		paths = paths[1:]
	}
	for i := range list {
		stopped := false
		_, lost := s.keepAll(h, list[i:i+1], false, func() bool {
			stopped = stopped || stop()
			return stopped
		})
		err = errors.Join(err, lost)
		if stopped && !list[i].e.isKept() {
			paths = append(paths, list[i].path)
		}
	}
	_, lost := s.settle(slices.DeleteFunc(list, func(c candidate) bool {
		p := s.index.present[c.path] // the next scan records other bytes with the same stamp as a change
		return p == nil || p.isKept() && p.digest != c.e.digest
	}))
	return paths, bytes, errors.Join(err, lost)
}

// deleteOld deletes versions that are too old, one pack at a time.
func (h *History) deleteOld(ctx context.Context) error {
	for more := true; more && ctx.Err() == nil; {
		err := h.do(func(s *store) (err error) {
			more, err = s.tidy()
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// unloadIdle frees the index if nothing has used it for a while.
func (h *History) unloadIdle() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.store == nil || len(h.running) > 0 || time.Since(h.used) < idleAfter {
		return nil
	}
	err := h.unload()
	debug.FreeOSMemory() // the worker may be idle for hours
	return err
}
