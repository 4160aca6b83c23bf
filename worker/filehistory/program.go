package filehistory

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mews/protocol"
)

// Program is a running program, whose changes End records.
type Program struct {
	history *History
	from    int64            // point before the program
	shared  bool             // another program ran at the same time
	unread  map[string]int64 // folders that could not be read before the program, and when they had last changed
	ended   atomic.Bool

	mu      sync.Mutex // guards the field below
	notKept []string
}

// BeginProgram keeps the files of a tree that are not kept yet. After 2 s it stops, and NotKept
// names the rest. If another operation has the history for so long, it returns an error. The caller
// calls End or Drop.
func (h *History) BeginProgram(ctx context.Context, before *Tree) (*Program, error) {
	p := &Program{history: h, unread: before.unreadable()}
	stop := h.untilDeadline(ctx)
	waiting, cancel := context.WithTimeoutCause(ctx, maxWait, errBusy)
	defer cancel()
	err := h.doFor(waiting, func(s *store) error {
		left, err := h.scan(ctx, s, before, stop)
		if err != nil {
			return err
		}
		for _, path := range left {
			if e := s.index.present[path]; e != nil && !e.isKept() {
				p.notKept = append(p.notKept, path)
			}
		}
		p.from, p.shared = s.index.last(), len(h.running) > 0
		for other := range h.running {
			other.shared = true
		}
		h.running[p] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(p.notKept) > 0 {
		h.wakeRun()
	}
	return p, nil
}

// NotKept counts files whose bytes from before the program are not kept. Before End, these are the
// files that BeginProgram did not keep. After End, only those that the program changed or deleted.
func (p *Program) NotKept() protocol.PathCount {
	p.mu.Lock()
	defer p.mu.Unlock()
	return countPaths(p.notKept)
}

func (p *Program) setNotKept(paths []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notKept = paths
}

// End records the changes that the program made, and syncs them to the disk. The zero span means
// that it changed nothing.
func (p *Program) End(ctx context.Context, after *Tree,
	by protocol.HistoryAuthor) (span protocol.HistorySpan, err error) {
	h := p.history
	err = h.do(func(s *store) error {
		if p.ended.Load() {
			return errClosed
		}
		t, err := h.fresh(ctx, after)
		if err != nil {
			return err
		}
		defer h.home.closeOpened()
		if t, err = h.readClosed(ctx, t, p.mayOpen(s)); err != nil {
			return err
		}
		changes := h.compareHome(s, t)
		if len(changes) == 0 && !s.hasSharedChanges(p.from) {
			p.setNotKept(p.closedFolders(t))
			return nil
		}
		to, err := s.appendPoint(point{by: by, shared: p.shared}, changes)
		if err == nil {
			err = s.packs.sync()
		}
		if err != nil {
			return err
		}
		if !t.isCut {
			s.exact = t.number
		}
		span = s.spanTo(p.from, to)
		span.Shared = p.shared
		return p.findLost(s, span, t)
	})
	p.Drop()
	h.wakeRun()
	return span, err
}

// mayOpen returns a function that decides which closed folders are read after the program. These
// are the folders that it closed. Folders that were closed before are left out, also if the program
// moved them. Otherwise their files would count as new, and an undo would delete them.
func (p *Program) mayOpen(s *store) func(path string, e *entry) bool {
	isKnown := s.knownFolders()
	return func(path string, e *entry) bool {
		_, was := p.unread[path]
		return len(p.unread) == 0 || !was && isKnown(path, e)
	}
}

// closedFolders returns the folders that could not be read after the program. It leaves out those
// that were closed before too, and that have not changed: a program cannot change what is in a closed
// folder without opening it.
func (p *Program) closedFolders(after *Tree) (closed []string) {
	if after.isCut {
		return nil
	}
	for path, changed := range after.unreadable() {
		if was, known := p.unread[path]; !known || was != changed {
			closed = append(closed, path)
		}
	}
	slices.Sort(closed)
	return closed
}

// hasSharedChanges reports whether changes by running programs were found after a point.
func (s *store) hasSharedChanges(from int64) bool {
	return slices.ContainsFunc(s.index.points, func(p point) bool {
		return p.number > from && p.shared && p.by.Kind == protocol.HistoryAuthorProgram
	})
}

// findLost makes NotKept count the files of a span whose earlier bytes are not kept. It also counts
// folders that could not be read before, and that the program has deleted or made readable. It also
// counts closedFolders.
func (p *Program) findLost(s *store, span protocol.HistorySpan, after *Tree) error {
	changes, _, err := s.spanChanges(span)
	lost := p.closedFolders(after)
	for i := range changes {
		if before := &changes[i].before; before.kind == file && !s.hasBytes(before.digest) {
			lost = append(lost, changes[i].path)
		}
	}
	for folder := range p.unread {
		if !after.mayHold(folder) {
			lost = append(lost, folder)
		}
	}
	p.setNotKept(lost)
	return err
}

// Drop forgets a program that did not start. After End it does nothing. It does not wait for other
// operations.
func (p *Program) Drop() {
	p.ended.Store(true)
	if h := p.history; h.mu.TryLock() { // else the next operation forgets it
		delete(h.running, p)
		h.mu.Unlock()
	}
}

// Record records changes of clean paths, and of everything in folders among them. It keeps the new
// bytes. The zero span means that nothing has changed.
func (h *History) Record(ctx context.Context, paths []string,
	by protocol.HistoryAuthor) (span protocol.HistorySpan, err error) {
	err = h.doFor(ctx, func(s *store) error {
		changes, err := h.changesOf(ctx, s, paths)
		if err != nil || len(changes) == 0 {
			return err
		}
		list := s.candidatesOf(changes)
		if _, err := s.keepAll(h.home, list, true, h.untilDeadline(ctx)); err != nil {
			return err
		}
		if err := s.copyMovedDigests(changes); err != nil {
			return err
		}
		from := s.index.last()
		to, err := s.appendPoint(point{by: by}, changes)
		if err == nil {
			err = s.packs.sync()
		}
		span = s.spanTo(from, to)
		return err
	})
	if err != nil {
		return protocol.HistorySpan{}, err
	}
	h.wakeRun()
	return span, nil
}

// changesOf returns the changes of some paths from the present list to now. It includes everything
// in folders among the paths, and the folders above them. Paths that it cannot look at have no
// change; the next scan finds them.
func (h *History) changesOf(ctx context.Context, s *store, paths []string) (changes []change, err error) {
	now, wanted := map[string]entry{}, map[string]bool{}
	all := &Tree{} // everything in the folders
	for _, path := range paths {
		wanted[path] = true
		h.lookUp(s, path, now, all)
		if e := now[path]; e.kind != directory {
			continue
		}
		tree, err := h.home.walk(ctx, path, h.rules)
		if err != nil {
			return nil, err
		}
		all.entries, all.unread = append(all.entries, tree.entries...), append(all.unread, tree.unread...)
	}
	for i := range all.entries {
		now[all.entries[i].path] = all.entries[i].entry
	}
	for path := range s.index.present {
		if _, seen := now[path]; !seen && isWithin(path, wanted) && !all.mayHold(path) {
			now[path] = entry{}
		}
	}
	for path, e := range now {
		c := change{path: path, after: e}
		if was := s.index.present[path]; was != nil {
			c.before = *was
		}
		if !c.before.hasStamp(&c.after) {
			changes = append(changes, c)
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return changes, nil
}

// lookUp adds the entries of a path, and of folders above it that the present list lacks.
func (h *History) lookUp(s *store, path string, now map[string]entry, all *Tree) {
	for at := path; at != "."; at = parentOf(at) {
		if _, seen := now[at]; seen || at != path && s.index.present[at] != nil {
			continue
		}
		e, err := h.home.stat(at)
		if err != nil {
			all.unread = append(all.unread, at) // so nothing in it counts as deleted
			if p := s.index.present[at]; p != nil {
				now[at] = *p
			}
			continue
		}
		e.why = h.home.reasonOf(at, &e, h.rules)
		now[at] = e
	}
}

// isWithin reports whether a path or a folder above it is wanted.
func isWithin(path string, wanted map[string]bool) bool {
	for ; path != "."; path = parentOf(path) {
		if wanted[path] {
			return true
		}
	}
	return wanted["."]
}
