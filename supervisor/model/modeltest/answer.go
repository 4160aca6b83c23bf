package modeltest

import (
	"time"
	"unicode/utf8"
)

// Answer is the model's answer to one request. The zero value is an empty answer.
type Answer struct {
	Text string
	// the model's thinking; it is sent only if the request allows thinking, and as encrypted if it
	// begins with RedactedThinkingPrefix
	Thinking string
	Calls    []Call // tool calls, perhaps with invalid arguments, or of a tool that was not offered

	// bytes of text or arguments in one delta; 0 means everything in one delta. Characters are
	// never split
	Chunk  int
	Delay  time.Duration // wait before each delta
	Stop   StopReason    // why the model stops; "" means StopReasonTools if there are calls, otherwise StopReasonEnd
	Finish string        // finish_reason or stop_reason to send unchanged, in place of Stop
	Usage  *AnswerUsage  // nil means that the server itself counts the tokens, including its cache

	Status   int      // HTTP status of a refusal, which also has Error and Code; 0 and 200 mean no refusal
	Error    string   // text of the error; without Status it is sent in the stream, after the deltas
	Code     string   // error code of OpenAI's format
	Retry    int      // seconds in the refusal's header Retry-After; 0 means no header
	Fail     *Failure // a failure like that of a real server, in the request's format
	CutAfter int      // the connection breaks after so many bytes of the body; 0 means never
	// the server falls silent after CutAfter bytes, or at once, until the client leaves
	Hang bool
}

// StopReason is the reason why a model stops.
type StopReason string

const (
	StopReasonEnd     StopReason = "end"
	StopReasonTools   StopReason = "tools"
	StopReasonLength  StopReason = "length"
	StopReasonFilter  StopReason = "filter"
	StopReasonRefusal StopReason = "refuse" // the model declines, and its text says so
)

// finishes has the word for each StopReason, in each APIFormat.
var finishes = map[APIFormat]map[StopReason]string{
	FormatOpenAI: {StopReasonEnd: "stop", StopReasonTools: "tool_calls", StopReasonLength: "length",
		StopReasonFilter: "content_filter", StopReasonRefusal: "stop"},
	FormatAnthropic: {StopReasonEnd: "end_turn", StopReasonTools: "tool_use", StopReasonLength: "max_tokens",
		StopReasonFilter: "refusal", StopReasonRefusal: "refusal"},
}

func (a Answer) finish(f APIFormat) string {
	switch {
	case a.Finish != "":
		return a.Finish
	case a.Stop != "":
		return finishes[f][a.Stop]
	case len(a.Calls) > 0:
		return finishes[f][StopReasonTools]
	}
	return finishes[f][StopReasonEnd]
}

// AnswerUsage has the token counts of an answer.
type AnswerUsage struct {
	Prompt     int64 // all input tokens
	Completion int64 // all output tokens, including thinking
	Cached     int64 // input tokens that were read from the cache
	Written    int64 // input tokens that were written to the cache, in Anthropic's format
	Thought    int64 // output tokens that are thinking
}

// pieces splits a text into parts of about size bytes, without splitting a character.
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
