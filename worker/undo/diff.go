package undo

import (
	"bytes"
	"errors"
	"fmt"

	"mews/protocol"
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
