package calendar

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/calendar"
	"mews/worker/parse"
	"mews/worker/workspace"
)

// OperationOptions are the dependencies of an operation.
type OperationOptions struct {
	Programs parse.Programs // run the parser of foreign calendars; nil means that none can be read
	Blobs    Blobs
	Copies   BlobReader           // reads the copies of subscribed calendars
	Keep     workspace.BackupFunc // stores the calendar before an import; nil stores nothing
}

// Blobs stores the bytes of a file to be sent.
type Blobs interface {
	StoreBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)
}

// RunOperation runs an operation of kind protocol.OperationKindCalendar.
func (h *Home) RunOperation(ctx context.Context, p protocol.CalendarParameters, o OperationOptions) (
	r protocol.CalendarResult, err error) {
	switch p.Action {
	case protocol.CalendarActionList:
		err = h.listDays(ctx, p, o, &r)
	case protocol.CalendarActionPreview, protocol.CalendarActionImport:
		r.Import, err = h.importFile(ctx, p, o)
	case protocol.CalendarActionSend:
		r.Blob, err = h.send(ctx, p.ID, o.Blobs)
	default:
		return r, fmt.Errorf("there is no action %.20q", p.Action)
	}
	if err != nil && ctx.Err() == nil {
		return protocol.CalendarResult{Refused: cut(err.Error(), 2000)}, nil
	}
	return r, err
}

func cut(text string, most int) string {
	return worker.TrimPartialRune(text[:min(len(text), most)])
}

// listDays lists the events of some days for the user.
func (h *Home) listDays(ctx context.Context, p protocol.CalendarParameters, o OperationOptions,
	r *protocol.CalendarResult) error {
	from, to, err := h.days(p.From, p.To, 1)
	if err != nil {
		return err
	}
	c, err := h.Read()
	if err != nil {
		return err
	}
	others, err := h.ReadSubscribed(ctx, p.Subscribed, o.Copies, o.Programs)
	if err != nil {
		return err
	}
	found := calendar.Between(others.with(c), from, to)
	for _, o := range found.List {
		if len(r.Events) == protocol.MaxCalendarEvents {
			r.More++
			continue
		}
		day := max(o.Day(h.Zone), from.Format(time.DateOnly))
		title := o.Title()
		if o.Cancelled() {
			title += textCancelled
		}
		id := ""
		if o.Calendar == "" {
			id = cut(o.ID(), 40)
		}
		r.Events = append(r.Events, protocol.CalendarEvent{ID: id, Calendar: o.Calendar, Day: day,
			When: cut(o.OnDay(h.Zone), protocol.MaxCalendarTitle), Title: cut(title, protocol.MaxCalendarTitle),
			Location: cut(o.Location(), protocol.MaxCalendarTitle), Foreign: o.Foreign()})
	}
	all := slices.Concat(h.overlaps(found.List), others.Notes, warnings(found))
	for _, w := range all[:min(len(all), protocol.MaxCalendarWarnings)] {
		r.Warnings = append(r.Warnings, cut(w, 2000))
	}
	return nil
}

// importFile adds the events of a foreign calendar, or tells what that would do. A process of its
// own reads the file.
func (h *Home) importFile(ctx context.Context, p protocol.CalendarParameters, o OperationOptions) (
	*protocol.CalendarImport, error) {
	clean, err := h.clean(ctx, p.Path, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", workspace.QuotePath(p.Path), err)
	}
	sum := sha256.Sum256([]byte(clean))
	digest := hex.EncodeToString(sum[:6])
	var done calendar.Imported
	add := func(c *calendar.Calendar) (err error) {
		done, err = c.Import(clean)
		return err
	}
	if p.Action == protocol.CalendarActionPreview {
		c, err := h.Read()
		if err == nil {
			err = add(c)
		}
		if err != nil {
			return nil, err
		}
	} else {
		if p.Digest != digest {
			return nil, errors.New(textOtherFile)
		}
		if _, _, err := h.change(ctx, o.Keep, add); err != nil {
			return nil, err
		}
	}
	r := &protocol.CalendarImport{Added: done.Added, Changed: done.Changed, Cancelled: done.Cancelled, Known: done.Same,
		Digest: digest}
	for _, title := range done.Titles {
		r.Titles = append(r.Titles, cut(title, protocol.MaxCalendarTitle))
	}
	return r, nil
}

// clean returns the events of a foreign calendar in plain lines.
func (h *Home) clean(ctx context.Context, path string, o OperationOptions) (string, error) {
	if o.Programs == nil {
		return "", errors.New(textNoParsers)
	}
	f, err := h.Files.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	return parseForeign(ctx, o.Programs, f)
}

// send stores an event as an .ics file.
func (h *Home) send(ctx context.Context, id string, blobs Blobs) (*protocol.BlobRef, error) {
	c, err := h.Read()
	if err != nil {
		return nil, err
	}
	uid, _, known := c.FindID(id)
	if !known {
		return nil, fmt.Errorf(textNoEvent, id)
	}
	ref, err := blobs.StoreBlob(ctx, strings.NewReader(c.Export([]string{uid})), protocol.MaxCalendarBlob)
	return &ref, err
}
