package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/session"
)

func TestConversation_AnswersInOrderOneAtATime(t *testing.T) {
	var h *harness
	var running atomic.Int32
	h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		if running.Add(1) != 1 {
			t.Error("two turns of one conversation run at once")
		}
		defer running.Add(-1)
		return h.echo(ctx, a)
	})
	home := h.conversation("ann", "")
	h.live()
	for i := range 10 {
		h.say(home, fmt.Sprint(i))
	}
	for i, d := range h.await(home, 10) {
		if d.Text != fmt.Sprint("re: ", i) || d.Kind != supervisor.DeliveryAnswer {
			t.Errorf("answer %d is %s %q", i, d.Kind, d.Text)
		}
	}
	if n := h.inbounds(supervisor.InboundAnswered); n != 10 {
		t.Errorf("%d messages are answered", n)
	}
}

func TestUser_RunsTwoConversationsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, release := make(chan string, 10), make(chan struct{})
		h := newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			started <- a.Turn.Conversation.User
			select {
			case <-release:
			case <-ctx.Done():
			}
			return ended(protocol.TurnEndStepLimit), nil
		})
		h.live()
		for _, chat := range []string{"one", "two", "three"} {
			c := h.conversation("ann", chat)
			h.say(c, "first")
			h.say(c, "second")
		}
		h.say(h.conversation("bob", ""), "hi")
		synctest.Wait()
		count := func() map[string]int {
			n := map[string]int{}
			for len(started) > 0 {
				n[<-started]++
			}
			return n
		}
		if n := count(); n["ann"] != 2 || n["bob"] != 1 {
			t.Errorf("running are %v", n)
		}
		// the third conversation begins before another one has finished all its work
		release <- struct{}{}
		release <- struct{}{}
		release <- struct{}{}
		synctest.Wait()
		running := map[int64]bool{}
		for _, chat := range []string{"one", "two", "three"} {
			open, ok := h.open(h.conversation("ann", chat))
			running[open.Turn.ID] = ok
		}
		if _, ok := h.open(h.conversation("ann", "three")); !ok {
			t.Error("the third conversation waits although the others have each had a turn")
		}
	})
}

func TestWorkerDeath_TurnContinuesFromLastCommit(t *testing.T) {
	var h *harness
	var attempts []protocol.TurnStart
	h = newHarness(t, func(_ context.Context, a session.Attempt) (session.AttemptEnd, error) {
		attempts = append(attempts, a.Start)
		if len(attempts) == 1 {
			h.commit(a, "I write.", "c1", "c2")
			if err := h.db.Turns().CommitCallStart(t.Context(), a.Turn.ID, "c1"); err != nil {
				t.Error(err)
			}
			a.Stream.AppendText("half a sen")
			return session.AttemptEnd{}, errors.New("signal: killed")
		}
		for _, p := range a.Start.PendingCalls {
			result := protocol.ToolResult{Call: p.Call.ID, Name: p.Call.Name, Text: "ok"}
			if _, err := h.db.Turns().CommitResult(t.Context(), a.Turn.ID, result); err != nil {
				t.Error(err)
			}
		}
		h.commit(a, "Written.")
		return done, nil
	})
	home := h.conversation("ann", "")
	h.live()
	h.say(home, "write")
	if d := h.await(home, 1)[0]; d.Text != "I write.\n\nWritten." {
		t.Errorf("the answer is %q", d.Text)
	}
	if len(attempts) != 2 || attempts[0].CommittedSteps != 0 || len(attempts[0].PendingCalls) != 0 {
		t.Fatalf("the attempts were %+v", attempts)
	}
	again := attempts[1]
	if again.Turn != attempts[0].Turn || again.CommittedSteps != 1 ||
		again.LastMessage != attempts[0].LastMessage+1 || len(again.RecentCalls) != 2 {
		t.Errorf("the second attempt starts with %+v", again)
	}
	if p := again.PendingCalls; len(p) != 2 || !p[0].Begun || p[1].Begun {
		t.Errorf("pending are %+v", p)
	}
}

