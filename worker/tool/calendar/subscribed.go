package calendar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"mews/protocol"
	"mews/worker/calendar"
	"mews/worker/host"
	"mews/worker/parse"
)

// Host makes the calls of a turn, and reads blobs.
type Host interface {
	host.Caller
	BlobReader
}

// BlobReader reads the copies of subscribed calendars.
type BlobReader interface {
	ReadWholeBlob(ctx context.Context, ref protocol.BlobRef) ([]byte, error)
}

// Subscribed are subscribed calendars, and sentences about those that are old or can't be read.
type Subscribed struct {
	Calendars []*calendar.Calendar
	Notes     []string
}

// with returns the user's own calendar and the subscribed ones.
func (s Subscribed) with(own *calendar.Calendar) []*calendar.Calendar {
	return append([]*calendar.Calendar{own}, s.Calendars...)
}

// copies keeps the clean texts of subscribed calendars, so that each is parsed once. The zero value
// is empty.
type copies struct {
	mu    sync.Mutex // guards the following field
	texts map[string]string
}

// Bounds of the kept texts.
const (
	maxCopies    = 12
	maxCopyBytes = 4 << 20 // bytes of one text
)

func (c *copies) find(sha256 string) (text string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, ok = c.texts[sha256]
	return text, ok
}

// put keeps a text. The texts that were kept before are dropped if there are too many.
func (c *copies) put(sha256, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(text) > maxCopyBytes {
		return
	}
	if c.texts == nil || len(c.texts) >= maxCopies {
		c.texts = map[string]string{}
	}
	c.texts[sha256] = text
}

// ReadSubscribed reads subscribed calendars. A process of its own parses each. One that can't be read
// becomes a note. The only error is the cause of ctx.
func (h *Home) ReadSubscribed(ctx context.Context, list []protocol.SubscribedCalendar, blobs BlobReader,
	programs parse.Programs) (s Subscribed, err error) {
	for _, one := range list {
		if one.Note != "" {
			s.Notes = append(s.Notes, one.Note)
		}
		if one.Body == nil {
			continue
		}
		text, err := h.cleanCopy(ctx, *one.Body, blobs, programs)
		if ctx.Err() != nil {
			return s, context.Cause(ctx)
		}
		var f *calendar.File
		if err == nil {
			f, err = calendar.Parse(text)
		}
		if err != nil {
			s.Notes = append(s.Notes, fmt.Sprintf(textNotRead, one.Name, err))
			continue
		}
		c := calendar.New(f, h.Zone)
		c.Name = one.Name
		s.Calendars = append(s.Calendars, c)
	}
	return s, nil
}

// cleanCopy returns the events of a copy in plain lines.
func (h *Home) cleanCopy(ctx context.Context, ref protocol.BlobRef, blobs BlobReader, programs parse.Programs) (
	text string, err error) {
	if text, ok := h.copies.find(ref.SHA256); ok {
		return text, nil
	}
	if programs == nil {
		return "", errors.New(textNoParsers)
	}
	if ref.Size > parse.MaxOutput {
		return "", parse.NewFailure(parse.ReasonTooMuchContent)
	}
	body, err := blobs.ReadWholeBlob(ctx, ref)
	if err != nil {
		return "", host.ExplainRefusal(err)
	}
	text, err = parseForeign(ctx, programs, bytes.NewReader(body))
	if failed := new(parse.Failure); errors.As(err, &failed) && failed.Reason == parse.ReasonNoText {
		err = nil // it has no events
	}
	if err == nil {
		h.copies.put(ref.SHA256, text)
	}
	return text, err
}

// parseForeign returns the events of a calendar from outside in plain lines.
func parseForeign(ctx context.Context, programs parse.Programs, file io.Reader) (string, error) {
	var body bytes.Buffer
	err := parse.RunParser(ctx, programs, parse.KindCalendar, file, func(parse.Header) (io.Writer, error) {
		return &body, nil
	})
	return body.String(), err
}

// turnTools are the tools of one turn.
type turnTools struct {
	*Home
	turn     Host
	programs parse.Programs // nil means that no foreign calendar can be read
	asked    atomic.Int64
}

// subscribed asks the supervisor for the subscribed calendars, and reads them.
func (t *turnTools) subscribed(ctx context.Context, call string) (s Subscribed, err error) {
	if t.asked.Add(1) > protocol.MaxCalendarCalls { // for one more call the supervisor would end this worker
		return Subscribed{Notes: []string{fmt.Sprintf(textAskedOften, protocol.MaxCalendarCalls)}}, nil
	}
	r, err := host.CallMethod[protocol.CalendarSubscribedResult](ctx, t.turn, protocol.MethodCalendarSubscribed,
		protocol.CalendarSubscribedParams{Call: call})
	if refused := new(protocol.Error); errors.As(err, &refused) && refused.Code != protocol.CodeWaitsForUser {
		return Subscribed{Notes: []string{fmt.Sprintf(textNotAsked, refused.Message)}}, nil
	}
	if err != nil {
		return s, err
	}
	return t.ReadSubscribed(ctx, r.Calendars, t.turn, t.programs)
}

// maxOverlaps is the most overlaps of own and subscribed events that a list names.
const maxOverlaps = 5

// overlaps names the own events at the same time as a subscribed one.
func (h *Home) overlaps(list []calendar.Occurrence) (texts []string) {
	for _, pair := range calendar.Overlaps(list, maxOverlaps) {
		texts = append(texts, fmt.Sprintf(textOverlap, pair.Ours.Day(h.Zone), pair.Ours.Title(),
			pair.Other.Title(), pair.Other.Calendar))
	}
	return texts
}
