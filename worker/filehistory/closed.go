package filehistory

import (
	"context"
	"maps"
	"path"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// openedFolder is a folder of the home that is open to its owner for a while.
type openedFolder struct {
	inode uint64
	mode  uint16 // its own mode
}

// ownerAll are the permissions that the owner of a folder needs to read and change it.
const ownerAll = 0o700

// openClosed gives the owner of a closed folder all permissions, until closeOpened. It returns
// false if the folder is not closed, is refused by mayOpen, or has another owner.
func (h *home) openClosed(name string, mayOpen func(e *entry) bool) bool {
	if name == "." {
		return false
	}
	dir, err := h.openFolder(path.Dir(name))
	if err != nil {
		return false
	}
	defer dir.Close()
	fd, base := int(dir.Fd()), path.Base(name)
	e, _, err := statBelow(fd, base)
	if err != nil || e.kind != directory || e.mode&ownerAll == ownerAll || !mayOpen(&e) {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := unix.Fchmodat(fd, base, uint32(e.mode|ownerAll), 0); err != nil {
		return false
	}
	if h.opened == nil {
		h.opened = map[string]openedFolder{}
	}
	h.opened[name] = openedFolder{inode: e.inode, mode: e.mode}
	return true
}

// setOwnMode sets the mode in the entry of an opened folder to the folder's own.
func (h *home) setOwnMode(name string, e *entry) {
	if e.kind != directory {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if o, known := h.opened[name]; known && o.isOpen(e) {
		e.mode = o.mode
	}
}

// isOpen reports whether e is the folder, with the mode that openClosed gave it.
func (o openedFolder) isOpen(e *entry) bool {
	return e.kind == directory && e.inode == o.inode && e.mode == o.mode|ownerAll
}

// keepOpen forgets the opened folders among some paths, which have got another mode since.
func (h *home) keepOpen(paths map[string]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.DeleteFunc(h.opened, func(name string, _ openedFolder) bool { return paths[name] })
}

// closeOpened gives the opened folders their own modes again, the deepest first.
func (h *home) closeOpened() {
	h.mu.Lock()
	defer h.mu.Unlock()
	names := slices.Sorted(maps.Keys(h.opened))
	for _, name := range slices.Backward(names) {
		h.closeFolder(name, h.opened[name])
	}
	clear(h.opened)
}

// closeFolder closes an opened folder, unless it was moved, deleted or changed since.
func (h *home) closeFolder(name string, o openedFolder) {
	dir, err := h.openFolder(path.Dir(name))
	if err != nil {
		return
	}
	defer dir.Close()
	if e, _, err := statBelow(int(dir.Fd()), path.Base(name)); err == nil && o.isOpen(&e) {
		_ = unix.Fchmodat(int(dir.Fd()), path.Base(name), uint32(o.mode), 0) // it stays open to its owner
	}
}

// readClosed returns a tree that also has what is below closed folders, and opens those until
// closeOpened. mayOpen decides about each unread path.
func (h *History) readClosed(ctx context.Context, t *Tree, mayOpen func(path string, e *entry) bool) (*Tree, error) {
	if len(t.unread) == 0 || t.isCut {
		return t, nil
	}
	all := *t // others use t as well
	all.entries, all.unread, all.unreadSet = slices.Clip(t.entries), nil, nil
	for todo := slices.Clone(t.unread); len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		if t.mounts[name] || !h.home.openClosed(name, func(e *entry) bool { return mayOpen(name, e) }) {
			all.unread = append(all.unread, name)
			continue
		}
		below, err := h.home.walk(ctx, name, h.rules)
		if err != nil {
			return nil, err
		}
		if below.isCut || len(all.entries)+len(below.entries) > h.rules.most {
			all.unread = append(all.unread, name)
			continue
		}
		all.entries = append(withoutBelow(all.entries, name), below.entries...)
		todo = append(todo, below.unread...)
	}
	return &all, nil
}

// withoutBelow returns the entries that are not below a folder. A walk lists some names of a folder
// that it cannot read to its end.
func withoutBelow(entries []treeEntry, folder string) []treeEntry {
	has := func(e treeEntry) bool { return isBelow(e.path, folder) }
	if !slices.ContainsFunc(entries, has) {
		return entries
	}
	return slices.DeleteFunc(slices.Clone(entries), has)
}

// knownFolders returns a function that reports whether a folder is the one of the present list, and
// has entries there.
func (s *store) knownFolders() func(name string, e *entry) bool {
	filled := sync.OnceValue(func() map[string]bool {
		folders := map[string]bool{}
		for path := range s.index.present {
			folders[parentOf(path)] = true
		}
		return folders
	})
	return func(name string, e *entry) bool {
		p := s.index.present[name]
		return p != nil && p.kind == directory && p.inode == e.inode && filled()[name]
	}
}
