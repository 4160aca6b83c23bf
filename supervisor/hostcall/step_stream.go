package hostcall

import (
	"context"
	"errors"
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/history"
	"mews/supervisor/model"
	"mews/supervisor/sqlite"
)

const (
	// maxContinued is how often a model that reached what it may say at once is asked to go on.
	maxContinued = 3
	// goOn asks it to.
	goOn = "Go on exactly where your last message broke off, in the middle of a word if need be. Repeat nothing of it, and " +
		"do not say that you go on."
	// brokenOff ends a message that breaks off all the same, so that nobody takes it for whole.
	brokenOff = "\n\n[The answer breaks off here: the model reached the limit of what it may say at once.]"
)

// stepStream is one message of a model's as it comes, from as many calls as that takes. It belongs to the goroutine that
// answers the model.stream.
type stepStream struct {
	d       *Conn
	t       *turn
	deltas  *deltas
	before  string             // said by calls that have ended
	paid    []sqlite.ModelCall // which are these
	charges charges
}

// stream has the model say its message. A request that is too long is made shorter once; a message that breaks off is
// gone on with. What a failed call had said is taken back.
func (s *stepStream) stream(ctx context.Context, req supervisor.ModelRequest) (supervisor.ModelAnswer, error) {
	s.charges.open(s.t.Purse, &req)
	said, err := s.call(ctx, req)
	if classOf(err) == supervisor.ModelTooLong {
		if shorter, ok := s.d.shorter(ctx, s.t, req); ok {
			req = shorter
			said, err = s.call(ctx, req)
		}
	}
	for n := 0; err == nil && breaksOff(said) && n < maxContinued; n++ {
		more, failed := s.call(ctx, continued(req, said.Message))
		if failed != nil {
			break // what was said stands, and says that it breaks off
		}
		said = joined(said, more)
	}
	if err == nil && breaksOff(said) {
		said.Message = withText(said.Message, brokenOff)
		s.say(ctx, brokenOff)
	}
	return said, err
}

// call is one call, and what it has cost. That of one that failed is kept by itself.
func (s *stepStream) call(ctx context.Context, req supervisor.ModelRequest) (supervisor.ModelAnswer, error) {
	o := s.d.o
	req.Thinking, req.Cache, req.Purpose, req.User = o.Thinking, o.Cache, supervisor.PurposeChat, s.d.user
	req.Measured = s.t.transcript.counted.of(req)
	heard := model.WithFailures(ctx, func(f model.Failure) { s.chargeFailed(ctx, f) })
	said, err := o.Models.Stream(heard, s.t.Model, req, func(delta supervisor.ModelDelta) {
		if delta.Restart {
			s.takeBack()
			return
		}
		s.say(ctx, delta.Text)
	})
	if err != nil {
		if ctx.Err() == nil {
			s.takeBack()
		}
		return said, err
	}
	s.charge(said)
	s.t.transcript.counted = newCountedRequest(req, said)
	s.before += said.Message.Text()
	return said, nil
}

func (s *stepStream) say(ctx context.Context, text string) {
	s.t.Reply.Add(text)
	s.deltas.add(ctx, text)
}

// takeBack leaves of what the person sees only what calls have said that have ended.
func (s *stepStream) takeBack() {
	s.t.Reply.Reset()
	s.t.Reply.Add(s.before)
}

// classOf is what kind of failure of a model's an error is, "" for none.
func classOf(err error) supervisor.ModelClass {
	if failed := new(supervisor.ModelError); errors.As(err, &failed) {
		return failed.Class
	}
	return ""
}

// shorterRequest is the request with half of its history, if that is less.
func (d *Conn) shorter(ctx context.Context, t *turn, req supervisor.ModelRequest) (supervisor.ModelRequest, bool) {
	before := history.Tokens(req.Messages)
	messages, err := d.window(ctx, t, before/2)
	if err != nil || history.Tokens(messages) >= before {
		return req, false
	}
	d.o.Log.Info("the request was too long for the model; half of the history is left out", "user", d.user, "turn", t.ID)
	req.Messages = messages
	return req, true
}

// breaksOff says whether a message ends where the model had to, and not where it wanted to. One that calls tools is gone
// on with when those have run.
func breaksOff(a supervisor.ModelAnswer) bool {
	return a.Stop == supervisor.StopLength && len(a.Message.Calls()) == 0
}

// continued is the request that has a message gone on with.
func continued(req supervisor.ModelRequest, said protocol.Message) supervisor.ModelRequest {
	req.Messages = append(slices.Clone(req.Messages), said, protocol.UserText(goOn))
	return req
}

// joined is a message and what went on with it, as one.
func joined(said, more supervisor.ModelAnswer) supervisor.ModelAnswer {
	sum := more
	sum.Message = withText(said.Message, more.Message.Text())
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

// withText is a message with more text at the end of its own.
func withText(m protocol.Message, text string) protocol.Message {
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
