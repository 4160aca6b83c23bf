// Package offline is the model that is always there: a table of rules for everyday requests in English, with no network
// behind it. It speaks the same interface as every other provider, knows the tools by their names and arguments alone,
// and says plainly what it is whenever a request is beyond its rules.
//
// An answer is a pure function of the request. Nothing is kept between calls: a question that was asked back, the file
// that "it" stands for and the progress of a turn are all read from the transcript. A call's way:
//
//	transcript.go   what was said and done: the message to answer, the calls that this turn has made
//	understand.go   that message as commands: clauses, courtesies, answers to a question asked back
//	phrase.go       the small language in which phrases are written; match.go tries them, slot.go has their slots
//	book.go         the table of intents, by family in talk.go, look.go, find.go, read.go, change.go, notes.go, cannot.go
//	run.go          the commands played through, each tool call either remembered or asked for
//	tell.go         how results are told
package offline

import (
	"context"
	"strings"
	"sync"
	"unicode"

	"mews/protocol"
	"mews/supervisor"
)

// Name is the model's name in answers.
const Name = "offline"

// Provider is the offline model. It may be used from several goroutines at once.
type Provider struct {
	book func() *book // made at the first call: nobody pays for the rules who never asks them
}

var _ supervisor.ModelProvider = (*Provider)(nil)

// New makes the offline model.
func New() *Provider {
	return &Provider{book: sync.OnceValue(newBook)}
}

// Stream answers req. It emits its text word by word and does not wait between words; it fails only when ctx ends.
func (p *Provider) Stream(
	ctx context.Context, req supervisor.ModelRequest, delta func(supervisor.ModelDelta),
) (supervisor.ModelAnswer, error) {
	if ctx.Err() != nil {
		return supervisor.ModelAnswer{}, context.Cause(ctx)
	}
	message := p.book().answer(req)
	for text := message.Text(); text != ""; {
		if ctx.Err() != nil {
			return supervisor.ModelAnswer{}, context.Cause(ctx)
		}
		end := wordEnd(text)
		delta(supervisor.ModelDelta{Text: text[:end]})
		text = text[end:]
	}
	return supervisor.ModelAnswer{Message: message, Model: Name, Usage: estimate(req, message)}, nil
}

// wordEnd is the length of text's first word with the white space before and after it: more than 0 unless text is "".
func wordEnd(text string) int {
	word := strings.TrimLeftFunc(text, unicode.IsSpace)
	space := strings.IndexFunc(word, unicode.IsSpace)
	if space < 0 {
		return len(text)
	}
	return len(text) - len(strings.TrimLeftFunc(word[space:], unicode.IsSpace))
}

// bytesPerToken is the usual rule of thumb for English, and pixelsPerToken Anthropic's for pictures.
const (
	bytesPerToken  = 4
	pixelsPerToken = 750
)

// estimate counts tokens by the rule of thumb: this model has none, and a budget would like a number.
func estimate(req supervisor.ModelRequest, answer protocol.Message) protocol.Usage {
	input := len(req.System)
	for _, m := range req.Messages {
		input += size(m)
	}
	return protocol.Usage{Input: int64(input / bytesPerToken), Output: int64(size(answer) / bytesPerToken)}
}

// size is the bytes of m that a model would read.
func size(m protocol.Message) int {
	n := 0
	for _, p := range m.Parts {
		n += len(p.Text)
		if p.Image != nil {
			n += p.Image.Width * p.Image.Height * bytesPerToken / pixelsPerToken
		}
		if p.Call != nil {
			n += len(p.Call.Name) + len(p.Call.Arguments)
		}
		if p.Result != nil {
			n += len(p.Result.Text)
		}
	}
	return n
}
