package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/session"
	"mews/supervisor/sqlite"
)

// commitLast stores the last step of an attempt, as the worker's connection does. It returns
// whether the turn has ended with the step.
func (h *harness) commitLast(ctx context.Context, a session.Attempt, text string,
	replaced *modelcall.ReplacedModel) (ended bool, err error) {
	step := sqlite.Step{Turn: a.Turn.ID, Model: "test", Spec: "other/model",
		Message: protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: text}}}}
	if _, ended, err = a.CommitLast(ctx, step, text, replaced); err == nil {
		a.Stream.CommitStep(text)
	}
	return ended, err
}

// TestLastStep_EndsTheTurn checks that the worker can't change a turn after the model's last
// message has ended it.
func TestLastStep_EndsTheTurn(t *testing.T) {
	for name, last := range map[string]func() (session.AttemptEnd, error){
		"done":      func() (session.AttemptEnd, error) { return done, nil },
		"an error":  func() (session.AttemptEnd, error) { return ended(protocol.TurnEndError), nil },
		"its limit": func() (session.AttemptEnd, error) { return ended(protocol.TurnEndStepLimit), nil },
		"its death": func() (session.AttemptEnd, error) { return session.AttemptEnd{}, errors.New("signal: killed") },
		"no worker": func() (session.AttemptEnd, error) {
			return session.AttemptEnd{}, &session.NoWorkerError{Err: errors.New("broken")}
		},
		"a bad end":   func() (session.AttemptEnd, error) { return ended("bored"), nil },
		"what it has": nil,
	} {
		t.Run(name, func(t *testing.T) {
			var h *harness
			attempts := 0
			h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
				attempts++
				q := h.question(a)
				h.commit(a, "I look.", "c"+q)
				result := protocol.ToolResult{Call: "c" + q, Name: "write_file", Text: "ok"}
				if _, err := h.db.Turns().CommitResult(ctx, a.Turn.ID, result); err != nil {
					t.Error(err)
				}
				if ended, err := h.commitLast(ctx, a, "re: "+q, &modelcall.ReplacedModel{Spec: "first/model",
					Reason: "is overloaded"}); err != nil || !ended {
					t.Errorf("ended %t, %v", ended, err)
				}
				if d := h.outbox(a.Turn.Conversation); !strings.HasPrefix(d[len(d)-1].Text, "I look.\n\nre: "+q) {
					t.Errorf("before the worker hears of it there is %q", d[len(d)-1].Text)
				}
				if last == nil {
					return done, nil
				}
				return last()
			})
			home := h.conversation("ann", "")
			end := h.live()
			h.say(home, "one")
			const replaced = "\n\n(Answered by other/model: first/model is overloaded.)"
			if d := h.await(home, 1)[0]; d.Text != "I look.\n\nre: one"+replaced || d.TurnEnd != protocol.TurnEndDone {
				t.Errorf("told was %q (%s)", d.Text, d.TurnEnd)
			}
			h.say(home, "two")
			if d := h.await(home, 2)[1]; d.Text != "I look.\n\nre: two"+replaced {
				t.Errorf("told then was %q", d.Text)
			}
			end() // the answer comes before the worker reports its end
			if attempts != 2 {
				t.Errorf("%d attempts", attempts)
			}
		})
	}
}

// TestLastStep_MessageWaiting_TurnContinues checks that a turn does not end with its last step if
// a message waits. The turn might still take the message in. If it does not, the message gets its
// own turn.
func TestLastStep_MessageWaiting_TurnContinues(t *testing.T) {
	var h *harness
	h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		if q := h.question(a); q == "one" {
			h.keep(a.Turn.Conversation, "two")
			if ended, err := h.commitLast(ctx, a, "re: one", nil); err != nil || ended {
				t.Errorf("ended %t, %v", ended, err)
			}
			return done, nil
		}
		return h.echo(ctx, a)
	})
	home := h.conversation("ann", "")
	h.live()
	h.say(home, "one")
	if d := h.await(home, 2); d[0].Text != "re: one" || d[1].Text != "re: two" {
		t.Errorf("told were %q and %q", d[0].Text, d[1].Text)
	}
}

// TestStop_AfterLastStep_KeepsAnswer checks that a /stop or a new message changes nothing after the
// last step has ended the turn.
func TestStop_AfterLastStep_KeepsAnswer(t *testing.T) {
	for name, why := range map[string]protocol.TurnEndReason{"the worker has stopped": protocol.TurnEndStopped,
		"it was done": protocol.TurnEndDone} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h *harness
				h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
					if h.question(a) != "one" {
						return h.echo(ctx, a)
					}
					if ended, err := h.commitLast(ctx, a, "re: one", nil); err != nil || !ended {
						t.Errorf("ended %t, %v", ended, err)
					}
					if why == protocol.TurnEndStopped {
						h.say(a.Turn.Conversation, "two")
						<-ctx.Done()
					}
					return ended(why), nil
				})
				h.wants(supervisor.BusyRestart)
				home := h.conversation("ann", "")
				h.live()
				one := h.say(home, "one")
				synctest.Wait()
				command := h.command(home)
				got := h.stop(home, command)
				if got.Why == protocol.TurnEndStopped || got.Inbound == one.ID && got.Why != protocol.TurnEndDone {
					t.Errorf("the stop came to %+v", got)
				}
				if d := h.await(home, 1)[0]; d.Text != "re: one" {
					t.Errorf("told was %q", d.Text)
				}
			})
		})
	}
}

// TestStop_TurnEndsMeanwhile_StopIsAnswered checks that the answer to a waiting /stop says that the
// turn has ended by itself.
func TestStop_TurnEndsMeanwhile_StopIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *harness
		h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			<-ctx.Done() // the turn is stopped, but its last message is already there
			if ended, err := h.commitLast(context.WithoutCancel(ctx), a, "re: one", nil); err != nil || !ended {
				t.Errorf("ended %t, %v", ended, err)
			}
			return ended(protocol.TurnEndStopped), nil
		})
		home := h.conversation("ann", "")
		h.live()
		one := h.say(home, "one")
		synctest.Wait()
		h.came("the stop", h.stop(home, h.command(home)), sqlite.PrecedingText{Inbound: one.ID,
			Why: protocol.TurnEndDone})
		if d := h.await(home, 1)[0]; d.Text != "re: one" {
			t.Errorf("told was %q", d.Text)
		}
	})
}
