package undo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker/filehistory"
	"mews/worker/textdiff"
	"mews/worker/workspace"
)

// diff commits the difference between the state before the changes and now; nil means no
// difference.
func (r *run) diff() (*protocol.BlobRef, error) {
	var b bytes.Buffer
	shown := map[string]bool{} // files that were already shown, by their present paths
	for i := len(r.changes) - 1; i >= 0 && b.Len() < protocol.MaxDiffBytes; i-- {
		u := r.changes[i]
		if u.Span != nil {
			if err := r.diffSpan(&b, i, shown); err != nil {
				return nil, err
			}
			continue
		}
		if u.To != "" {
			fmt.Fprintf(&b, "%s: moved to %s\n", workspace.QuotePath(u.Path), workspace.QuotePath(u.To))
			continue
		}
		now := movedTo(u.Path, r.changes[:i])
		if shown[now] {
			continue
		}
		shown[now] = true
		if err := r.diffFile(&b, u, now); err != nil {
			return nil, err
		}
	}
	if b.Len() == 0 {
		return nil, nil
	}
	ref, err := r.blobs.StoreBlob(r.ctx, bytes.NewReader(b.Bytes()[:min(b.Len(), protocol.MaxDiffBytes)]),
		protocol.MaxDiffBytes)
	return &ref, err
}

// movedTo returns the present path of a file that was at path. later are the changes since then,
// newest first.
func movedTo(path string, later []protocol.Undo) string {
	for i := len(later) - 1; i >= 0; i-- {
		if rest, in := pathBelow(path, later[i].Path); in && later[i].To != "" {
			path = later[i].To + rest
		}
	}
	return path
}

// diffFile adds the difference between the state before a change and the present state.
func (r *run) diffFile(b *bytes.Buffer, u protocol.Undo, now string) error {
	before, err := r.contentBefore(u)
	if err != nil {
		return err
	}
	after, err := textdiff.ReadPresent(r.ws, now)
	if err != nil {
		return err
	}
	textdiff.Write(b, workspace.QuotePath(now), before, after)
	return nil
}

// contentBefore returns the content before a change.
func (r *run) contentBefore(u protocol.Undo) (textdiff.Content, error) {
	if u.Before == protocol.FileStateAbsent {
		return textdiff.Nothing, nil
	}
	size, err := r.keptSize(u)
	if err != nil && failedOutcome(err).Outcome == protocol.UndoOutcomeExpired {
		return textdiff.Describe("bytes that are not kept any more"), nil
	}
	if err != nil {
		return textdiff.Content{}, err
	}
	bytes, err := r.openBefore(u)
	if err != nil {
		return textdiff.Content{}, err
	}
	c, err := textdiff.Read(bytes, size)
	return c, errors.Join(err, bytes.Close())
}

// diffSpan adds the changes of a span: their number, some names, and some differences.
func (r *run) diffSpan(b *bytes.Buffer, at int, shown map[string]bool) error {
	if r.history == nil {
		fmt.Fprintf(b, "changes of many files: %v\n", errNoHistory)
		return nil
	}
	list, err := r.history.Differences(*r.changes[at].Span)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(b, "changes of many files: %v\n", errNotKept)
		return nil
	}
	if errors.Is(err, filehistory.ErrOtherHistory) {
		fmt.Fprintf(b, "changes of many files: %v\n", filehistory.ErrOtherHistory)
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "%s changed %s\n", authorOf(list), amount.Plural(len(list), "path", "paths"))
	named, compared := 0, 0
	for _, d := range list {
		now := movedTo(d.Path, r.changes[:at])
		isFile := d.Before.Size > 0 || d.After.Size > 0 || d.Before.State.IsHash() || d.After.State.IsHash()
		if isFile && compared < protocol.MaxNamedPaths && !shown[now] && b.Len() < protocol.MaxDiffBytes {
			compared++
			shown[now] = true
			if err := r.diffVersion(b, d.Before, now); err != nil {
				return err
			}
		} else if !isFile && named < protocol.MaxNamedPaths {
			named++
			fmt.Fprintf(b, "%s: %s before, %s then\n", workspace.QuotePath(d.Path), describeState(d.Before.State),
				describeState(d.After.State))
		}
	}
	if rest := len(list) - named - compared; rest > 0 {
		fmt.Fprintf(b, "and %s\n", amount.Plural(rest, "more path", "more paths"))
	}
	return nil
}

// describeState names the state of a path that is no file.
func describeState(state protocol.FileState) string {
	switch state {
	case protocol.FileStateAbsent:
		return "nothing"
	case protocol.FileStateFolder, protocol.FileStateLink:
		return "a " + string(state)
	}
	return "a special file"
}

// diffVersion adds the difference between a version and the present file.
func (r *run) diffVersion(b *bytes.Buffer, v protocol.FileVersion, now string) error {
	before, err := r.contentOf(v)
	if err != nil {
		return err
	}
	after, err := textdiff.ReadPresent(r.ws, now)
	if err != nil {
		return err
	}
	textdiff.Write(b, workspace.QuotePath(now), before, after)
	return nil
}

// contentOf returns the content of a version.
func (r *run) contentOf(v protocol.FileVersion) (textdiff.Content, error) {
	switch {
	case v.NotKept != "":
		return textdiff.Describe(amount.FormatBytes(v.Size) + " that are not kept"), nil
	case !v.State.IsHash():
		if v.State == protocol.FileStateAbsent {
			return textdiff.Nothing, nil
		}
		return textdiff.Describe(describeState(v.State)), nil
	}
	return r.contentBefore(protocol.Undo{Before: v.State, Kept: true})
}

// authorOf tells who made the changes of a span.
func authorOf(list []filehistory.Difference) string {
	if len(list) == 0 {
		return "a program"
	}
	switch list[0].After.By.Kind {
	case protocol.HistoryAuthorProgram:
		return "a program"
	case protocol.HistoryAuthorUndo:
		return "an undo"
	}
	return "a restore" // no other tool has a span
}
