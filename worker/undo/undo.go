// Package undo undoes changes that file tools and programs made to a user's files. It also shows
// these changes as a diff.
package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"mews/protocol"
	"mews/worker/filehistory"
	"mews/worker/workspace"
)

// Blobs reads and stores bytes of files from before a change.
type Blobs interface {
	StoreBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)
	// StoreUndoBlob stores the bytes of a file before it is changed.
	StoreUndoBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)
	// ReadBlob returns at most length bytes of a blob. The error is a *protocol.Error if the blob
	// is no longer stored.
	ReadBlob(ctx context.Context, sha256 string, offset int64, length int) (protocol.BlobReadResult, error)
}

// Undoer undoes changes in one folder, one undo after the other.
type Undoer struct {
	ws      *workspace.Workspace
	history *filehistory.History // file history of the folder; nil means that none is kept
	report  func(error)
	mu      sync.Mutex // held while an undo runs
}

// New makes an Undoer over a workspace and its file history, which the caller closes. The history
// may be nil. The function report gets errors of the file history that do not stop an undo.
func New(ws *workspace.Workspace, history *filehistory.History, report func(error)) *Undoer {
	return &Undoer{ws: ws, history: history, report: report}
}

// RunOperation runs an operation of the kind protocol.OperationKindUndo. The parameter operation is
// its id. A repeated operation with the same id and parameters continues.
func (u *Undoer) RunOperation(ctx context.Context, operation int64, p protocol.UndoParameters,
	blobs Blobs) (protocol.UndoResult,
	error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	r := u.newRun(ctx, operation, p, blobs)
	switch p.Action {
	case protocol.UndoActionUnchangedFiles, protocol.UndoActionForce:
		r.undoAll()
	case protocol.UndoActionDiff:
		diff, err := r.diff()
		return protocol.UndoResult{Diff: diff}, err
	default:
		return protocol.UndoResult{}, fmt.Errorf("there is no action %.20q", p.Action)
	}
	return protocol.UndoResult{Changes: r.outcomes}, ctx.Err()
}

func (u *Undoer) newRun(ctx context.Context, operation int64, p protocol.UndoParameters, blobs Blobs) *run {
	return &run{ws: u.ws, history: u.history, ctx: ctx, blobs: blobs, changes: p.Changes,
		outcomes: make([]protocol.UndoneChange, len(p.Changes)), force: p.Action == protocol.UndoActionForce,
		words: authorWords(operation, p), report: u.report}
}

// run is a running undo.
type run struct {
	ws       *workspace.Workspace
	history  *filehistory.History
	ctx      context.Context
	blobs    Blobs
	changes  []protocol.Undo
	outcomes []protocol.UndoneChange
	force    bool // undo also changes of files that have changed since

	words  string // words of the author in the file history
	report func(error)
}

// part is a span, or neighbouring changes of single files, which are undone together.
type part struct {
	from, to int                    // positions of the changes
	span     *protocol.HistorySpan  // nil means single files
	by       protocol.HistoryAuthor // author of the undo's own changes
}

// parts divides the changes into parts, in their order. Each part has an author of its own in the
// file history, so that a repeated operation knows which parts have begun.
func (r *run) parts() (list []part) {
	for from := 0; from < len(r.changes); {
		to := from + 1
		for to < len(r.changes) && r.changes[from].Span == nil && r.changes[to].Span == nil {
			to++
		}
		list = append(list, part{from: from, to: to, span: r.changes[from].Span, by: r.author(len(list) + 1)})
		from = to
	}
	return list
}

// undoAll undoes the changes, the newest first. It does not repeat the parts that an earlier try of
// the operation has completed, because later parts may have changed the same files again.
func (r *run) undoAll() {
	parts := r.parts()
	begun := r.countBegun(parts)
	for i, p := range parts {
		switch {
		case p.span != nil && i+1 < begun:
			r.outcomes[p.from] = r.madeSpan(p)
		case p.span != nil:
			r.outcomes[p.from] = r.undoSpan(p)
		case i < begun:
			r.findOutcomes(p)
		default:
			r.undoFiles(p)
		}
	}
}

