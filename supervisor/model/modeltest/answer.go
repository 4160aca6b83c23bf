package modeltest

import (
	"time"
	"unicode/utf8"
)

// Answer is what the model says to one request. The zero value is an empty answer.
type Answer struct {
	Text string
	// where the request lets the model think; one that begins with Redacted is sent encrypted
	Thinking string
	Calls    []Call // Args may be no JSON, and Name no tool that was offered

	// bytes of text or arguments in one delta, never within a character; 0 for all in one
	Chunk  int
	Delay  time.Duration // before each delta
	Stop   Stop          // "" is StopEnd or StopTools, as it fits
	Finish string        // finish_reason or stop_reason as it stands, instead of Stop
	Usage  *Usage        // nil: counted, with what the cache had

	Status   int      // a refusal with this status, Error and Code; 0 and 200 for none
	Error    string   // with Status 0 or 200: an error object in the stream, after the deltas
	Code     string   // of OpenAI's format
	Retry    int      // seconds of a refusal's Retry-After; 0 for none
	Fail     *Failure // a failure as the real servers send it, in the format of the request
	CutAfter int      // bytes of the body after which the connection is broken; 0 for never
	// after CutAfter bytes, or from the start, nothing more comes until the client goes
	Hang bool
}

// Stop is why the model stopped, in any format.
type Stop string

const (
	StopEnd    Stop = "end"
	StopTools  Stop = "tools"
	StopLength Stop = "length"
	StopFilter Stop = "filter"
	StopRefuse Stop = "refuse" // the model declines, and its text says so
)

// finishes are the formats' words for each Stop.
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

// Usage is what an answer cost, in tokens.
type Usage struct {
	Prompt     int64 // all of it
	Completion int64 // all of it, thinking included
	Cached     int64 // of Prompt: read from the cache
	Written    int64 // of Prompt: written to the cache, in Anthropic's format
	Thought    int64 // of Completion
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
