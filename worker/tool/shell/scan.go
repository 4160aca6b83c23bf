package shell

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/worker/filehistory"
	"mews/worker/workspace"
)

var errTooManyFiles = errors.New("too many files")

// snapshot holds the files of the workspace at one moment. From then on it records the changes that
// Mews itself makes. The caller of takeSnapshot stops the record.
type snapshot struct {
	files  map[string]fileState
	unread []string          // folders that could not be read to their end
	tree   *filehistory.Tree // the same and more, for the file history; nil means that none is kept
	mews   *workspace.ChangeRecord
	err    error // reason why the snapshot lacks some files
	cut    error // reason why the tree lacks some files, although the history uses it
}

// fileState is the state of a file or link in a snapshot.
type fileState struct {
	stamp    workspace.Stamp
	regular  bool
	size     int64
	modified time.Time
}

// takeSnapshot takes a snapshot of the workspace without the folder for temporary files. It ends
// with ctx.
func (e *environment) takeSnapshot(ctx context.Context) snapshot {
	seen := snapshot{files: map[string]fileState{}, mews: e.ws.StartChangeRecord()}
	if e.options.History != nil {
		seen.tree, seen.err = e.options.History.Walk(ctx)
		seen.readTree()
		return seen
	}
	entries, temp := 0, e.tempName()
	seen.err = e.ws.Walk(ctx, ".", func(entry workspace.Entry) error {
		if entries++; entries > e.options.limits.entries {
			return errTooManyFiles
		}
		if entry.Path == temp {
			return fs.SkipDir
		}
		if entry.Err != nil {
			seen.unread = append(seen.unread, entry.Path)
			return nil
		}
		if kind := entry.Info.Mode().Type(); kind.IsRegular() || kind == fs.ModeSymlink {
			seen.files[entry.Path] = fileState{stamp: workspace.StampOf(entry.Info), regular: kind.IsRegular(),
				size: entry.Info.Size(), modified: entry.Info.ModTime()}
		}
		return nil
	})
	return seen
}

// readTree takes the files from the tree, so that the workspace is walked only once. A tree has its
// own limit of entries.
func (s *snapshot) readTree() {
	if s.err != nil {
		return
	}
	s.unread, s.cut = s.tree.Unread(), s.tree.Err()
	for entry := range s.tree.Entries() {
		kind := entry.Mode.Type()
		if (kind.IsRegular() || kind == fs.ModeSymlink) && !workspace.IsInTrash(entry.Path) {
			s.files[entry.Path] = fileState{stamp: entry.Stamp, regular: kind.IsRegular(), size: entry.Size,
				modified: entry.Modified}
		}
	}
}

// maxTick is longer than a tick of any kernel's clock.
const maxTick = 20 * time.Millisecond

// settle waits until each further change of a file gets a new stamp. It waits only if a file has
// changed within the last tick of the kernel's clock.
func (s snapshot) settle() {
	newest := time.Time{}
	for _, f := range s.files {
		if at := f.stamp.ChangedAt(); at.After(newest) {
			newest = at
		}
	}
	for waited := time.Duration(0); !fileTime().After(newest) && waited < maxTick; waited += time.Millisecond {
		time.Sleep(time.Millisecond)
	}
}

// maybeHas reports whether a file that is not in the snapshot may exist, because the file or a
// folder above it was not read.
func (s snapshot) maybeHas(path string) bool {
	return slices.ContainsFunc(s.unread, func(unread string) bool {
		return unread == "." || path == unread || strings.HasPrefix(path, unread+"/")
	})
}

// fileChange is a change of one file by a program.
type fileChange struct {
	path string
	was  bool // whether the file existed before the program ran
	now  fileState
	gone bool
}

// after returns the state of the path for the ledger.
func (c fileChange) after() protocol.FileState {
	switch {
	case c.gone:
		return protocol.FileStateAbsent
	case !c.now.regular:
		return protocol.FileStateLink
	}
	return protocol.LargeFileState(c.now.size, c.now.modified)
}

// compare lists the changes that programs made from one snapshot to the next, sorted by name. It
// stops the record of the first snapshot.
func (s snapshot) compare(after snapshot) (changes []fileChange, err error) {
	s.mews.Stop()
	if err := errors.Join(s.err, after.err, s.cut, after.cut); err != nil {
		return nil, err
	}
	for path, now := range after.files {
		was, old := s.files[path]
		// a new link is not counted, since a program may make thousands
		switch {
		case was.stamp == now.stamp, !now.regular && !old, !old && s.maybeHas(path):
		case !s.mews.IsOwnChange(path, was.stamp, now.stamp):
			changes = append(changes, fileChange{path: path, was: old, now: now})
		}
	}
	for path, was := range s.files {
		_, still := after.files[path]
		if !still && !after.maybeHas(path) && !s.mews.IsOwnChange(path, was.stamp, workspace.Stamp{}) {
			changes = append(changes, fileChange{path: path, was: true, gone: true})
		}
	}
	slices.SortFunc(changes, func(a, b fileChange) int { return strings.Compare(a.path, b.path) })
	return changes, nil
}
