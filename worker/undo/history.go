package undo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"mews/protocol"
)

var (
	errNoHistory = errors.New("the file history is off")
	errNotKept   = errors.New("the earlier bytes are not kept any longer")
)

// author returns the author of the undo's own changes in the file history. If the operation has more
// than one part, the words number the part.
func (r *run) author(part int, only bool) protocol.HistoryAuthor {
	words := fmt.Sprint("undo ", r.operation)
	if !only {
		words += fmt.Sprintf(", part %d", part+1)
	}
	return protocol.HistoryAuthor{Kind: protocol.HistoryAuthorUndo, Words: words}
}

// undoSpan undoes all changes of a span.
func (r *run) undoSpan(span protocol.HistorySpan, by protocol.HistoryAuthor) protocol.UndoneChange {
	if r.history == nil {
		failed := failedOutcome(errNoHistory)
		failed.Span = &protocol.UndoneSpan{}
		return failed
	}
	undone, err := r.history.UndoSpan(r.ctx, span, r.force, by)
	o := protocol.UndoneChange{Outcome: spanOutcome(undone)}
	if err != nil {
		o = failedOutcome(err)
	}
	o.Span = &undone
	return o
}

// spanOutcome returns the outcome for a whole span. If some paths were restored, it is done.
func spanOutcome(u protocol.UndoneSpan) protocol.UndoOutcome {
	switch {
	case u.Restored.Count > 0:
		return protocol.UndoOutcomeDone
	case u.Changed.Count > 0 || u.Shared.Count > 0:
		return protocol.UndoOutcomeChangedSince
	case u.NotKept.Count > 0:
		return protocol.UndoOutcomeExpired
	}
	return protocol.UndoOutcomeAlreadyUndone
}

// wasUndoneBefore reports whether an earlier try of this operation has undone a whole group. It then
// sets the outcomes. Later parts of the operation may have changed the files again.
func (r *run) wasUndoneBefore(group []int, by protocol.HistoryAuthor) bool {
	if r.history == nil {
		return false
	}
	wanted := newTree(&cachedDisk{r, map[string]protocol.FileState{}})
	for _, i := range group {
		wanted.undoChange(r.changes[i])
	}
	for path, state := range wanted.states {
		if state == protocol.FileStateFolder {
			continue // a folder on the way to a file
		}
		versions, _, err := r.history.Versions(path, 0)
		if err != nil || !slices.ContainsFunc(versions, func(v protocol.FileVersion) bool {
			return v.By == by && v.State == state
		}) {
			return false
		}
	}
	outcome := protocol.UndoOutcomeDone
	if r.force {
		outcome = protocol.UndoOutcomeAlreadyUndone // the state that it replaced is not known any more
	}
	for _, i := range group {
		r.outcomes[i].Outcome = outcome
	}
	return true
}

// record adds the undo's own changes to the file history. An error is only reported: the next look at
// the home finds the changes too.
func (r *run) record(paths []string, by protocol.HistoryAuthor) {
	if r.history == nil || len(paths) == 0 {
		return
	}
	if _, err := r.history.Record(context.WithoutCancel(r.ctx), paths, by); err != nil {
		r.report(fmt.Errorf("record an undo in the file history: %w", err))
	}
}

// keepInHistory keeps bytes in the file history.
func (r *run) keepInHistory(ctx context.Context, bytes io.Reader, most int64) (protocol.BlobRef, error) {
	if r.history == nil {
		return protocol.BlobRef{}, errNoHistory
	}
	return r.history.Keep(ctx, bytes, most)
}

// openBefore opens the bytes from before a change. The caller closes them.
func (r *run) openBefore(u protocol.Undo) (io.ReadCloser, error) {
	if u.Kept {
		bytes, _, err := r.openKept(u.Before)
		return bytes, err
	}
	return io.NopCloser(&blobReader{run: r, sha256: string(u.Before)}), nil
}

// openKept opens bytes of the file history. The caller closes them.
func (r *run) openKept(state protocol.FileState) (io.ReadCloser, int64, error) {
	if r.history == nil {
		return nil, 0, errNoHistory
	}
	bytes, size, err := r.history.ReadKept(string(state))
	if errors.Is(err, fs.ErrNotExist) {
		err = errNotKept
	}
	return bytes, size, err
}
