package undo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker/workspace"
)

// maxDiffed is the size in bytes beyond which a text is shown only by its size, like a binary file.
const maxDiffed = 1 << 20

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

// content is one side of a difference.
type content struct {
	text  []byte
	large bool // whether the content is too large to show, so that only its size is shown
	note  string
}

// diffFile adds the difference between the state before a change and the present state.
func (r *run) diffFile(b *bytes.Buffer, u protocol.Undo, now string) error {
	before, err := r.contentBefore(u)
	if err != nil {
		return err
	}
	after, err := r.contentNow(now)
	if err != nil {
		return err
	}
	name := workspace.QuotePath(now)
	if before.large || after.large {
		fmt.Fprintf(b, "%s: %s before, %s now\n", name, before.note, after.note)
		return nil
	}
	b.Write(diff.Diff("before/"+name, before.text, "now/"+name, after.text))
	return nil
}

// contentBefore returns the content before a change.
func (r *run) contentBefore(u protocol.Undo) (content, error) {
	if u.Before == protocol.FileStateAbsent {
		return content{note: "nothing"}, nil
	}
	size, err := r.keptSize(u)
	if err != nil && failedOutcome(err).Outcome == protocol.UndoOutcomeExpired {
		return content{large: true, note: "bytes that are not kept any more"}, nil
	}
	if err != nil {
		return content{}, err
	}
	bytes, err := r.openBefore(u)
	if err != nil {
		return content{}, err
	}
	c, err := read(bytes, size)
	return c, errors.Join(err, bytes.Close())
}

// contentNow returns the present content of a path.
func (r *run) contentNow(path string) (content, error) {
	state, info, err := r.ws.PathState(path)
	switch {
	case err != nil:
		return content{large: true, note: "something that can't be read"}, nil
	case state == protocol.FileStateAbsent:
		return content{note: "nothing"}, nil
	case info == nil || !info.Mode().IsRegular():
		return content{large: true, note: "a folder or a link"}, nil
	}
	f, err := r.ws.OpenRegularFile(path)
	if err != nil {
		return content{}, err
	}
	c, err := read(f, info.Size())
	return c, errors.Join(err, f.Close())
}

func read(from io.Reader, size int64) (content, error) {
	c := content{note: amount.FormatBytes(size)}
	if size > maxDiffed {
		c.large = true
		return c, nil
	}
	var err error
	c.text, err = io.ReadAll(io.LimitReader(from, maxDiffed))
	c.large = !utf8.Valid(c.text) || bytes.IndexByte(c.text, 0) >= 0
	return c, err
}
