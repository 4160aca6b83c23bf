package modeltest

import (
	"time"
	"unicode/utf8"
)

// Answer is the model's answer to one request. The zero value is an empty answer.
type Answer struct {
	Text string
	// thinking sent if the request lets the model think; if it begins with Redacted, it is sent
	// encrypted
	Thinking string
	Calls    []Call // Args may be invalid JSON, and Name a tool that was not offered

	// bytes of text or arguments in one delta, never splitting a character; 0 means one delta for
	// everything
	Chunk  int
	Delay  time.Duration // wait before each delta
	Stop   Stop          // "" means StopEnd or StopTools, whichever fits
	Finish string        // the literal finish_reason or stop_reason, instead of Stop
	Usage  *Usage        // nil means that the server counts, with the cache

	Status   int      // a refusal with this status, Error and Code; 0 and 200 mean no refusal
	Error    string   // error text; with Status 0 or 200, an error object in the stream after the deltas
	Code     string   // error code of OpenAI's format
	Retry    int      // seconds of a refusal's Retry-After; 0 leaves it out
	Fail     *Failure // a failure as the real servers send it, in the format of the request
	CutAfter int      // bytes of the body after which the connection breaks; 0 means never
	// after CutAfter bytes, or from the start, the server is silent until the client goes
	Hang bool
}

// Stop is the reason why the model stopped, in any format.
type Stop string

const (
	StopEnd    Stop = "end"
	StopTools  Stop = "tools"
	StopLength Stop = "length"
	StopFilter Stop = "filter"
	StopRefuse Stop = "refuse" // the model declines, and its text says so
)

// finishes has each format's word for each Stop.
var finishes = map[Format]map[Stop]string{
	OpenAI: {StopEnd: "stop", StopTools: "tool_calls", StopLength: "length", StopFilter: "content_filter", StopRefuse: "stop"},
	Anthropic: {StopEnd: "end_turn", StopTools: "tool_use", StopLength: "max_tokens", StopFilter: "refusal",
		StopRefuse: "refusal"},
}

func (a Answer) finish(f Format) string {
	switch {
	case a.Finish != "":
		return a.Finish
	case a.Stop != "":
		return finishes[f][a.Stop]
	case len(a.Calls) > 0:
		return finishes[f][StopTools]
	}
	return finishes[f][StopEnd]
}

// Usage is the cost of an answer in tokens.
type Usage struct {
	Prompt     int64 // all tokens of the prompt
	Completion int64 // all tokens of the answer, thinking included
	Cached     int64 // tokens of Prompt that were read from the cache
	Written    int64 // tokens of Prompt that were written to the cache, in Anthropic's format
	Thought    int64 // tokens of Completion that are thinking
}

// pieces splits text between characters into parts of about size bytes.
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
