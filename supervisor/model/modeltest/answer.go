package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// Answer is what the model says to one request. The zero value is an empty answer.
type Answer struct {
	Text  string
	Calls []Call

	Chunk  int           // bytes of text or arguments in one delta, never within a character; 0 for all in one
	Delay  time.Duration // before each delta
	Finish string        // finish_reason; "" is stop or tool_calls, as it fits
	Usage  *Usage        // nil: estimated from the lengths

	Status   int    // other than 0 and 200: a refusal with this status, Error and Code
	Error    string // with Status 0 or 200: an error object in the stream, after the deltas and instead of their end
	Code     string
	Retry    int  // seconds of a refusal's Retry-After; 0 for none
	CutAfter int  // bytes of the stream after which the connection is broken; 0 for never
	Hang     bool // nothing more comes, after CutAfter bytes or from the start, until the client goes
}

// Usage is what an answer cost, in tokens.
type Usage struct {
	Prompt, Completion, Cached int64
}

// serve writes the answer.
func (a Answer) serve(w http.ResponseWriter, r *http.Request, req Request) {
	if a.Hang && a.CutAfter == 0 {
		<-r.Context().Done()
		return
	}
	if a.Status != 0 && a.Status != http.StatusOK {
		if a.Retry > 0 {
			w.Header().Set("Retry-After", fmt.Sprint(a.Retry))
		}
		refuse(w, &refusal{a.Status, a.Code, a.Error})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	out := &stream{w: w, r: r, model: req.Model, left: a.CutAfter, cut: a.CutAfter > 0, hang: a.Hang}
	a.write(out, req)
}

// write sends the stream's events: the role, the deltas, the finish reason, the usage, [DONE].
func (a Answer) write(out *stream, req Request) {
	out.delta(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, piece := range pieces(a.Text, a.Chunk) {
		out.pause(a.Delay)
		out.delta(map[string]any{"content": piece}, nil)
	}
	for i, c := range a.Calls {
		a.writeCall(out, i, c)
	}
	if a.Error != "" {
		out.event((&refusal{http.StatusInternalServerError, a.Code, a.Error}).object())
		return
	}
	out.delta(map[string]any{}, a.finish())
	out.chunk([]any{}, a.usage(req))
	out.line("data: [DONE]\n\n")
}

func (a Answer) writeCall(out *stream, i int, c Call) {
	if c.ID == "" {
		c.ID = fmt.Sprintf("call_%d", i+1)
	}
	head := map[string]any{"index": i, "id": c.ID, "type": "function",
		"function": map[string]any{"name": c.Name, "arguments": ""}}
	out.delta(map[string]any{"tool_calls": []any{head}}, nil)
	for _, piece := range pieces(c.Args, a.Chunk) {
		out.pause(a.Delay)
		more := map[string]any{"index": i, "function": map[string]any{"arguments": piece}}
		out.delta(map[string]any{"tool_calls": []any{more}}, nil)
	}
}

func (a Answer) finish() string {
	switch {
	case a.Finish != "":
		return a.Finish
	case len(a.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// usage is as given, or about one token for four bytes.
func (a Answer) usage(req Request) any {
	u := a.Usage
	if u == nil {
		u = &Usage{Prompt: int64(len(req.System)) / 4, Completion: int64(len(a.Text)) / 4}
		for _, m := range req.Messages {
			u.Prompt += int64(len(m.Content)) / 4
		}
	}
	return map[string]any{
		"prompt_tokens": u.Prompt, "completion_tokens": u.Completion, "total_tokens": u.Prompt + u.Completion,
		"prompt_tokens_details": map[string]any{"cached_tokens": u.Cached},
	}
}

// pieces cuts text into parts of about size bytes between characters.
func pieces(text string, size int) []string {
	var out []string
	for size > 0 && len(text) > size {
		end := size
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		out, text = append(out, text[:end]), text[end:]
	}
	if text != "" {
		out = append(out, text)
	}
	return out
}

// stream writes events and breaks off where it was told to.
type stream struct {
	w     http.ResponseWriter
	r     *http.Request
	model string
	cut   bool // left counts
	left  int  // bytes until the break
	hang  bool // the break is silence
}

func (s *stream) delta(delta map[string]any, finish any) {
	s.chunk([]any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}, nil)
}

func (s *stream) chunk(choices []any, usage any) {
	s.event(map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": s.model,
		"choices": choices, "usage": usage})
}

func (s *stream) event(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of strings and numbers
	}
	s.line("data: " + string(data) + "\n\n")
}

// line writes and flushes. A client that has gone, or a cut, ends the request where it stands.
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

// pause waits, or ends the request when the client has gone.
func (s *stream) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-s.r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}
