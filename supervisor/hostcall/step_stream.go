package hostcall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/history"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
	"mews/supervisor/sqlite"
)

// continuations says how often a model is asked to continue a truncated answer. It also has the
// note for an answer that is still truncated after that. The key is whether money was the limit.
var continuations = map[bool]struct {
	most int
	why  string
}{false: {3, textLimit}, true: {2, textShort}}

// stepStream is one message of a model while it arrives, from one or more calls. Only the goroutine
// that answers model.stream uses it. The stepStream is also the Reserver of these calls.
type stepStream struct {
	*turn
	before   string                  // text of the calls that have ended
	paid     *sqlite.ModelCall       // the last call that has ended, if it is not stored yet
	maxCosts map[int64]int64         // amount of each lease, in millionths of a dollar
	answered []protocol.AnsweredCall // calls of the step that have results at its commit
}

// answer gets the model's message. It continues a truncated message, and drops the text of a failed
// call.
func (s *stepStream) answer(ctx context.Context, req modelcall.Request) (modelcall.Answer, error) {
	if s.Reserver != nil {
		req.Reserver, s.maxCosts = s, map[int64]int64{}
	}
	said, err := s.call(ctx, req)
	why := ""
	for n := 0; err == nil && isTruncated(said) && n < continuations[said.CutForMoney].most; n++ {
		s.charge(ctx) // store the cost before the next call, which may need the rest of this lease
		more, failed := s.call(ctx, continueRequest(req, said.Message))
		if failed != nil && ctx.Err() != nil { // the turn was stopped, so the answer is not truncated
			return said, failed
		}
		if failed != nil { // keep the text, with a note that it is truncated
			why = textNotGoneOn
			if e := new(modelcall.Error); errors.As(failed, &e) && e.Class == modelcall.OverBudget {
				why = problem.UserText(failed)
			}
			break
		}
		said = joinAnswers(said, more)
	}
	switch {
	case err != nil:
	case isTruncated(said):
		said.Message = s.note(said.Message,
			fmt.Sprintf(textBrokenOff, cmp.Or(why, continuations[said.CutForMoney].why)))
	case said.Stop == modelcall.StopReasonOther:
		said.Message = s.note(said.Message, textPerhapsCut)
	}
	return said, err
}

// note adds a note in brackets at the end of a message.
func (s *stepStream) note(m protocol.Message, text string) protocol.Message {
	if m.Text() != "" {
		text = "\n\n" + text
	}
	s.Reply.AppendText(text)
	return appendText(m, text)
}

// call calls the model once. It stores the cost of a failed call.
func (s *stepStream) call(ctx context.Context, req modelcall.Request) (modelcall.Answer, error) {
	req.Measured = s.transcript.counted.measure(req)
	req.OnFailure = func(f modelcall.FailedAttempt) { s.chargeFailed(ctx, f) }
	if s.Kind == supervisor.TurnChat { // only chats show why the reply is delayed
		req.OnWait = s.Reply.ShowNote
	}
	said, err := s.o.Models.Stream(ctx, s.Model, req, func(delta modelcall.Delta) {
		if delta.Restart {
			s.takeBack()
			return
		}
		s.Reply.AppendText(delta.Text)
	})
	if err != nil {
		if ctx.Err() == nil {
			s.takeBack()
		}
		return said, err
	}
	paid := s.priced(sqlite.ModelCall{Spec: said.Spec, Model: said.Model, Usage: said.Usage, Request: said.Request, Lease: said.Lease})
	s.transcript.counted = newCountedRequest(req, said)
	paid.Asked = digest(s.transcript.counted.req.Messages)
	s.paid = &paid
	s.before += said.Message.Text()
	return said, nil
}

// takeBack reduces the shown text to the text of ended calls.
func (s *stepStream) takeBack() {
	s.Reply.ResetStep()
	s.Reply.AppendText(s.before)
}

// isTruncated reports whether a message ended at a limit, and not by the model's choice. A message
// with tool calls is not truncated, because it continues after them.
func isTruncated(a modelcall.Answer) bool {
	return a.Stop == modelcall.StopReasonLength && len(a.Message.ToolCalls()) == 0
}

// continueRequest returns the request for the rest of a truncated message.
func continueRequest(req modelcall.Request, said protocol.Message) modelcall.Request {
	more := []protocol.Message{said, protocol.NewUserMessage(promptContinue)}
	if len(said.Parts) == 0 {
		more = []protocol.Message{protocol.NewUserMessage(promptShorter)}
	}
	tokens, fit := int64(history.EstimateTokens(more)), req.Fit
	req.Messages, req.Tokens = slices.Concat(req.Messages, more), req.Tokens+tokens
	if fit != nil {
		req.Fit = func(r modelcall.Request, most int64) modelcall.Request {
			r = fit(r, most-tokens)
			r.Messages, r.Tokens = slices.Concat(r.Messages, more), r.Tokens+tokens
			return r
		}
	}
	return req
}

// joinAnswers joins an answer and its continuation. Fields other than the text come from the
// continuation.
func joinAnswers(said, more modelcall.Answer) modelcall.Answer {
	if len(said.Message.Parts) == 0 {
		return more
	}
	sum := more
	sum.Message = appendText(said.Message, more.Message.Text())
	for _, p := range more.Message.Parts {
		if p.Call != nil {
			sum.Message.Parts = append(sum.Message.Parts, p)
		}
	}
	return sum
}

// appendText returns a message with a text appended.
func appendText(m protocol.Message, text string) protocol.Message {
	m.Parts = slices.Clone(m.Parts)
	for i, p := range slices.Backward(m.Parts) {
		if p.Text != "" {
			m.Parts[i].Text += text
			return m
		}
	}
	m.Parts = append(m.Parts, protocol.ContentPart{Text: text})
	return m
}
