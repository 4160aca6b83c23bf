package session_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/session"
	"mews/supervisor/sqlite"
)

// pausingStore is a store that waits for the test at one point.
type pausingStore struct {
	sqlite.Turns
	at     string // the point: "before the start", "after the start" or "after the end"
	here   chan struct{}
	resume chan struct{}
	passed atomic.Bool
}

func (p *pausingStore) pause(ctx context.Context, at string) {
	if at != p.at || p.passed.Swap(true) {
		return
	}
	close(p.here)
	select {
	case <-p.resume:
	case <-ctx.Done():
	}
}

func (p *pausingStore) Start(ctx context.Context, inbound int64, c *supervisor.LeaseRequest) (supervisor.Turn,
	supervisor.Lease, error) {
	p.pause(ctx, "before the start")
	turn, lease, err := p.Turns.Start(ctx, inbound, c)
	p.pause(ctx, "after the start")
	return turn, lease, err
}

func (p *pausingStore) Finish(ctx context.Context, end sqlite.TurnEnding) (supervisor.Delivery, error) {
	d, err := p.Turns.Finish(ctx, end)
	p.pause(ctx, "after the end")
	return d, err
}

// stopped returns the result of a stop that has ended the turn of an inbound.
func stopped(in supervisor.Inbound, waiting int) sqlite.PrecedingText {
	return sqlite.PrecedingText{Inbound: in.ID, Why: protocol.TurnEndStopped, Waiting: waiting}
}

func (h *harness) came(what string, got, want sqlite.PrecedingText) {
	h.Helper()
	if got != want {
		h.Errorf("%s: came to %+v, want %+v", what, got, want)
	}
}

// tick lets the bubble's clock advance, which stands still while a goroutine runs.
func tick(t *testing.T) {
	t.Helper()
	<-time.After(time.Second)
}

func TestStop_TurnAboutToBegin_IsStopped(t *testing.T) {
	for _, at := range []string{"before the start", "after the start"} {
		t.Run(at, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h *harness
				h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
					if q := h.question(a); q == "one" {
						t.Errorf("a worker works on %q, which was stopped", q)
					}
					return h.echo(ctx, a)
				})
				p := &pausingStore{Turns: h.db.Turns(), at: at, here: make(chan struct{}), resume: make(chan struct{})}
				h.options.Turns = p
				home := h.conversation("ann", "")
				h.live()
				one := h.say(home, "one")
				<-p.here
				command := h.command(home)
				h.say(home, "two")
				came := make(chan sqlite.PrecedingText, 1)
				go func() { came <- h.stop(home, command) }()
				synctest.Wait() // now the stop waits for the turn
				close(p.resume)
				if got := <-came; got.Inbound != one.ID || got.Why != protocol.TurnEndStopped {
					t.Errorf("the stop came to %+v", got)
				}
				if got := h.await(home, 2); got[0].Text != "(Stopped, as you asked.)" || got[1].Text != "re: two" {
					t.Errorf("told were %q and %q", got[0].Text, got[1].Text)
				}
			})
		})
	}
}

func TestStop_NeedsNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *harness
		h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			if h.question(a) != "long" {
				t.Errorf("a worker works on %q", h.question(a))
			}
			<-ctx.Done()
			return ended(protocol.TurnEndStopped), nil
		})
		h.live()
		h.say(h.conversation("ann", "one"), "long")
		h.say(h.conversation("ann", "two"), "long")
		synctest.Wait()
		third := h.conversation("ann", "three")
		in := h.say(third, "of the third")
		synctest.Wait()
		h.keep(third, "behind it")
		h.came("the stop", h.stop(third, h.command(third)), stopped(in, 1))
		synctest.Wait()
		if _, open := h.open(third); open || len(h.outbox(third)) != 1 {
			t.Errorf("what is behind it runs: %v, told were %+v", open, h.outbox(third))
		}
	})
}

// TestStop_RepeatedAfterRestart_EndsSameTurn kills the process before the command is answered. In
// one case the command was just stored, in the other case the turn has already ended.
func TestStop_RepeatedAfterRestart_EndsSameTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			<-ctx.Done()
			return ended(protocol.TurnEndStopped), nil
		})
		home := h.conversation("ann", "")
		end := h.live()
		one := h.say(home, "one")
		two := h.keep(home, "two")
		synctest.Wait()
		command := h.command(home)
		end()
		if _, open := h.open(home); !open {
			t.Fatal("the turn was not left open")
		}
		tick(t)

		// repeated commands run before the sessions start
		h.registry = session.New(h.options)
		came := make(chan sqlite.PrecedingText, 1)
		early := h.registry
		go func() {
			got, err := early.StopTurn(t.Context(), home, command)
			came <- must(h, got, err)
		}()
		synctest.Wait()
		end = h.liveAs(early)
		h.came("the stop", <-came, stopped(one, 1))
		synctest.Wait()
		end()

		// the turn's end is on disk, but not the command's answer
		h.live()
		synctest.Wait()
		h.came("the stop again", h.stop(home, command), stopped(one, 1))
		synctest.Wait()
		if open, ok := h.open(home); !ok || open.Turn.Inbound != two.ID {
			t.Error("what was behind it was stopped too")
		}
	})
}

func TestStop_TurnJustEnded_EndsNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *harness
		h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			return h.echo(ctx,
				a)
		})
		p := &pausingStore{Turns: h.db.Turns(), at: "after the end", here: make(chan struct{}),
			resume: make(chan struct{})}
		h.options.Turns = p
		home := h.conversation("ann", "")
		one := h.keep(home, "one")
		h.keep(home, "two")
		command := h.command(home)
		tick(t)
		h.live()
		<-p.here
		h.came("the stop", h.stop(home, command), sqlite.PrecedingText{Inbound: one.ID, Why: protocol.TurnEndDone,
			Waiting: 1})
		close(p.resume)
		if got := h.await(home, 2); got[1].Text != "re: two" {
			t.Errorf("told was %q", got[1].Text)
		}
	})
}

func TestStopTurnWithoutStoring_WritesNothing(t *testing.T) {
	var h *harness
	begun := make(chan struct{})
	h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		close(begun)
		<-ctx.Done()
		return ended(protocol.TurnEndStopped), nil
	})
	home := h.conversation("ann", "")
	h.live()
	if h.registry.StopTurnWithoutStoring(home.ID) {
		t.Error("something was stopped where nothing runs")
	}
	h.say(home, "hello")
	<-begun
	if h.registry.StopTurnWithoutStoring(home.ID + 1) {
		t.Error("another conversation's turn was stopped")
	}
	if !h.registry.StopTurnWithoutStoring(home.ID) {
		t.Error("nothing was stopped")
	}
	h.await(home, 1)
}
