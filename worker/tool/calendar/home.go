package calendar

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"time"

	"mews/protocol"
	"mews/worker/calendar"
	"mews/worker/workspace"
)

// FileName is the user's calendar in the home.
const FileName = "calendar.ics"

// Home is the calendar in a user's home. Its methods may be called from any goroutine.
type Home struct {
	Files *workspace.Workspace
	Zone  *time.Location // the reader's zone
	Now   func() time.Time

	mu     sync.Mutex // held while the file is changed
	copies copies
}

// Read reads the calendar. A missing file is an empty calendar.
func (h *Home) Read() (*calendar.Calendar, error) {
	text, err := h.text()
	if err != nil {
		return nil, err
	}
	return h.parse(text)
}

func (h *Home) parse(text []byte) (*calendar.Calendar, error) {
	f, err := calendar.Parse(string(text))
	if err != nil {
		return nil, err
	}
	return calendar.New(f, h.Zone), nil
}

func (h *Home) text() ([]byte, error) {
	f, err := h.Files.Open(FileName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	return io.ReadAll(io.LimitReader(f, calendar.MaxFileBytes+1))
}

// maxTries is how often a change is made again because another program saves the file meanwhile.
const maxTries = 10

// change changes the calendar by the function edit. If another program saves the file meanwhile,
// the change is made again in the new file. It returns the calendar after the change.
func (h *Home) change(ctx context.Context, keep workspace.BackupFunc, edit func(*calendar.Calendar) error) (
	c *calendar.Calendar, undo *protocol.Undo, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for range maxTries {
		before, err := h.text()
		if err != nil {
			return nil, nil, err
		}
		if c, err = h.parse(before); err != nil {
			return nil, nil, err
		}
		if err := edit(c); err != nil {
			return nil, nil, err
		}
		after := []byte(c.File.String())
		if bytes.Equal(before, after) {
			return c, nil, nil
		}
		undo = h.Files.RecordBeforeWrite(ctx, keep, FileName, after)
		if now, err := h.text(); err != nil || !bytes.Equal(now, before) {
			continue
		}
		if _, err := h.Files.WriteFile(FileName, after, workspace.ModeReplace); err != nil {
			return nil, nil, err
		}
		c, err = h.parse(after)
		return c, h.Files.RecordAfterWrite(undo), err
	}
	return nil, nil, errBusy
}

var errBusy = errors.New(FileName + " is being saved by another program again and again; try later")
