package session_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/session"
)

// together runs two turns in one worker. The first attempt of the poisonous turn makes the worker
// die.
type together struct {
	inside atomic.Int32
	both   chan struct{} // closed when both turns are in the worker
	dead   chan struct{} // closed when the worker has died
}

// run runs the first attempt of each turn.
func (w *together) run() error {
	if w.inside.Add(1) == 2 {
		close(w.both)
		close(w.dead)
	}
	<-w.dead
	return errors.New("signal: killed")
}

func TestSharedWorkerDeath_BlamesTurnThatRunsAlone(t *testing.T) {
	var h *harness
	w := together{both: make(chan struct{}), dead: make(chan struct{})}
	var running, attempts, poisonous atomic.Int32
	h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		if attempts.Add(1) <= 2 {
			return session.AttemptEnd{}, w.run()
		}
		if running.Add(1) != 1 {
			t.Error("after the death of their worker two turns share one again")
		}
		defer running.Add(-1)
		if h.question(a) == "poison" {
			poisonous.Add(1)
			return session.AttemptEnd{}, errors.New("signal: killed")
		}
		if a.Turn.Deaths != 0 {
			t.Errorf("%d deaths are held against the harmless turn", a.Turn.Deaths)
		}
		return h.echo(ctx, a)
	})
	bad, good := h.conversation("ann", "bad"), h.conversation("ann", "good")
	h.live()
	h.say(bad, "poison")
	h.say(good, "hello")
	if d := h.await(good, 1)[0]; d.Text != "re: hello" {
		t.Errorf("the harmless one is answered %q", d.Text)
	}
	h.await(bad, 1)
	if n := poisonous.Load(); n != 3 || h.inbounds(supervisor.InboundParked) != 1 {
		t.Errorf("the poisonous one was tried alone %d times, parked are %d", n, h.inbounds(supervisor.InboundParked))
	}
}

// TestStop_TurnWaitsForUnsharedWorker_Ends checks a turn that waits until no other turn uses the
// worker. It can be stopped, and delays no other turn.
func TestStop_TurnWaitsForUnsharedWorker_Ends(t *testing.T) {
	var h *harness
	w := together{both: make(chan struct{}), dead: make(chan struct{})}
	var attempts atomic.Int32
	alone := make(chan supervisor.Conversation, 2)
	h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		if attempts.Add(1) <= 2 {
			return session.AttemptEnd{}, w.run()
		}
		alone <- a.Turn.Conversation
		<-ctx.Done()
		return ended(protocol.TurnEndStopped), nil
	})
	one, two := h.conversation("ann", "one"), h.conversation("ann", "two")
	h.live()
	h.say(one, "hello")
	h.say(two, "hello")
	first := <-alone
	second := one
	if first.ID == one.ID {
		second = two
	}
	for _, c := range []supervisor.Conversation{second, first} {
		if got := h.stop(c, h.command(c)); got.Why != protocol.TurnEndStopped {
			t.Errorf("the stop came to %+v", got)
		}
	}
	if len(alone) != 0 {
		t.Error("the second has had a worker")
	}
}

// TestTurns_NeverExceedSlotLimit checks that a waiting turn gets a free slot before another
// conversation gets a second slot. The waiting turn can be stopped.
func TestTurns_NeverExceedSlotLimit(t *testing.T) {
	var h *harness
	var running, most atomic.Int32
	begun, goOn := make(chan string, 16), make(chan struct{})
	h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		begun <- a.Turn.Conversation.User
		select {
		case <-goOn:
			return h.echo(ctx, a)
		case <-ctx.Done():
			return ended(protocol.TurnEndStopped), nil
		}
	})
	h.options.AtOnce = 1
	first, second, third := h.conversation("ann", "1"), h.conversation("ann", "2"), h.conversation("bob", "")
	h.live()
	h.say(first, "hello")
	<-begun
	h.say(second, "hello")
	waits := h.say(third, "hello")
	if got := h.stop(third, h.command(third)); got.Inbound != waits.ID {
		t.Errorf("the stop of one who waits came to %+v", got)
	}
	close(goOn)
	h.await(first, 1)
	h.await(second, 1)
	h.await(third, 1)
	if most.Load() != 1 {
		t.Errorf("%d ran at once", most.Load())
	}
}
