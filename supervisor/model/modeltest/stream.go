package modeltest

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// stream writes the body of a response. It breaks the connection after as many bytes as the script
// says.
type stream struct {
	w     http.ResponseWriter
	r     *http.Request
	cut   bool // whether the connection breaks after the number of bytes in left
	left  int  // number of bytes until the connection breaks
	hang  bool // whether the server falls silent instead of breaking the connection
	delay time.Duration
}

// newStream sends the headers of a response with events or with one JSON object.
func newStream(w http.ResponseWriter, r *http.Request, a Answer, events bool) *stream {
	kind := "application/json"
	if events {
		kind = "text/event-stream; charset=utf-8"
		w.Header().Set("Cache-Control", "no-cache")
	}
	w.Header().Set("Content-Type", kind)
	return &stream{w: w, r: r, left: a.CutAfter, cut: a.CutAfter > 0, hang: a.Hang, delay: a.Delay}
}

// data writes an event without a name.
func (s *stream) data(v any) { s.line("data: " + string(mustJSON(v)) + "\n\n") }

// event writes an event in Anthropic's format. Its name is its type.
func (s *stream) event(kind string, v map[string]any) {
	v["type"] = kind
	s.line("event: " + kind + "\ndata: " + string(mustJSON(v)) + "\n\n")
}

// line writes and flushes a text. It ends the request if the client has left or the connection must
// break.
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

// pause waits for the script's delay. It ends the request if the client leaves.
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
