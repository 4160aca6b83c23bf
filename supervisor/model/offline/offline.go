// Package offline is the built-in model. It shows that Mews works, and explains how to connect a
// real model. It is a table of rules for a few plain requests in English, and needs no network. It
// implements the same interface as every other provider.
//
// An answer is a pure function of the request. A message is matched whole against the rules. If it
// is an order, it makes one tool call, and the answer reports the call's result.
//
//	rules.go   the table of rules, and the search for a message's rule
//	answer.go  the next message: a text, a call, or a call's result
//	texts.go   the model's texts
package offline

import (
	"context"
	"strings"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// Name is the name of the model and of its provider.
const Name = "offline"

// Provider is the offline model. The zero value is ready. It may be used from several goroutines.
type Provider struct{}

// Stream answers req. It sends the text word by word, without pauses, and fails only if ctx ends.
func (Provider) Stream(
	ctx context.Context, req modelcall.Request, delta func(modelcall.Delta),
) (modelcall.Answer, error) {
	if ctx.Err() != nil {
		return modelcall.Answer{}, context.Cause(ctx)
	}
	message := answer(req)
	for word := range strings.SplitAfterSeq(message.Text(), " ") {
		if ctx.Err() != nil {
			return modelcall.Answer{}, context.Cause(ctx)
		}
		delta(modelcall.Delta{Text: word})
	}
	return modelcall.Answer{Message: message, Model: Name, Usage: estimate(req, message)}, nil
}

// bytesPerToken is the usual estimate for English text. pixelsPerToken is Anthropic's rule for
// pictures.
const (
	bytesPerToken  = 4
	pixelsPerToken = 750
)

// estimate estimates the tokens of a call. This model has no tokens, but budgets need a number.
func estimate(req modelcall.Request, answer protocol.Message) protocol.Usage {
	input := len(req.System)
	for _, m := range req.Messages {
		input += size(m)
	}
	return protocol.Usage{Input: int64(input / bytesPerToken), Output: int64(size(answer) / bytesPerToken)}
}

// size returns how many bytes of m a model would read.
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
