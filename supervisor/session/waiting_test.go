package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/reply"
	"mews/supervisor/session"
)

// wants chooses for all users how messages sent during a turn are handled.
func (h *harness) wants(mode supervisor.BusyMode) {
	h.options.Busy = func(context.Context, string) supervisor.BusyMode { return mode }
}

// allText returns all texts of the user in an attempt's turn.
func (h *harness) allText(a session.Attempt) string {
	open, _ := h.open(a.Turn.Conversation)
	var all []string
	for _, m := range open.Messages {
		if m.Role == protocol.RoleUser {
			all = append(all, m.Text())
		}
	}
	return strings.Join(all, ", ")
}

const cut = "(Stopped, because you wrote more. The next answer covers all your messages.)"

func TestNewMessage_StopMode_StopsTheTurn(t *testing.T) {
	for mode, want := range map[supervisor.BusyMode][]string{
		supervisor.BusyRestart: {"half\n\n" + cut, "re: two"},
		supervisor.BusyQueue:   {"half", "re: two"},
		// the message would join the turn's next step, but the turn has none
		supervisor.BusySteer: {"half", "re: two"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var h *harness
			attempts, release := 0, make(chan struct{})
			h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
				if attempts++; attempts > 1 {
					return h.echo(ctx, a)
				}
				a.Stream.AppendText("half")
				select {
				case <-ctx.Done():
					return ended(protocol.TurnEndStopped), nil
				case <-release:
				}
				a.Stream.ResetStep()
				h.commit(a, "half")
				return done, nil
			})
			h.wants(mode)
			home := h.conversation("ann", "")
			h.live()
			h.say(home, "one")
			synctest.Wait()
			h.say(home, "two")
			synctest.Wait()
			close(release)
			for i, d := range h.await(home, 2) {
				if d.Text != want[i] {
					t.Errorf("%s: answer %d is %q, want %q", mode, i, d.Text, want[i])
				}
			}
			said := []string{"one", "half", "two", "re: two"}
			transcript, err := h.db.Transcript().ListMessages(t.Context(), home.ID)
			for i, m := range must(h, transcript, err) {
				if i >= len(said) || m.Text() != said[i] {
					t.Errorf("%s: message %d of the transcript is %q, want %q", mode, i, m.Text(), said)
				}
			}
			if n := h.inbounds(supervisor.InboundAnswered); n != 2 {
				t.Errorf("%s: %d messages are answered", mode, n)
			}
		})
	}
}

// TestWaitingMessages_GetOneAnswer checks that waiting messages join a turn that has done nothing
// yet.
func TestWaitingMessages_GetOneAnswer(t *testing.T) {
	var h *harness
	h = newHarness(t, func(_ context.Context, a session.Attempt) (session.AttemptEnd, error) {
		h.commit(a, "re: "+h.allText(a))
		return done, nil
	})
	h.wants(supervisor.BusyRestart)
	home := h.conversation("ann", "")
	for _, text := range []string{"one", "two", "three"} {
		h.keep(home, text)
	}
	h.live()
	if d := h.await(home, 1)[0]; d.Text != "re: one, two, three" || len(d.AlsoKeys) != 2 {
		t.Errorf("the answer is %q, also to %q", d.Text, d.AlsoKeys)
	}
	if n := h.inbounds(supervisor.InboundAnswered); n != 3 {
		t.Errorf("%d messages are answered", n)
	}
}

// TestNewMessage_NoStepYet_RestartsTurn checks that one answer covers all messages if the
// stopped turn has shown nothing yet.
func TestNewMessage_NoStepYet_RestartsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *harness
		h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			if h.allText(a) != "one, two, three" {
				<-ctx.Done()
				return ended(protocol.TurnEndStopped), nil
			}
			h.commit(a, "re: "+h.allText(a))
			return done, nil
		})
		h.wants(supervisor.BusyRestart)
		home := h.conversation("ann", "")
		h.live()
		for _, text := range []string{"one", "two", "three"} {
			h.say(home, text)
			synctest.Wait()
		}
		got := h.outbox(home)
		if len(got) != 1 || got[0].Text != "re: one, two, three" || len(got[0].AlsoKeys) != 2 {
			t.Errorf("told was %+v", got)
		}
		if n := h.inbounds(supervisor.InboundAnswered); n != 3 {
			t.Errorf("%d messages are answered", n)
		}
	})
}

// TestNewMessage_TooLongToJoin_EndsTurn checks that a text that is too long to join the turn stops
// it, and gets its own answer.
func TestNewMessage_TooLongToJoin_EndsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *harness
		h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			if h.question(a) != "one" {
				h.commit(a, "read")
				return done, nil
			}
			<-ctx.Done()
			return ended(protocol.TurnEndStopped), nil
		})
		h.wants(supervisor.BusyRestart)
		home := h.conversation("ann", "")
		h.live()
		h.say(home, "one")
		synctest.Wait()
		h.say(home, strings.Repeat("long ", 8<<10))
		got := h.await(home, 2)
		if got[0].Text != cut || got[1].Text != "read" {
			t.Errorf("told were %q, then %q", got[0].Text, got[1].Text)
		}
	})
}

