package question_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor"
	"mews/supervisor/problem"
)

// labels returns the texts of buttons.
func labels(list []supervisor.Button) (texts []string) {
	for _, b := range list {
		texts = append(texts, b.Text)
	}
	return texts
}

func TestPress_Button_AnswersQuestion(t *testing.T) {
	for _, c := range []struct {
		kind   supervisor.QuestionKind
		labels []string
		button int
		answer supervisor.AnswerChoice
		reads  string
	}{
		{"budget", []string{"Go on, up to $0.50 more", "Stop", "Skip"}, 0, "once", "Going on, with up to $0.50 more."},
		{"budget", []string{"Go on, up to $0.50 more", "Stop", "Skip"}, 1, "deny", "Stopped."},
		{"approval", []string{"Once", "Always for exactly this", "Deny", "Skip"}, 0, "once", "Allowed once."},
		{"approval", []string{"Once", "Always for exactly this", "Deny", "Skip"}, 1, "always",
			"Allowed from now on, for exactly this."},
		{"approval", []string{"Once", "Always for exactly this", "Deny", "Skip"}, 2, "deny", "Denied."},
		{"budget", []string{"Go on, up to $0.50 more", "Stop", "Skip"}, 2, "deny", "(Skipped.)"},
		{"approval", []string{"Once", "Always for exactly this", "Deny", "Skip"}, 3, "deny", "(Skipped.)"},
	} {
		t.Run(fmt.Sprint(c.kind, " ", c.labels[c.button]), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				r.run()
				q := r.approval()
				if c.kind == supervisor.QuestionBudget {
					q = r.money()
				}
				r.expectWaiting(q)
				r.same("told", r.said, []int64{r.turn.Conversation.ID})
				r.same("labels", labels(r.buttons()), c.labels)
				for _, b := range r.buttons() {
					if len(b.Press) > 64 {
						t.Errorf("%q is too long", b.Press)
					}
				}
				pressed := r.buttons()[c.button].Press
				r.same("reads", r.press(pressed), c.reads)
				r.same("its turn goes on", <-r.resumed, r.turn.Conversation.ID)
				r.same("answer", r.askForTurn(q), answered(c.answer))
				r.same("audited", r.audited(), []string{fmt.Sprintf("alice question.%s question 1, %s %s", c.answer, c.kind, q.Tool)})
				again := "This was answered before: " + strings.ToLower(c.reads[:1]) + c.reads[1:]
				r.same("pressed again", r.press(pressed), again)
			})
		})
	}
}

// expectWaiting asks a question for the turn, and checks that the turn waits.
func (r *rig) expectWaiting(q supervisor.Question) {
	r.Helper()
	if got := r.askForTurn(q); !errors.Is(got.Err, supervisor.ErrWaitsForAnswer) {
		r.Fatalf("got %+v", got)
	}
}

// A question expires a day after its delivery. Then its turn continues without an answer.
func TestQuestion_Unanswered_Expires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.run()
		r.expectWaiting(r.approval())
		synctest.Wait()
		<-time.After(48 * time.Hour)
		r.same("while nobody can have read it", len(r.resumed), 0)
		begun, pressed := time.Now(), r.buttons()[0].Press
		r.delivered()
		r.same("its turn goes on", <-r.resumed, r.turn.Conversation.ID)
		r.same("after", time.Since(begun).Round(time.Second), 24*time.Hour)
		r.same("end", r.askForTurn(r.approval()), outcome{supervisor.QuestionExpired, supervisor.AnswerChoiceNone, nil})
		if text := r.press(pressed); !strings.Contains(text, "has expired") {
			t.Errorf("it reads %q", text)
		}
	})
}

func TestExpiryTime_Changed_AppliesToNextQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.stands = time.Hour
		r.questions = r.newQuestions()
		r.run()
		begun := time.Now()
		r.expectWaiting(r.approval())
		r.delivered()
		<-r.resumed
		r.same("after", time.Since(begun).Round(time.Second), time.Hour)
	})
}

