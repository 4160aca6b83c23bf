package workspace

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"
)

// Stamp identifies the content of a path at one moment. It changes with every write to the file.
// The zero Stamp means that nothing is there.
type Stamp struct {
	inode   uint64
	size    int64
	changed int64 // when the file was last changed, in nanoseconds
}

// NewStamp returns the stamp of a file. The parameter changed is the time of its last change in
// nanoseconds.
func NewStamp(inode uint64, size, changed int64) Stamp {
	return Stamp{inode: inode, size: size, changed: changed}
}

// ChangedAt returns when the file was last changed.
func (s Stamp) ChangedAt() time.Time { return time.Unix(0, s.changed) }

// Bounds of a record of changes.
const (
	maxRecorded = 10_000 // maximum number of paths in one record
	maxStamps   = 100    // maximum number of stamps of one path
)

// ChangeRecord holds the changes that a Workspace itself has made since the record began. It tells
// changes by programs from changes by tools, uploads and undos.
type ChangeRecord struct {
	ws     *Workspace
	stamps map[string][]Stamp // a path's stamps in their order; nil if another process changed the path too
}

// records are the running records of a workspace.
type records struct {
	changing sync.RWMutex // held for reading during a change of the workspace
	mu       sync.Mutex   // guards the fields below
	running  []*ChangeRecord
	paths    []*PathRecord
}

// PathRecord lists the paths that a Workspace itself changes while the record runs.
type PathRecord struct {
	ws    *Workspace
	paths map[string]bool
}

// StartPathRecord starts a record of changed paths. The caller calls Stop.
func (w *Workspace) StartPathRecord() *PathRecord {
	r := &PathRecord{ws: w, paths: map[string]bool{}}
	w.records.mu.Lock()
	defer w.records.mu.Unlock()
	w.records.paths = append(w.records.paths, r)
	return r
}

// Stop ends the record. It returns the clean paths, sorted. For a moved folder it returns the old
// and the new path. If another goroutine changes the workspace too, its paths are among them.
func (r *PathRecord) Stop() []string {
	r.ws.records.mu.Lock()
	defer r.ws.records.mu.Unlock()
	r.ws.records.paths = slices.DeleteFunc(r.ws.records.paths, func(other *PathRecord) bool { return other == r })
	return slices.Sorted(maps.Keys(r.paths))
}

// recordPaths adds changed paths to the running records of paths.
func (w *Workspace) recordPaths(names []string) {
	w.records.mu.Lock()
	defer w.records.mu.Unlock()
	for _, r := range w.records.paths {
		for _, name := range names {
			r.paths[name] = true
		}
	}
}

// StartChangeRecord starts a record. The caller calls Stop.
func (w *Workspace) StartChangeRecord() *ChangeRecord {
	r := &ChangeRecord{ws: w, stamps: map[string][]Stamp{}}
	w.records.mu.Lock()
	defer w.records.mu.Unlock()
	w.records.running = append(w.records.running, r)
	return r
}

// Stop ends the record, and waits for changes that have begun. A second call changes nothing.
func (r *ChangeRecord) Stop() {
	r.ws.records.changing.Lock()
	defer r.ws.records.changing.Unlock()
	r.ws.records.mu.Lock()
	defer r.ws.records.mu.Unlock()
	r.ws.records.running = slices.DeleteFunc(r.ws.records.running, func(other *ChangeRecord) bool { return other == r })
}

// IsOwnChange reports whether the workspace alone changed a path from one stamp to another. Call it
// after Stop. The path is clean.
func (r *ChangeRecord) IsOwnChange(name string, was, now Stamp) bool {
	stamps := r.stamps[name]
	return slices.Contains(stamps, was) && slices.Contains(stamps, now)
}

// add adds one change of a path.
func (r *ChangeRecord) add(name string, was, now Stamp) {
	stamps, known := r.stamps[name]
	switch {
	case !known && len(r.stamps) < maxRecorded:
		r.stamps[name] = []Stamp{was, now}
	case !known:
	case len(stamps) == 0 || len(stamps) == maxStamps || stamps[len(stamps)-1] != was:
		r.stamps[name] = nil
	default:
		r.stamps[name] = append(stamps, now)
	}
}

// change runs the function do, which changes the paths in names. It adds the changes to the running
// records. The paths are clean. If a folder is moved, all files in the folder count as changed.
func (w *Workspace) change(do func() error, names ...string) error {
	w.records.changing.RLock()
	defer w.records.changing.RUnlock()
	defer w.recordPaths(names)
	w.records.mu.Lock()
	recording := len(w.records.running) > 0
	w.records.mu.Unlock()
	if !recording {
		return do()
	}
	was := w.stampsBelow(names)
	if err := do(); err != nil {
		return err
	}
	now := w.stampsBelow(names)
	w.records.mu.Lock()
	defer w.records.mu.Unlock()
	for _, r := range w.records.running {
		for name, stamp := range was {
			r.add(name, stamp, now[name])
		}
		for name, stamp := range now {
			if _, known := was[name]; !known {
				r.add(name, Stamp{}, stamp)
			}
		}
	}
	return nil
}

// stampsBelow returns the stamps of files by their paths. It covers the clean paths names, and all
// files in folders among names.
func (w *Workspace) stampsBelow(names []string) map[string]Stamp {
	stamps := map[string]Stamp{}
	for _, name := range names {
		if info, err := w.root.Lstat(name); err == nil {
			w.addStamps(stamps, name, info)
		}
	}
	return stamps
}

func (w *Workspace) addStamps(stamps map[string]Stamp, name string, info fs.FileInfo) {
	if !info.IsDir() {
		stamps[name] = StampOf(info)
		return
	}
	_ = walk(context.Background(), w.root, name, allEntries, func(e Entry) error { // unread files are not recorded
		if len(stamps) > maxRecorded {
			return fs.SkipAll
		}
		if e.Err == nil && !e.Info.IsDir() {
			stamps[e.Path] = StampOf(e.Info)
		}
		return nil
	})
}
