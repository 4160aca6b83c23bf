// Package todo has the tools and the operation for the to-do list in the home.
package todo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"
	"unicode/utf8"

	"mews/protocol"
	"mews/worker/todo"
	"mews/worker/workspace"
)

// maxFileBytes bounds the size of a list.
const maxFileBytes = 4 << 20

// maxTries is how often an edit is made anew because another program has saved the file.
const maxTries = 20

// List is the to-do list of a home. Its methods may be called from any goroutine.
type List struct {
	files *workspace.Workspace
	zone  *time.Location
	now   func() time.Time

	mu sync.Mutex // held while the file is changed
}

// NewList returns the list of a home, which the caller closes later. Times are in zone.
func NewList(files *workspace.Workspace, now func() time.Time, zone *time.Location) *List {
	return &List{files: files, now: now, zone: zone}
}

// Read reads the list. A missing file is an empty list.
func (l *List) Read() (*todo.File, error) {
	text, err := l.read()
	return todo.Parse(string(text)), err
}

// read returns the bytes of the file; nil means that there is no file.
func (l *List) read() ([]byte, error) {
	f, err := l.files.Open(todo.FileName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", todo.FileName, err)
	case len(text) > maxFileBytes:
		return nil, fmt.Errorf("%s has more than 4 MiB; move old to-dos into another file", todo.FileName)
	case text == nil:
		text = []byte{}
	}
	return text, nil
}

// edit changes the list by the function do. If another program saves the file meanwhile, do runs
// again on the new content. The function keep stores the file before the change; nil wants no undo.
// The undo is nil if nothing has changed.
func (l *List) edit(ctx context.Context, keep workspace.BackupFunc, do func(*todo.File) error) (undo *protocol.Undo,
	changed bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range maxTries {
		old, err := l.read()
		if err != nil {
			return nil, false, err
		}
		if !utf8.Valid(old) || bytes.IndexByte(old, 0) >= 0 {
			return nil, false, fmt.Errorf("%s is not text in UTF-8; save it as UTF-8 first", todo.FileName)
		}
		f := todo.Parse(string(old))
		if err := do(f); err != nil {
			return nil, false, err
		}
		text := []byte(f.String())
		if bytes.Equal(text, old) {
			return nil, false, nil
		}
		undo = l.files.RecordBeforeWrite(ctx, keep, todo.FileName, text)
		err = l.files.ReplaceUnchanged(todo.FileName, old, text)
		if errors.Is(err, workspace.ErrChanged) && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		return l.files.RecordAfterWrite(undo), true, nil
	}
	return nil, false, fmt.Errorf("write %s: %w", todo.FileName, workspace.ErrChanged)
}
