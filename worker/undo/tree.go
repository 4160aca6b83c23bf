package undo

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mews/protocol"
)

// disk is the present state of the files.
type disk interface {
	state(path string) protocol.FileState
	// files returns the paths of all files in a folder, relative to the folder: /a, /b/c. ok is
	// false if there are too many files.
	files(folder string) (paths []string, ok bool)
}

// tree is a folder as it would be after some undone changes. It has a state for each path that
// these changes touch. All other paths have the disk's state.
type tree struct {
	disk   disk
	states map[string]protocol.FileState
	put    map[string]bool // paths whose new state was not put there by a move
	moves  []protocol.Undo // undone moves, oldest first
}

func newTree(disk disk) *tree {
	return &tree{disk: disk, states: map[string]protocol.FileState{}, put: map[string]bool{}}
}

// pathBelow returns the rest of a path that is at or in a folder.
func pathBelow(path, folder string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(path, folder); ok && (rest == "" || rest[0] == '/') {
		return rest, true
	}
	return "", false
}

// at returns the state of a path.
func (t *tree) at(path string) protocol.FileState {
	if s, ok := t.states[path]; ok {
		return s
	}
	if path = t.onDisk(path); path == "" {
		return protocol.FileStateAbsent
	}
	return t.disk.state(path)
}

// onDisk returns the present path of the file that the tree has at a path; "" if the tree has no
// file there.
func (t *tree) onDisk(path string) string {
	for i := len(t.moves) - 1; i >= 0; i-- {
		m := t.moves[i]
		if rest, in := pathBelow(path, m.Path); in {
			path = m.To + rest
		} else if _, in := pathBelow(path, m.To); in {
			return ""
		}
	}
	return path
}

// canUndo reports whether a change can be undone: its result is still there.
func (t *tree) canUndo(u protocol.Undo) bool {
	free := t.at(u.Path) == protocol.FileStateAbsent || t.empty(u.Path)
	if u.To == "" {
		return t.at(u.Path) == u.After || u.After == protocol.FileStateAbsent && free
	}
	return t.at(u.To) == u.Before && free
}

// empty reports whether a folder holds only folders. Tools make such folders on the way to a file.
func (t *tree) empty(folder string) bool {
	if t.at(folder) != protocol.FileStateFolder {
		return false
	}
	for path, state := range t.states {
		if _, in := pathBelow(path, folder); in && state != protocol.FileStateAbsent &&
			state != protocol.FileStateFolder {
			return false
		}
	}
	paths, ok := t.disk.files(t.onDisk(folder))
	return ok && !slices.ContainsFunc(paths, func(path string) bool { return t.at(folder+path) != protocol.FileStateAbsent })
}

// undoChange undoes a change in the tree.
func (t *tree) undoChange(u protocol.Undo) {
	if u.To != "" {
		// after an undone move the path is free
		maps.DeleteFunc(t.states, func(path string, _ protocol.FileState) bool { _, in := pathBelow(path, u.Path); return in })
		for path, state := range t.states {
			if rest, in := pathBelow(path, u.To); in {
				t.states[u.Path+rest], t.put[u.Path+rest] = state, t.put[path]
				delete(t.states, path)
				delete(t.put, path)
			}
		}
		t.moves = append(t.moves, u)
		t.states[u.To] = protocol.FileStateAbsent
	} else {
		t.put[u.Path] = true
	}
	t.states[u.Path] = u.Before
	for folder := path.Dir(u.Path); folder != "." && u.Before != protocol.FileStateAbsent &&
		t.at(folder) == protocol.FileStateAbsent; folder = path.Dir(folder) {
		t.states[folder] = protocol.FileStateFolder
	}
}

// related reports whether two changes are about the same file or folder, or one is about a file in
// the other's folder.
func related(a, b protocol.Undo) bool {
	for _, p := range []string{a.Path, a.To} {
		for _, q := range []string{b.Path, b.To} {
			if p == "" || q == "" {
				continue
			}
			if _, in := pathBelow(p, q); in {
				return true
			}
			if _, in := pathBelow(q, p); in {
				return true
			}
		}
	}
	return false
}

// groupRelated divides changes into independent groups. Each group lists the positions of its
// changes, in order.
func groupRelated(changes []protocol.Undo) [][]int {
	of := make([]int, len(changes)) // for each change, the position of the first change in its group
	for i := range changes {
		of[i] = i
		for j := range i {
			if of[j] != of[i] && related(changes[i], changes[j]) {
				from, to := max(of[i], of[j]), min(of[i], of[j])
				for k := range i + 1 {
					if of[k] == from {
						of[k] = to
					}
				}
			}
		}
	}
	var list [][]int
	at := map[int]int{}
	for i, first := range of {
		if _, known := at[first]; !known {
			at[first] = len(list)
			list = append(list, nil)
		}
		list[at[first]] = append(list[at[first]], i)
	}
	return list
}

// countUndone returns how many changes of a group, newest first, were already undone. ok is false
// if a file has changed since.
func countUndone(changes []protocol.Undo, disk disk) (done int, ok bool) {
	wanted := newTree(disk)
	for _, u := range changes {
		wanted.undoChange(u)
	}
	for done = range len(changes) + 1 {
		if resultsIn(changes[done:], disk, wanted) {
			return done, true
		}
	}
	return 0, false
}

// resultsIn reports whether changes can be undone, with the wanted result.
func resultsIn(changes []protocol.Undo, disk disk, wanted *tree) bool {
	t := newTree(disk)
	for _, u := range changes {
		if !t.canUndo(u) {
			return false
		}
		t.undoChange(u)
	}
	for path, state := range wanted.states {
		if t.at(path) != state && !(state == protocol.FileStateAbsent && t.empty(path)) {
			return false
		}
	}
	return true
}
