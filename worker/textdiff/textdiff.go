// Package textdiff writes the difference between two contents of a file, in the form of diff -u.
package textdiff

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

// Content is one side of a difference.
type Content struct {
	Text []byte
	// Opaque means that the content is no text, or too large to be shown. Only Note is shown then.
	Opaque bool
	Note   string // a few words, such as the size
}

// Nothing is the content of a file that does not exist.
var Nothing = Content{Note: "nothing"}

// Describe returns a content that is shown only as a note.
func Describe(note string) Content { return Content{Opaque: true, Note: note} }

// Read reads the content of a file of that many bytes.
func Read(from io.Reader, size int64) (c Content, err error) {
	c = Content{Note: amount.FormatBytes(size), Opaque: size > protocol.MaxComparedBytes}
	if c.Opaque {
		return c, nil
	}
	c.Text, err = io.ReadAll(io.LimitReader(from, protocol.MaxComparedBytes))
	c.Opaque = !utf8.Valid(c.Text) || bytes.IndexByte(c.Text, 0) >= 0
	return c, err
}

// ReadPresent reads the present content of a clean path. It follows no link.
func ReadPresent(ws *workspace.Workspace, path string) (Content, error) {
	state, info, err := ws.PathState(path)
	switch {
	case err != nil:
		return Describe("something that can't be read"), nil
	case state == protocol.FileStateAbsent:
		return Nothing, nil
	case info == nil || !info.Mode().IsRegular():
		return Describe("a folder or a link"), nil
	}
	f, err := ws.OpenRegularFile(path)
	if err != nil {
		return Content{}, err
	}
	c, err := Read(f, info.Size())
	return c, errors.Join(err, f.Close())
}

// Write adds the difference between two contents of a file to b. Equal contents add nothing, unless
// they are opaque.
func Write(b *bytes.Buffer, name string, before, after Content) {
	if before.Opaque || after.Opaque {
		fmt.Fprintf(b, "%s: %s before, %s now\n", name, before.Note, after.Note)
		return
	}
	b.Write(diff.Diff("before/"+name, before.Text, "now/"+name, after.Text))
}