func TestWorkerDeath_Third_ParksMessage(t *testing.T) {
	var h *harness
	attempts := 0
	h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		if h.question(a) != "poison" {
			return h.echo(ctx, a)
		}
		attempts++
		return session.AttemptEnd{}, errors.New("signal: killed")
	})
	home := h.conversation("ann", "")
	h.live()
	h.say(home, "poison")
	h.say(home, "hello")
	got := h.await(home, 2)
	if !strings.Contains(got[0].Text, "crashed in each of 3 attempts") ||
		!strings.Contains(got[0].Text, "I do not try it again by myself") {
		t.Errorf("the person is told %q", got[0].Text)
	}
	if attempts != 3 || h.inbounds(supervisor.InboundParked) != 1 {
		t.Errorf("%d attempts, %d parked", attempts, h.inbounds(supervisor.InboundParked))
	}
	if got[1].Text != "re: hello" {
		t.Errorf("the next answer is %q", got[1].Text)
	}
}

// If a worker ends because mews-spawner has ended, the worker is not at fault. The turn goes on
// after any number of such ends.
func TestSpawnerDeath_Repeated_TurnGoesOn(t *testing.T) {
	var h *harness
	attempts := 0
	h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		if attempts++; attempts <= 2*maxLost {
			return session.AttemptEnd{Lost: true}, errors.New("mews-spawner ended, and every worker with it")
		}
		return h.echo(ctx, a)
	})
	home := h.conversation("ann", "")
	h.live()
	h.say(home, "hello")
	if got := h.await(home, 1); got[0].Text != "re: hello" || h.inbounds(supervisor.InboundParked) != 0 {
		t.Errorf("told was %q after %d attempts", got[0].Text, attempts)
	}
}

// maxLost is the number of worker deaths after which a message is parked.
const maxLost = 3

// TestInvalidTurnEnd_IsAuditedAsWorkerDeath checks that a worker's invalid end is audited and
// counts as a crash, because workers are not trusted.
func TestInvalidTurnEnd_IsAuditedAsWorkerDeath(t *testing.T) {
	for name, c := range map[string]struct {
		why   protocol.TurnEndReason
		calls []string // tool calls in the model's last message
		want  string   // text of the entry in the audit log
	}{
		"stopped unasked":           {why: protocol.TurnEndStopped, want: "nobody had asked"},
		"an unknown word":           {why: "banana", want: `"banana"`},
		"no word":                   {why: "", want: "means nothing"},
		"done without a step":       {why: protocol.TurnEndDone, want: "last word is not there"},
		"done with calls to be run": {why: protocol.TurnEndDone, calls: []string{"c1"}, want: "last word is not there"},
	} {
		t.Run(name, func(t *testing.T) {
			var h *harness
			attempts := 0
			h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
				for _, p := range a.Start.PendingCalls {
					result := protocol.ToolResult{Call: p.Call.ID, Name: p.Call.Name, Text: "ok"}
					if _, err := h.db.Turns().CommitResult(t.Context(), a.Turn.ID, result); err != nil {
						t.Error(err)
					}
				}
				if attempts++; attempts > 1 {
					return h.echo(ctx, a)
				}
				if c.calls != nil {
					h.commit(a, "", c.calls...)
				}
				return ended(c.why), nil
			})
			home := h.conversation("ann", "")
			h.live()
			h.say(home, "hello")
			if d := h.await(home, 1)[0]; d.Text != "re: hello" || attempts != 2 {
				t.Errorf("after %d attempts: %q", attempts, d.Text)
			}
			if len(h.offences) != 1 || !strings.HasPrefix(h.offences[0], "ann worker.offence turn ") ||
				!strings.Contains(h.offences[0], c.want) {
				t.Errorf("audited were %q", h.offences)
			}
		})
	}
}