// After a restart, the stored question and the user's buttons are still valid. An answer during the
// restart counts.
func TestQuestion_Restart_StaysOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		stop := r.run()
		r.expectWaiting(r.approval())
		stop()
		r.questions = r.newQuestions()
		r.expectWaiting(r.approval())
		r.same("deliveries", r.deliveries(), 1)
		r.same("reads", r.press(r.buttons()[0].Press), "Allowed once.")
		r.questions = r.newQuestions()
		r.run()
		r.same("its turn goes on", <-r.resumed, r.turn.Conversation.ID)
		r.same("answer", r.askForTurn(r.approval()), answered(supervisor.AnswerChoiceOnce))
		r.expectWaiting(r.approval())
		r.same("deliveries, asked anew", r.deliveries(), 2)
	})
}

// A command waits for the answer to its question. If the command runs again after a crash, it finds
// its question.
func TestAsk_Command_WaitsForAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.run()
		dying, die := context.WithCancelCause(t.Context())
		dead := errors.New("dead")
		done := r.ask(dying, r.ofCommand())
		synctest.Wait()
		die(dead)
		if got := <-done; !errors.Is(got.Err, dead) {
			t.Fatalf("got %+v", got)
		}
		done = r.ask(t.Context(), r.ofCommand())
		synctest.Wait()
		r.same("deliveries", r.deliveries(), 1)
		r.same("reads", r.press(r.buttons()[0].Press), "Allowed once.")
		r.same("answer", <-done, answered(supervisor.AnswerChoiceOnce))
		r.same("answer, run again", <-r.ask(t.Context(), r.ofCommand()), answered(supervisor.AnswerChoiceOnce))
		r.same("deliveries then", r.deliveries(), 1)
	})
}

func TestPress_Repeated_IsAuditedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.expectWaiting(r.approval())
		var group sync.WaitGroup
		presses := r.buttons()
		for i := range 20 {
			group.Go(func() { r.press(presses[i%3].Press) })
		}
		group.Wait()
		r.same("audited", r.audited(), []string{fmt.Sprintf("alice question.%s question 1, approval send_file", r.askForTurn(r.approval()).Say)})
	})
}

func TestPress_StoppedTurn_StaysStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.run()
		r.expectWaiting(r.approval())
		pressed := r.buttons()[1].Press
		r.finish()
		if text := r.press(pressed); !strings.Contains(text, "was stopped") {
			t.Errorf("it reads %q", text)
		}
		granted, err := r.db.Grants().HasGrant(t.Context(), "alice", r.approval().Subject)
		r.must(err)
		r.same("granted", granted, false)
		synctest.Wait()
		r.same("gone on with", len(r.resumed), 0)
	})
}

func TestAsk_CallerGone_EndsQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.run()
		q := r.approval()
		q.Turn = 0
		ctx, stop := context.WithCancel(t.Context())
		done := r.ask(ctx, q)
		synctest.Wait()
		pressed := r.buttons()[0].Press
		stop()
		<-done
		if text := r.press(pressed); !strings.Contains(text, "has ended") {
			t.Errorf("it reads %q", text)
		}
	})
}

func TestPress_OtherUsersQuestion_IsAudited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.expectWaiting(r.approval())
		right := r.buttons()[0].Press
		const reads = "This button does nothing here: it belongs to another person, another chat, or nothing at all."
		bob := r.begin("bob").Conversation
		for _, c := range []struct {
			user         string
			conversation int64
			press        string
		}{
			{"bob", bob.ID, right}, {"bob", r.turn.Conversation.ID, right}, {"alice", bob.ID, right},
			{"alice", r.turn.Conversation.ID, "q:AAAAAAAAAAAAAAAAAAAAAA:once"}, {"alice", r.turn.Conversation.ID, "q:x:once"},
			{"alice", r.turn.Conversation.ID, right + "x"}, {"alice", r.turn.Conversation.ID, ""},
		} {
			pressed, err := r.questions.RecordPress(t.Context(), c.user, c.conversation, c.press)
			r.same("code", supervisor.ErrorCodeOf(err), supervisor.CodeForbidden)
			r.same("reads", pressed.Text+problem.UserText(err), reads)
			r.same("audited", r.audited(), []string{fmt.Sprint(c.user, " question.foreign conversation ", c.conversation)})
		}
		r.same("reads", r.press(right), "Allowed once.")
	})
}
