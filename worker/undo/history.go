package undo

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"mews/protocol"
	"mews/worker/filehistory"
)

var (
	errNoHistory = errors.New("the file history is off")
	errNotKept   = errors.New("the earlier bytes are not kept any longer")
	// errNotChanged means that an undo could change no path, and that others are not the reason.
	errNotChanged = errors.New("the files could not be changed")
)

// authorWords returns the words of an undo's author in the file history. No other undo has the same
// words, even if a restored database uses an operation's id again.
func authorWords(operation int64, p protocol.UndoParameters) string {
	text, _ := json.Marshal(p) // never fails
	sum := sha256.Sum256(text)
	return fmt.Sprintf("undo %d (%x)", operation, sum[:4])
}

// author returns the author of a part's own changes, with the number of the part from 1.
func (r *run) author(part int) protocol.HistoryAuthor {
	words := r.words
	if part > 1 {
		words += fmt.Sprint(", part ", part)
	}
	return protocol.HistoryAuthor{Kind: protocol.HistoryAuthorUndo, Words: words}
}

// countBegun returns the number of parts that an earlier try of the operation has begun. It counts
// all parts up to the last one that has begun.
func (r *run) countBegun(parts []part) (begun int) {
	for i, p := range parts {
		if r.history == nil {
			break
		}
		if span, err := r.history.FindSpan(p.by); err == nil && span.To > 0 {
			begun = i + 1
		}
	}
	return begun
}

// madeSpan returns the outcome of a part that an earlier try of the operation has completed.
func (r *run) madeSpan(p part) protocol.UndoneChange {
	o := protocol.UndoneChange{Outcome: protocol.UndoOutcomeAlreadyUndone, Span: &protocol.UndoneSpan{}}
	made, err := r.history.FindSpan(p.by)
	if err != nil || made.To == 0 {
		return o
	}
	if list, err := r.history.Differences(made); err == nil && len(list) > 0 {
		o.Outcome, o.Span.Span = protocol.UndoOutcomeDone, &made
		o.Span.Restored.Count = int64(len(list))
	}
	return o
}

// findOutcomes sets the outcomes of single files that an earlier try has undone.
func (r *run) findOutcomes(p part) {
	done := protocol.UndoOutcomeDone
	if r.force {
		done = protocol.UndoOutcomeAlreadyUndone // the state that it replaced is not known any more
	}
	for _, group := range r.groups(p) {
		outcome := protocol.UndoOutcomeChangedSince
		if r.wasUndone(group, p.by) {
			outcome = done
		}
		for _, i := range group {
			r.outcomes[i].Outcome = outcome
		}
	}
}

// wasUndone reports whether the author has restored the earlier states of a group's files.
func (r *run) wasUndone(group []int, by protocol.HistoryAuthor) bool {
	wanted := newTree(&cachedDisk{r, map[string]protocol.FileState{}})
	for _, i := range group {
		wanted.undoChange(r.changes[i])
	}
	for _, i := range group {
		path := r.changes[i].Path
		versions, _, err := r.history.Versions(path, 0)
		if err != nil || !slices.ContainsFunc(versions, func(v protocol.FileVersion) bool {
			return v.By == by && v.State == wanted.states[path]
		}) {
			return false
		}
	}
	return true
}

// undoSpan undoes all changes of a span.
func (r *run) undoSpan(p part) protocol.UndoneChange {
	if r.history == nil {
		failed := failedOutcome(errNoHistory)
		failed.Span = &protocol.UndoneSpan{}
		return failed
	}
	undone, err := r.history.UndoSpan(r.ctx, *p.span, r.force, p.by)
	switch {
	case errors.Is(err, filehistory.ErrOtherHistory):
		err = filehistory.ErrOtherHistory
	case errors.Is(err, fs.ErrNotExist):
		err = errNotKept
	}
	o := protocol.UndoneChange{Outcome: spanOutcome(undone)}
	switch {
	case err != nil:
		o = failedOutcome(err)
	case o.Outcome == protocol.UndoOutcomeFailed:
		o = failedOutcome(errNotChanged)
	}
	o.Span = &undone
	return o
}

// spanOutcome returns the outcome for a whole span. It is UndoOutcomeDone if the undo has changed
// any path.
func spanOutcome(u protocol.UndoneSpan) protocol.UndoOutcome {
	switch {
	case u.Span != nil:
		return protocol.UndoOutcomeDone
	case u.Changed.Count > 0 || u.Shared.Count > 0 || u.Unkept.Count > 0:
		return protocol.UndoOutcomeChangedSince
	case u.NotKept.Count > 0:
		return protocol.UndoOutcomeExpired
	case u.Failed.Count > 0:
		return protocol.UndoOutcomeFailed
	}
	return protocol.UndoOutcomeAlreadyUndone
}

// record adds the undo's own changes to the file history. An error is only reported, because the
// next scan of the home finds the changes too.
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