func TestNoWorker_TellsUserOnceThenRunsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *harness
		attempts := 0
		begun := time.Now()
		h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			if attempts++; attempts <= 2 {
				return session.AttemptEnd{}, &session.NoWorkerError{Until: time.Now().Add(time.Hour),
					Err: errors.New("died five times")}
			}
			return h.echo(ctx, a)
		})
		home := h.conversation("ann", "")
		h.live()
		h.say(home, "hello")
		got := h.await(home, 2)
		if got[0].Kind != supervisor.DeliveryNotice || !strings.Contains(got[0].Text, "nothing of it is lost") {
			t.Errorf("first comes %s %q", got[0].Kind, got[0].Text)
		}
		if got[1].Text != "re: hello" || attempts != 3 || time.Since(begun) < 2*time.Hour {
			t.Errorf("after %d attempts and %v: %q", attempts, time.Since(begun), got[1].Text)
		}
	})
}

func TestStop_KeepsTextAndSaysStopped(t *testing.T) {
	const stopped = "half\n\n(Stopped, as you asked.)"
	for name, c := range map[string]struct {
		// how the worker reacts to a stop
		late func(*harness, session.Attempt) (session.AttemptEnd, error)
		want string
		why  protocol.TurnEndReason
	}{
		"and the worker obeys": {func(*harness, session.Attempt) (session.AttemptEnd, error) {
			return ended(protocol.TurnEndStopped), nil
		},
			stopped, protocol.TurnEndStopped},
		"and the worker is gone": {func(*harness, session.Attempt) (session.AttemptEnd, error) {
			return session.AttemptEnd{}, errors.New("killed")
		},
			stopped, protocol.TurnEndStopped},
		"and the model's call is": {func(*harness, session.Attempt) (session.AttemptEnd,
			error) {
			return ended(protocol.TurnEndError), nil
		},
			stopped, protocol.TurnEndStopped},
		"but it had just been done": {func(h *harness, a session.Attempt) (session.AttemptEnd, error) {
			h.commit(a, "half, and the other half.")
			return done, nil
		}, "half, and the other half.", protocol.TurnEndDone},
	} {
		t.Run(name, func(t *testing.T) {
			var h *harness
			streaming := make(chan struct{})
			h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
				a.Stream.AppendText("half")
				close(streaming)
				<-ctx.Done()
				return c.late(h, a)
			})
			home := h.conversation("ann", "")
			h.live()
			before := h.command(home)
			h.say(home, "hello")
			<-streaming
			if got := h.stop(home, before); got.Inbound != 0 {
				t.Fatalf("a turn was stopped by what came before it: %+v", got)
			}
			if got := h.stop(home, h.command(home)); got.Why != c.why {
				t.Errorf("the stop came to %+v", got)
			}
			if got := h.outbox(home); len(got) != 1 || got[0].Text != c.want {
				t.Errorf("when it was over the outbox held %+v", got)
			}
			transcript, err := h.db.Transcript().ListMessages(t.Context(), home.ID)
			if must(h, len(transcript), err) != 2 || !strings.HasPrefix(transcript[1].Text(), "half") {
				t.Errorf("the transcript is %+v", transcript)
			}
		})
	}
}

func TestStop_NothingRuns_StopsNothing(t *testing.T) {
	h := newHarness(t, nil)
	h.live()
	home := h.conversation("ann", "")
	if got := h.stop(home, h.command(home)); got.Inbound != 0 {
		t.Errorf("a turn was stopped: %+v", got)
	}
}

func TestStop_TurnWaitingForWorker_Ends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, func(context.Context, session.Attempt) (session.AttemptEnd, error) {
			return session.AttemptEnd{}, &session.NoWorkerError{Until: time.Now().Add(time.Hour),
				Err: errors.New("died five times")}
		})
		home := h.conversation("ann", "")
		h.live()
		h.say(home, "hello")
		synctest.Wait()
		h.stop(home, h.command(home))
		if got := h.outbox(home); len(got) != 2 || !strings.HasPrefix(got[1].Text, "(Stopped") {
			t.Errorf("told were %+v", got)
		}
	})
}