// undoFiles undoes changes of single files. It records its own changes in the file history.
func (r *run) undoFiles(p part) {
	changed := r.ws.StartPathRecord()
	if r.force {
		for i := p.from; i < p.to; i++ {
			r.forceChange(i)
		}
	} else {
		for _, group := range r.groups(p) {
			r.undoGroup(group)
		}
	}
	r.record(changed.Stop(), p.by)
}

// groups lists the positions of the changes of each independent group of a part.
func (r *run) groups(p part) [][]int {
	list := groupRelated(r.changes[p.from:p.to])
	for _, group := range list {
		for n := range group {
			group[n] += p.from
		}
	}
	return list
}

// cachedDisk is a disk that remembers the first state of each path.
type cachedDisk struct {
	*run
	states map[string]protocol.FileState
}

// state of an unreadable path; no change has this state, and it never goes over the wire
const unreadable protocol.FileState = "unreadable"

func (d *cachedDisk) state(path string) protocol.FileState {
	state, known := d.states[path]
	if known {
		return state
	}
	state, _, err := d.ws.PathState(path)
	if err != nil {
		state = unreadable
	}
	d.states[path] = state
	return state
}

func (d *cachedDisk) files(folder string) ([]string, bool) { return d.ws.FilesBelow(d.ctx, folder) }

// undoGroup undoes a whole group, or changes nothing.
func (r *run) undoGroup(group []int) {
	list := make([]protocol.Undo, len(group))
	for n, i := range group {
		list[n] = r.changes[i]
	}
	disk := &cachedDisk{r, map[string]protocol.FileState{}}
	done, ok := countUndone(list, disk)
	outcome := protocol.UndoneChange{Outcome: protocol.UndoOutcomeAlreadyUndone}
	if !ok {
		outcome.Outcome, done = protocol.UndoOutcomeChangedSince, len(list)
	} else if err := r.prepare(list[done:], disk); err != nil {
		outcome, done = failedOutcome(err), len(list)
	}
	for n, i := range group {
		if n >= done && outcome.Outcome == protocol.UndoOutcomeAlreadyUndone {
			if err := r.undoChange(list[n]); err != nil {
				outcome = failedOutcome(err)
			} else {
				r.outcomes[i].Outcome = protocol.UndoOutcomeDone
				continue
			}
		}
		r.outcomes[i] = outcome
	}
}

// prepare stores the bytes that will be replaced, and checks that the earlier bytes are kept.
func (r *run) prepare(changes []protocol.Undo, disk disk) error {
	t := newTree(disk)
	for _, u := range changes {
		if _, err := r.keptSize(u); err != nil {
			return err
		}
		// The bytes are already stored as the state before another change.
		if u.To == "" && u.After.IsHash() && !t.put[u.Path] {
			if now, _, err := r.keep(t.onDisk(u.Path), u.Kept); err != nil || now != u.After {
				return cmp.Or(err, errChanged)
			}
		}
		t.undoChange(u)
	}
	return nil
}

// keptSize returns how many bytes from before a change are kept.
func (r *run) keptSize(u protocol.Undo) (int64, error) {
	if u.To != "" || !u.Before.IsHash() {
		return 0, nil
	}
	if u.Kept {
		bytes, size, err := r.openKept(u.Before)
		if err == nil {
			_ = bytes.Close() // only the size was wanted
		}
		return size, err
	}
	part, err := r.blobs.ReadBlob(r.ctx, string(u.Before), 0, 1)
	return part.Size, err
}