// TestStop_RestartedTurn_EndsTurn checks that a /stop also ends a turn that is just being
// restarted.
func TestStop_RestartedTurn_EndsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, func(ctx context.Context, _ session.Attempt) (session.AttemptEnd, error) {
			<-ctx.Done()
			return ended(protocol.TurnEndStopped), nil
		})
		h.wants(supervisor.BusyRestart)
		home := h.conversation("ann", "")
		h.live()
		first := h.say(home, "one")
		synctest.Wait()
		h.say(home, "two")
		synctest.Wait()
		h.came("the stop", h.stop(home, h.command(home)), stopped(first, 0))
		got := h.outbox(home)
		if len(got) != 1 || got[0].Text != "(Stopped, as you asked.)" || len(got[0].AlsoKeys) != 1 {
			t.Errorf("told was %+v", got)
		}
	})
}

// TestStoppedMessage_StaysInModelRequest checks a long turn that leaves little room for the
// history. The message of the stopped turn must stay in the request.
func TestStoppedMessage_StaysInModelRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *harness
		var attempts []session.Attempt
		h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			if attempts = append(attempts, a); h.question(a) == "three" {
				return h.echo(ctx, a)
			}
			a.Stream.AppendText("half")
			<-ctx.Done()
			return ended(protocol.TurnEndStopped), nil
		})
		h.wants(supervisor.BusyRestart)
		home := h.conversation("ann", "")
		h.live()
		for _, text := range []string{"one", "two", "three", "four"} {
			h.say(home, text)
			synctest.Wait()
		}
		var first []int64
		for _, a := range attempts {
			first = append(first, a.First)
		}
		one, four := attempts[0].Start.LastMessage, attempts[3].Start.LastMessage
		if want := []int64{one, one, one, four}; !slices.Equal(first, want) {
			t.Errorf("what is to be answered begins with messages %d, want %d", first, want)
		}
	})
}

// TestFollowUp_WaitsForRestartedTurn checks that a follow-up does not stop the turn. A message that
// stops the turn is answered before the follow-up, even after a crash.
func TestFollowUp_WaitsForRestartedTurn(t *testing.T) {
	var h *harness
	begun := make(chan struct{}, 2)
	h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		if h.allText(a) == "one" {
			begun <- struct{}{}
			a.Stream.AppendText("half")
			<-ctx.Done()
			return ended(protocol.TurnEndStopped), nil
		}
		return h.echo(ctx, a)
	})
	h.wants(supervisor.BusyRestart)
	home := h.conversation("ann", "")
	end := h.live()
	h.say(home, "one")
	<-begun
	in, _, err := h.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: home, Source: "test",
		Key: "later", Kind: supervisor.KindText,
		Text: "later", Priority: supervisor.PriorityFollowup})
	must(h, in, err)
	h.registry.WakeSession(home)
	end()
	h.live()
	<-begun // the turn continues, because it was not stopped
	h.say(home, "two")
	var texts []string
	for _, d := range h.await(home, 3) {
		texts = append(texts, d.Text)
	}
	if want := []string{"half\n\n" + cut, "re: two", "re: later"}; !slices.Equal(texts, want) {
		t.Errorf("told were %q, want %q", texts, want)
	}
}

// TestNewMessage_BeforeCrash_StopsTheTurn checks that a message from before a crash stops the turn
// that continues after the crash, because the message is on disk.
func TestNewMessage_BeforeCrash_StopsTheTurn(t *testing.T) {
	var h *harness
	h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		if h.allText(a) == "one" {
			<-ctx.Done()
			return ended(protocol.TurnEndStopped), nil
		}
		return h.echo(ctx, a)
	})
	h.wants(supervisor.BusyRestart)
	home := h.conversation("ann", "")
	turn, _, err := h.db.Turns().Start(t.Context(), h.keep(home, "one").ID, nil)
	must(h, turn, err)
	h.commit(session.Attempt{Turn: turn, Stream: h.feeds.OpenStream(turn, "")}, "I write.", "c1")
	h.keep(home, "two")
	h.live()
	got := h.await(home, 2)
	if got[0].Text != "I write.\n\n"+cut || got[1].Text != "re: two" {
		t.Errorf("told were %q, then %q", got[0].Text, got[1].Text)
	}
}