func TestShutdown_RunningTurn_EndsAfterRestart(t *testing.T) {
	var h *harness
	var first atomic.Bool
	first.Store(true)
	committed := make(chan struct{})
	var resumed protocol.TurnStart
	h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		if first.Load() {
			h.commit(a, "I begin.", "c1")
			close(committed)
			<-ctx.Done()
			return ended(protocol.TurnEndStopped), nil // a worker reports this end after its call was cancelled
		}
		if a.Start.CommittedSteps == 0 {
			return h.echo(ctx, a)
		}
		resumed = a.Start
		result := protocol.ToolResult{Call: "c1", Name: "write_file", Text: "ok"}
		if _, err := h.db.Turns().CommitResult(t.Context(), a.Turn.ID, result); err != nil {
			t.Error(err)
		}
		h.commit(a, "I end.")
		return done, nil
	})
	home := h.conversation("ann", "")
	end := h.live()
	h.say(home, "hello")
	<-committed
	h.say(home, "and then?")
	end()
	if _, open := h.open(home); !open || len(h.outbox(home)) != 0 {
		t.Fatalf("after the shutdown the turn is open: %v, told were %v", open, h.outbox(home))
	}
	first.Store(false)
	end = h.live()
	if d := h.await(home, 1)[0]; d.Text != "I begin.\n\nI end." || resumed.CommittedSteps != 1 || len(resumed.PendingCalls) != 1 {
		t.Errorf("the next life answers %q, from %+v", d.Text, resumed)
	}
	h.await(home, 2) // waiting messages are answered without being woken
	end()
	if got := h.outbox(home); len(got) != 2 {
		t.Errorf("told were %+v", got)
	}
}

// TestAnsweredTurn_Restart_EndsWithoutWorker ends the process after the commit of the model's last
// message, and before the commit of the turn's end. The next process must end the turn without a
// worker.
func TestAnsweredTurn_Restart_EndsWithoutWorker(t *testing.T) {
	h := newHarness(t, func(context.Context, session.Attempt) (session.AttemptEnd, error) {
		t.Error("a worker was asked for")
		return done, nil
	})
	home := h.conversation("ann", "")
	turn, _, err := h.db.Turns().Start(t.Context(), h.keep(home, "hello").ID, nil)
	must(h, turn, err)
	h.commit(session.Attempt{Turn: turn, Stream: h.feeds.OpenStream(turn, "")}, "Hello.")
	h.live()
	if d := h.await(home, 1)[0]; d.Text != "Hello." {
		t.Errorf("the answer is %q", d.Text)
	}
}

func TestStore_FailsBriefly_AnswersAllMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *harness
		attempts := 0
		h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			if attempts++; attempts == 1 {
				return session.AttemptEnd{}, errors.New("killed")
			}
			return h.echo(ctx, a)
		})
		l := &flakyStore{Turns: h.db.Turns(), inbox: h.db.Inbox(), fails: map[string]int{},
			err: &supervisor.Error{Code: supervisor.CodeUnavailable, Message: "The disk is full."}}
		h.options.Turns, h.options.Inbox = l, l
		home := h.conversation("ann", "")
		h.live()
		h.say(home, "one")
		h.say(home, "two")
		got := h.await(home, 2)
		if got[0].Text != "re: one" || got[1].Text != "re: two" {
			t.Errorf("told were %q, %q", got[0].Text, got[1].Text)
		}
		for _, what := range []string{"next", "start", "open", "died", "finish"} {
			if n := l.tried(what); n <= 5 {
				t.Errorf("%s was tried only %d times", what, n)
			}
		}
	})
}

