package hostcall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
)

const (
	deltaEvery = 30 * time.Millisecond // at most one line of deltas in this time
	maxCalls   = 64                    // tool calls in one message of a model's
	maxAnswer  = protocol.BlobChunk * 8
)

// streamModel calls the model and commits what it said before the worker hears of it.
func streamModel(ctx context.Context, d *Conn, t *turn, p *protocol.ModelStream) (any, error) {
	t.failure = nil
	req, err := d.prepare(ctx, t, p)
	if err != nil {
		return nil, d.modelFailed(ctx, t, err)
	}
	taken := t.taken() // of what there is before the step
	message, err := d.step(ctx, t, req)
	if err != nil {
		return nil, d.modelFailed(ctx, t, err)
	}
	return protocol.ModelStreamed{Message: forWorker(message), Taken: taken}, nil
}

func (d *Conn) step(ctx context.Context, t *turn, req supervisor.ModelRequest) (protocol.Message, error) {
	t.Reply.Reset() // of a step that was cancelled, which this one makes again
	s := &stepStream{d: d, t: t, deltas: &deltas{peer: d.peer, turn: t.ID, now: d.now}}
	defer s.chargeUnkept(ctx)
	said, err := s.stream(ctx, req)
	if err != nil {
		return protocol.Message{}, err
	}
	s.deltas.flush(ctx)
	message, err := accept(t, said.Message)
	if err != nil {
		return protocol.Message{}, err
	}
	cost, leases := s.sum()
	message.ID, err = commitRetrying(ctx, d, t, func() (int64, error) {
		return d.o.Steps.CommitStep(ctx, sqlite.Step{Turn: t.ID, Message: message, Spec: said.Spec, Model: said.Model,
			Purpose: supervisor.PurposeChat, Usage: said.Usage, Cost: cost, Request: said.Request, Leases: leases})
	})
	if err != nil {
		return protocol.Message{}, err
	}
	s.paid = nil // it is kept with the step
	t.Reply.Commit(reply.Join(t.textTaken(), message.Text()))
	t.Step++
	t.instead, t.answered = said.Replaced, said.Spec
	t.openCalls.put(message.Calls())
	return message, nil
}

// forWorker is a message without what the model thought: that is between it and its provider.
func forWorker(m protocol.Message) protocol.Message {
	m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p protocol.Part) bool { return p.Thinking != nil })
	return m
}

// accept makes a model's message fit to be committed: calls get ids of ours, unique in the conversation whatever the
// provider calls them.
func accept(t *turn, m protocol.Message) (protocol.Message, error) {
	m.ID, m.Role = 0, protocol.RoleAssistant
	n, said := 0, 0
	parts := make([]protocol.Part, 0, len(m.Parts))
	for _, p := range m.Parts {
		if p.Call != nil {
			n++
			c := *p.Call
			c.ID = fmt.Sprintf("t%d-%d-%d", t.ID, t.Step+1, n)
			p.Call = &c
		}
		if p.Call != nil || p.Text != "" {
			said++
		}
		if p.Call != nil || p.Text != "" || p.Thinking != nil {
			parts = append(parts, p)
		}
	}
	m.Parts = parts
	switch line, err := json.Marshal(m); {
	case err != nil:
		return m, &supervisor.Error{Code: supervisor.CodeModel, Err: err,
			Message: "The model's answer could not be read. Please try again."}
	case said == 0:
		return m, &supervisor.Error{Code: supervisor.CodeModel,
			Message: "The model answered with nothing at all. Please try again, or say it in other words."}
	case n > maxCalls || len(line) > maxAnswer:
		return m, &supervisor.Error{Code: supervisor.CodeModel, Message: fmt.Sprintf(
			"The model's answer was too large to take (%d KiB, %d tool calls). Please ask for less at once.", len(line)>>10, n)}
	}
	return m, nil
}

// modelFailed keeps why for the session, which tells the person; the worker learns only that it failed. What a failed
// step had said is taken back. What a cancelled one had said stays: whoever cancels a step ends the turn with it.
func (d *Conn) modelFailed(ctx context.Context, t *turn, err error) error {
	if ctx.Err() != nil {
		return &protocol.Error{Code: protocol.CodeCancelled, Message: "cancelled"}
	}
	t.Reply.Reset()
	refused := new(protocol.Error)
	if !errors.As(err, &refused) {
		t.failure = err
		return d.failed("call the model", t, err)
	}
	if refused.Code != protocol.CodeUnknownHash { // which is how a worker learns to send it whole
		t.failure = &supervisor.Error{Code: supervisor.CodeInternal, Message: textDisagreed, Err: err}
		d.o.Log.Error("refuse to call the model", "user", d.user, "turn", t.ID, "error", err)
	}
	return refused
}

// What a person reads of a turn that ended for its worker's sake.
const (
	textDisagreed = "Your assistant's process lost track of what was said, so the model was not asked. What was done so " +
		"far is kept. Please send it again; the log says what was wrong."
	textUnexplained = "Your assistant's process gave up without saying why. What was done so far is kept. Please send it " +
		"again; the log may say more."
)

// deltas passes on what the model says, gathered so that at most a line goes out in deltaEvery. It belongs to the
// goroutine that answers the model.stream.
type deltas struct {
	peer    Peer
	turn    int64
	now     func() time.Time
	seq     int
	sent    time.Time
	waiting []byte
}

func (s *deltas) add(ctx context.Context, text string) {
	s.waiting = append(s.waiting, text...)
	if now := s.now(); now.Sub(s.sent) >= deltaEvery {
		s.sent = now
		s.flush(ctx)
	}
}

// flush sends what waits. That it can't be sent is no reason to end the model's call: what counts is the result, and the
// connection's own end is noticed elsewhere.
func (s *deltas) flush(ctx context.Context) {
	if len(s.waiting) == 0 {
		return
	}
	s.seq++
	delta := protocol.ModelDelta{Turn: s.turn, Seq: s.seq, Text: string(s.waiting)}
	s.waiting = s.waiting[:0]
	if err := s.peer.Notify(ctx, protocol.MethodModelDelta, delta); errors.Is(err, protocol.ErrClosed) {
		s.waiting = nil
	}
}