// keep stores the bytes of a file, which may be missing. They go into the file history or into a
// blob, where the redo looks for them.
func (r *run) keep(path string, inHistory bool) (state protocol.FileState, info fs.FileInfo, err error) {
	state, info, err = r.ws.PathState(path)
	if err != nil || !state.IsHash() {
		return state, info, err
	}
	f, err := r.ws.OpenRegularFile(path)
	if err != nil {
		return state, info, err
	}
	defer f.Close() // a failed Close loses nothing, because the file was only read
	store := r.blobs.StoreUndoBlob
	if inHistory {
		store = r.keepInHistory
	}
	ref, err := store(r.ctx, f, protocol.MaxUndoFileBytes)
	return protocol.FileState(ref.SHA256), info, err
}

// undoChange undoes a change, even if the file has changed since.
func (r *run) undoChange(u protocol.Undo) error {
	switch {
	case r.ctx.Err() != nil:
		return context.Cause(r.ctx)
	case u.To != "":
		return cmp.Or(r.ws.RemoveEmptyFolders(r.ctx, u.Path), r.ws.RestorePath(u.To, u.Path))
	case u.Before == protocol.FileStateAbsent:
		return r.ws.RemoveFile(u.Path)
	}
	size, err := r.keptSize(u)
	if err == nil {
		err = r.ws.RemoveEmptyFolders(r.ctx, u.Path)
	}
	if err != nil {
		return err
	}
	mode := fs.FileMode(cmp.Or(u.Mode, newMode))
	if _, info, err := r.ws.PathState(u.Path); err == nil && info != nil && info.Mode().IsRegular() {
		mode = info.Mode() // keep the present mode, because the user may have changed it
	}
	bytes, err := r.openBefore(u)
	if err != nil {
		return err
	}
	return errors.Join(r.ws.RestoreFile(u.Path, bytes, size, mode), bytes.Close())
}

// newMode is the mode of a file whose earlier mode is not known.
const newMode = 0o644

// forceChange undoes a change although the file has changed since. It keeps the present file.
func (r *run) forceChange(i int) {
	u, o := r.changes[i], &r.outcomes[i]
	_, err := r.keptSize(u)
	if err == nil && u.To == "" {
		var info fs.FileInfo
		if o.Found, info, err = r.keep(u.Path, u.Kept); err == nil && info != nil {
			o.Size, o.Mode = info.Size(), int(info.Mode().Perm())
		}
		if err == nil && o.Found != protocol.FileStateAbsent && !o.Found.IsHash() {
			err = errInTheWay
		}
	}
	if err == nil && o.Found == u.Before && u.To == "" {
		o.Outcome = protocol.UndoOutcomeAlreadyUndone
		return
	}
	if err == nil {
		err = r.undoChange(u)
	}
	if err != nil {
		*o = failedOutcome(err)
		return
	}
	o.Outcome = protocol.UndoOutcomeDone
}

var (
	errChanged  = errors.New("it has changed meanwhile")
	errInTheWay = errors.New("there is something else than a file at its place, or one of more than 16 MiB")
)

// failedOutcome returns the outcome of a change that could not be undone.
func failedOutcome(err error) protocol.UndoneChange {
	said := new(protocol.Error)
	switch {
	case errors.Is(err, errChanged):
		return protocol.UndoneChange{Outcome: protocol.UndoOutcomeChangedSince}
	case errors.As(err, &said) && said.Code == protocol.CodeBlobExpired, errors.Is(err, errNotKept):
		return protocol.UndoneChange{Outcome: protocol.UndoOutcomeExpired}
	}
	why := cmp.Or(said.Message, err.Error())
	return protocol.UndoneChange{Outcome: protocol.UndoOutcomeFailed, Why: strings.ToValidUTF8(why[:min(len(why),
		protocol.MaxUndoReasonBytes)], "")}
}

// blobReader reads a blob from its beginning.
type blobReader struct {
	*run
	sha256 string
	offset int64
}

func (b *blobReader) Read(p []byte) (int, error) {
	part, err := b.blobs.ReadBlob(b.ctx, b.sha256, b.offset, min(max(len(p), 1), protocol.MaxBlobChunkBytes))
	if err != nil {
		return 0, err
	}
	n := copy(p, part.Data)
	if b.offset += int64(n); n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