// TestStore_Refusal_IsNotRetried checks that the session does not retry a refused call without a
// pause, but stops until it is woken.
func TestStore_Refusal_IsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *harness
		attempts := 0
		h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			attempts++
			return ended(protocol.TurnEndStepLimit), nil
		})
		l := &flakyStore{Turns: h.db.Turns(), inbox: h.db.Inbox(), fails: map[string]int{"start": 9, "open": 9,
			"next": 9, "finish": 4},
			err: &supervisor.Error{Code: supervisor.CodeInvalid, Message: "No."}}
		h.options.Turns, h.options.Inbox = l, l
		home := h.conversation("ann", "")
		h.live()
		synctest.Wait() // otherwise the session may find the message twice: as unfinished, and by the wake-up
		h.say(home, "hello")
		synctest.Wait()
		if attempts != 1 || l.tried("finish") != 5 || len(h.outbox(home)) != 0 {
			t.Errorf("%d attempts, %d ends, told were %v", attempts, l.tried("finish")-4, h.outbox(home))
		}
		h.registry.WakeSession(home)
		h.await(home, 1)
	})
}

func TestWakeSession_WhileEnding_IsNotLost(t *testing.T) {
	var h *harness
	h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		return h.echo(ctx,
			a)
	})
	h.live()
	const each = 60
	var talking sync.WaitGroup
	for i := range 4 {
		c := h.conversation(fmt.Sprint("person", i%2), fmt.Sprint("chat", i))
		talking.Go(func() {
			for n := range each {
				h.say(c, fmt.Sprint(n))
				if n%3 == 0 { // in some rounds the session has just run out of work
					h.await(c, n+1)
				}
			}
			for n, d := range h.await(c, each) {
				if d.Text != fmt.Sprint("re: ", n) {
					t.Errorf("answer %d is %q", n, d.Text)
				}
			}
		})
	}
	talking.Wait()
}

func TestUserNoLongerServed_MessagesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *harness
		h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			return h.echo(ctx,
				a)
		})
		var gone atomic.Bool
		h.options.Serves = func(supervisor.Conversation) bool { return !gone.Load() }
		h.live()
		c := h.conversation("ann", "")
		gone.Store(true)
		h.say(c, "hello")
		synctest.Wait()
		if n := h.inbounds(supervisor.InboundNew); n != 1 || len(h.outbox(c)) != 0 {
			t.Errorf("%d wait, told were %+v", n, h.outbox(c))
		}
		gone.Store(false)
		h.registry.WakeSession(c)
		synctest.Wait()
		if told := h.outbox(c); len(told) != 1 || told[0].Text != "re: hello" {
			t.Errorf("told were %+v", told)
		}
	})
}

// TestJobTurn_AnswersInItsDestination checks that a job's turn has the history of its own
// conversation, but sends all messages to its destination.
func TestJobTurn_AnswersInItsDestination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *harness
		home, shown := supervisor.Conversation{}, ""
		attempts := 0
		h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			if attempts++; attempts == 1 {
				return session.AttemptEnd{}, &session.NoWorkerError{Until: time.Now().Add(time.Hour),
					Err: errors.New("died five times")}
			}
			a.Stream.AppendText("Good")
			if r, any := h.feeds.CurrentReply(home.ID); any {
				t.Errorf("shown where it answers was %q, which may have nothing to say", r.Text)
			}
			r, _ := h.feeds.CurrentReply(a.Turn.Conversation.ID)
			shown = r.Text + " in " + a.Start.Channel
			return h.echo(ctx, a)
		})
		home = h.conversation("ann", "")
		job := supervisor.Conversation{User: "ann", Channel: "job", Chat: "7"}
		in, _, err := h.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: job, Destination: home,
			Source: "job/7", Key: "1",
			Kind: supervisor.KindJob, Text: "say good morning"})
		in = must(h, in, err)
		h.live()
		got := h.await(home, 2)
		if got[0].Kind != supervisor.DeliveryNotice || got[1].Text != "re: say good morning" || len(h.outbox(in.Conversation)) != 0 {
			t.Errorf("told were %+v", got)
		}
		if shown != "Good in terminal" {
			t.Errorf("shown was %q", shown)
		}
	})
}
