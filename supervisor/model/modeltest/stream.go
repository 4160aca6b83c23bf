package modeltest

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// stream writes a body, and breaks off at the byte that the script names.
type stream struct {
	w     http.ResponseWriter
	r     *http.Request
	cut   bool // left is in use
	left  int  // bytes until the break
	hang  bool // the stream falls silent instead of breaking
	delay time.Duration
}

// newStream sets the headers of the answer, for events or for one object.
func newStream(w http.ResponseWriter, r *http.Request, a Answer, events bool) *stream {
	kind := "application/json"
	if events {
		kind = "text/event-stream; charset=utf-8"
		w.Header().Set("Cache-Control", "no-cache")
	}
	w.Header().Set("Content-Type", kind)
	return &stream{w: w, r: r, left: a.CutAfter, cut: a.CutAfter > 0, hang: a.Hang, delay: a.Delay}
}

// data writes an event that has no name.
func (s *stream) data(v any) { s.line("data: " + string(mustJSON(v)) + "\n\n") }

// event writes an event of Anthropic's API, whose name is its type.
func (s *stream) event(kind string, v map[string]any) {
	v["type"] = kind
	s.line("event: " + kind + "\ndata: " + string(mustJSON(v)) + "\n\n")
}

// line writes and flushes. It ends the request if the client has gone or the stream must break off.
func (s *stream) line(text string) {
	short := s.cut && len(text) > s.left
	if short {
		text = text[:s.left]
	}
	s.left -= len(text)
	if _, err := io.Copy(s.w, strings.NewReader(text)); err != nil {
		panic(http.ErrAbortHandler)
	}
	if err := http.NewResponseController(s.w).Flush(); err != nil {
		panic(http.ErrAbortHandler)
	}
	if !short {
		return
	}
	if s.hang {
		<-s.r.Context().Done()
	}
	panic(http.ErrAbortHandler)
}

// pause waits for the delay. It ends the request if the client goes.
func (s *stream) pause() {
	if s.delay <= 0 {
		return
	}
	select {
	case <-time.After(s.delay):
	case <-s.r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}
