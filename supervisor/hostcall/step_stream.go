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

// continued is how often a model is asked to go on with an answer that breaks off, by whether that
// is for want of money for more, and what the person reads where it still does then.
var continued = map[bool]struct {
	most int
	why  string
}{false: {3, textLimit}, true: {2, textShort}}

// stepStream is one message of a model's as it comes, from as many calls of the model as that
// takes. It belongs to the goroutine that answers the model.stream. It is the Reserver of these
// calls.
type stepStream struct {
	*turn
	before   string                  // said by calls that have ended
	paid     *sqlite.ModelCall       // the call that has ended and is not kept yet
	maxCosts map[int64]int64         // what each lease is at most, in millionths of a dollar
	answered []protocol.AnsweredCall // of the committed step
}

// answer has the model say its message. A message that breaks off is gone on with. What a failed
// call had said is taken back.
func (s *stepStream) answer(ctx context.Context, req modelcall.Request) (modelcall.Answer, error) {
	if s.Reserver != nil {
		req.Reserver, s.maxCosts = s, map[int64]int64{}
	}
	said, err := s.call(ctx, req)
	why := ""
	for n := 0; err == nil && breaksOff(said) && n < continued[said.CutForMoney].most; n++ {
		s.charge(ctx) // now: the next call may need what is left of this one's lease
		more, failed := s.call(ctx, continueRequest(req, said.Message))
		if failed != nil && ctx.Err() != nil { // the turn is stopped, not the answer broken off
			return said, failed
		}
		if failed != nil { // what was said stands, and says that it breaks off
			why = textNotGoneOn
			if e := new(modelcall.Error); errors.As(failed, &e) && e.Class == modelcall.OverBudget {
				why = problem.Message(failed)
			}
			break
		}
		said = joinAnswers(said, more)
	}
	switch {
	case err != nil:
	case breaksOff(said):
		said.Message = s.note(said.Message, fmt.Sprintf(textBrokenOff, cmp.Or(why, continued[said.CutForMoney].why)))
	case said.Stop == modelcall.StopOther:
		said.Message = s.note(said.Message, textPerhapsCut)
	}
	return said, err
}

// note ends a message with a note in brackets.
func (s *stepStream) note(m protocol.Message, text string) protocol.Message {
	if m.Text() != "" {
		text = "\n\n" + text
	}
	s.Reply.Add(text)
	return appendText(m, text)
}

// call calls the model once. It keeps what a call that failed has cost.
func (s *stepStream) call(ctx context.Context, req modelcall.Request) (modelcall.Answer, error) {
	req.Measured = s.transcript.counted.of(req)
	req.OnFailure = func(f modelcall.Failure) { s.chargeFailed(ctx, f) }
	if s.Kind == supervisor.TurnChat { // nobody waits for the others
		req.OnWait = s.Reply.Note
	}
	said, err := s.o.Models.Stream(ctx, s.Model, req, func(delta modelcall.Delta) {
		if delta.Restart {
			s.takeBack()
			return
		}
		s.Reply.Add(delta.Text)
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

// takeBack leaves of what the person sees only what calls have said that have ended.
func (s *stepStream) takeBack() {
	s.Reply.Reset()
	s.Reply.Add(s.before)
}

// breaksOff says whether a message ends where the model had to, and not where it wanted to. One
// that calls tools is gone on with when those have run.
func breaksOff(a modelcall.Answer) bool {
	return a.Stop == modelcall.StopLength && len(a.Message.Calls()) == 0
}

// continueRequest is the request that has a message gone on with.
func continueRequest(req modelcall.Request, said protocol.Message) modelcall.Request {
	more := []protocol.Message{said, protocol.UserText(promptContinue)}
	if len(said.Parts) == 0 {
		more = []protocol.Message{protocol.UserText(promptShorter)}
	}
	tokens, fit := int64(history.Tokens(more)), req.Fit
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

// joinAnswers is a message and what went on with it, as one, and the rest of the later answer.
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

// appendText is a message with more text at the end of its own.
func appendText(m protocol.Message, text string) protocol.Message {
	m.Parts = slices.Clone(m.Parts)
	for i, p := range slices.Backward(m.Parts) {
		if p.Text != "" {
			m.Parts[i].Text += text
			return m
		}
	}
	m.Parts = append(m.Parts, protocol.Part{Text: text})
	return m
}
