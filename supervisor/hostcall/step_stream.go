package hostcall

import (
	"context"
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/history"
	"mews/supervisor/sqlite"
)

const maxContinued = 3 // how often a model that reached what it may say at once is asked to go on

// stepStream is one message of a model's as it comes, from as many calls of the model as that takes. It belongs to the
// goroutine that answers the model.stream. It is the Reserver of these calls.
type stepStream struct {
	*turn
	before   string             // said by calls that have ended
	paid     []sqlite.ModelCall // the calls that have ended and are not kept yet
	maxCosts map[int64]int64    // what each lease is at most, in millionths of a dollar
}

// answer has the model say its message. A message that breaks off is gone on with. What a failed call had said is taken back.
func (s *stepStream) answer(ctx context.Context, req supervisor.ModelRequest) (supervisor.ModelAnswer, error) {
	if s.Reserver != nil {
		req.Reserver, s.maxCosts = s, map[int64]int64{}
	}
	said, err := s.call(ctx, req)
	for n := 0; err == nil && breaksOff(said) && n < maxContinued; n++ {
		more, failed := s.call(ctx, continueRequest(req, said.Message))
		if failed != nil {
			break // what was said stands, and says that it breaks off
		}
		said = joinAnswers(said, more)
	}
	if err == nil && breaksOff(said) {
		said.Message = appendText(said.Message, textBrokenOff)
		s.Reply.Add(textBrokenOff)
	}
	if err == nil && said.Stop == supervisor.StopOther {
		said.Message = appendText(said.Message, textPerhapsCut)
		s.Reply.Add(textPerhapsCut)
	}
	return said, err
}

// call calls the model once. It keeps what a call that failed has cost.
func (s *stepStream) call(ctx context.Context, req supervisor.ModelRequest) (supervisor.ModelAnswer, error) {
	req.Measured = s.transcript.counted.of(req)
	req.OnFailure = func(f supervisor.ModelFailure) { s.chargeFailed(ctx, f) }
	if s.Kind == supervisor.TurnChat { // nobody waits for the others
		req.OnWait = s.Reply.Note
	}
	said, err := s.o.Models.Stream(ctx, s.Model, req, func(delta supervisor.ModelDelta) {
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
	s.paid = append(s.paid, s.priced(sqlite.ModelCall{Spec: said.Spec, Model: said.Model, Usage: said.Usage, Request: said.Request,
		Lease: said.Lease}))
	s.transcript.counted = newCountedRequest(req, said)
	s.before += said.Message.Text()
	return said, nil
}

// takeBack leaves of what the person sees only what calls have said that have ended.
func (s *stepStream) takeBack() {
	s.Reply.Reset()
	s.Reply.Add(s.before)
}

// breaksOff says whether a message ends where the model had to, and not where it wanted to. One that calls tools is gone
// on with when those have run.
func breaksOff(a supervisor.ModelAnswer) bool {
	return a.Stop == supervisor.StopLength && len(a.Message.Calls()) == 0
}

// continueRequest is the request that has a message gone on with.
func continueRequest(req supervisor.ModelRequest, said protocol.Message) supervisor.ModelRequest {
	more := []protocol.Message{said, protocol.UserText(promptContinue)}
	tokens, fit := int64(history.Tokens(more)), req.Fit
	req.Messages, req.Tokens = slices.Concat(req.Messages, more), req.Tokens+tokens
	if fit != nil {
		req.Fit = func(r supervisor.ModelRequest, most int64) supervisor.ModelRequest {
			r = fit(r, most-tokens)
			r.Messages, r.Tokens = slices.Concat(r.Messages, more), r.Tokens+tokens
			return r
		}
	}
	return req
}

// joinAnswers is a message and what went on with it, as one.
func joinAnswers(said, more supervisor.ModelAnswer) supervisor.ModelAnswer {
	sum := more
	sum.Message = appendText(said.Message, more.Message.Text())
	for _, p := range more.Message.Parts {
		if p.Call != nil {
			sum.Message.Parts = append(sum.Message.Parts, p)
		}
	}
	sum.Usage = protocol.Usage{
		Input: said.Usage.Input + more.Usage.Input, Output: said.Usage.Output + more.Usage.Output,
		CacheRead:  said.Usage.CacheRead + more.Usage.CacheRead,
		CacheWrite: said.Usage.CacheWrite + more.Usage.CacheWrite,
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