// steered runs the turn of the message "one": it calls a tool, stores the result, and then takes in
// the message "two".
func (h *harness) steered(a session.Attempt) {
	h.commit(a, "I look.", "c1")
	result := protocol.ToolResult{Call: "c1", Name: "write_file", Text: "ok"}
	if _, err := h.db.Turns().CommitResult(h.Context(), a.Turn.ID, result); err != nil {
		h.Error(err)
	}
	h.keep(a.Turn.Conversation, "two")
	if n, err := h.db.Turns().AddWaitingTexts(h.Context(), a.Turn.ID, 1<<10, supervisor.PriorityUsual); n != 1 ||
		err != nil {
		h.Errorf("%d messages were taken in, %v", n, err)
	}
}

func TestJoinedMessage_WorkerDies_StaysInTurn(t *testing.T) {
	var h *harness
	var attempts []session.Attempt
	h = newHarness(t, func(_ context.Context, a session.Attempt) (session.AttemptEnd, error) {
		if attempts = append(attempts, a); len(attempts) == 1 {
			h.steered(a)
			return session.AttemptEnd{}, errors.New("signal: killed")
		}
		h.commit(a, "re: "+h.allText(a))
		return done, nil
	})
	h.wants(supervisor.BusySteer)
	home := h.conversation("ann", "")
	h.live()
	h.say(home, "one")
	d := h.await(home, 1)[0]
	if !strings.HasSuffix(d.Text, "re: one, two") || len(d.AlsoKeys) != 1 {
		t.Errorf("the answer is %q, also to %q", d.Text, d.AlsoKeys)
	}
	first, again := attempts[0], attempts[1]
	if again.First != first.First || again.First != first.Start.LastMessage || again.Start.CommittedSteps != 1 || again.Start.LastMessage != first.Start.LastMessage+3 ||
		len(again.Start.PendingCalls) != 0 {
		t.Errorf("the second attempt starts with %+v, the first did with %+v", again.Start, first.Start)
	}
	if n := h.inbounds(supervisor.InboundAnswered); n != 2 || len(h.outbox(home)) != 1 {
		t.Errorf("%d messages are answered, by %d answers", n, len(h.outbox(home)))
	}
}

// TestJoinedMessage_Crash_ReplyIsTheSame ends the process after the commit of the last step. The
// reply that is computed again must equal the reply that the user saw.
func TestJoinedMessage_Crash_ReplyIsTheSame(t *testing.T) {
	h := newHarness(t, func(context.Context, session.Attempt) (session.AttemptEnd, error) {
		t.Error("a worker was asked for")
		return done, nil
	})
	home := h.conversation("ann", "")
	turn, _, err := h.db.Turns().Start(t.Context(), h.keep(home, "one").ID, nil)
	must(h, turn, err)
	a := session.Attempt{Turn: turn, Stream: h.feeds.OpenStream(turn, "")}
	h.steered(a)
	h.commit(a, "Both are done.")
	h.live()
	if d := h.await(home, 1)[0]; d.Text != "I look.\n\n"+reply.LineAboutReadMessages(1)+"\n\nBoth are done." {
		t.Errorf("the answer is %q", d.Text)
	}
}

func TestJoinedMessages_TurnParked_AreParked(t *testing.T) {
	var h *harness
	attempts := 0
	h = newHarness(t, func(_ context.Context, a session.Attempt) (session.AttemptEnd, error) {
		if attempts++; attempts == 1 {
			h.steered(a)
		}
		return session.AttemptEnd{}, errors.New("signal: killed")
	})
	home := h.conversation("ann", "")
	h.live()
	h.say(home, "one")
	if d := h.await(home, 1)[0]; !strings.Contains(d.Text, "your last 2 messages") {
		t.Errorf("told was %q", d.Text)
	}
	if n := h.inbounds(supervisor.InboundParked); n != 2 {
		t.Errorf("%d messages are parked", n)
	}
}

// TestStop_EndsJoinedMessagesToo checks that a /stop ends the turn together with the messages that
// have joined it. Later messages are not affected.
func TestStop_EndsJoinedMessagesToo(t *testing.T) {
	var h *harness
	ready := make(chan struct{})
	h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		if h.allText(a) != "one" {
			return h.echo(ctx, a)
		}
		h.steered(a)
		close(ready)
		<-ctx.Done()
		if n, err := h.db.Turns().AddWaitingTexts(t.Context(), a.Turn.ID, 1<<10, supervisor.PriorityUsual); n != 0 ||
			err != nil {
			t.Errorf("%d messages were taken in that were sent after the stop, %v", n, err)
		}
		return ended(protocol.TurnEndStopped), nil
	})
	h.wants(supervisor.BusySteer)
	home := h.conversation("ann", "")
	h.live()
	first := h.say(home, "one")
	<-ready
	command := h.command(home)
	h.say(home, "three")
	h.came("the stop", h.stop(home, command), stopped(first, 1))
	got := h.await(home, 2)
	if !strings.HasSuffix(got[0].Text, "(Stopped, as you asked.)") || len(got[0].AlsoKeys) != 1 || got[1].Text != "re: three" {
		t.Errorf("told were %+v", got)
	}
}
