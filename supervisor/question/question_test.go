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
)

// labels are what is on buttons.
func labels(list []supervisor.Button) (texts []string) {
	for _, b := range list {
		texts = append(texts, b.Text)
	}
	return texts
}

func TestAPersonIsAskedAndAnswers(t *testing.T) {
	for _, c := range []struct {
		kind   supervisor.QuestionKind
		labels []string
		button int
		answer supervisor.Answer
		reads  string
	}{
		{"budget", []string{"Go on, up to $0.50 more", "Stop"}, 0, "once", "Going on, with up to $0.50 more."},
		{"budget", []string{"Go on, up to $0.50 more", "Stop"}, 1, "deny", "Not going on."},
		{"approval", []string{"Once", "Always for exactly this", "Deny"}, 0, "once", "Allowed once."},
		{"approval", []string{"Once", "Always for exactly this", "Deny"}, 1, "always",
			"Allowed from now on, for exactly this."},
		{"approval", []string{"Once", "Always for exactly this", "Deny"}, 2, "deny", "Denied."},
	} {
		t.Run(fmt.Sprint(c.kind, " ", c.answer), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				q := r.approval()
				if c.kind == supervisor.QuestionBudget {
					q = r.money()
				}
				done := r.ask(t.Context(), q)
				synctest.Wait()
				r.same("told", r.said, []int64{r.turn.Conversation.ID})
				r.same("labels", labels(r.buttons()), c.labels)
				for _, b := range r.buttons() {
					if len(b.Press) > 64 {
						t.Errorf("%q is too long", b.Press)
					}
				}
				pressed := r.buttons()[c.button].Press
				r.same("reads", r.press(pressed), c.reads)
				r.same("answer", <-done, outcome{c.answer, nil})
				r.same("audited", r.audited(), []string{fmt.Sprintf("alice question.%s question 1, %s %s", c.answer, c.kind, q.Tool)})
				again := "This was answered before: " + strings.ToLower(c.reads[:1]) + c.reads[1:]
				r.same("pressed again", r.press(pressed), again)
			})
		})
	}
}

func TestWhatNobodyAnswersIsDenied(t *testing.T) {
	for _, c := range []struct {
		question func(*rig) supervisor.Question
		stands   time.Duration
	}{{(*rig).money, 10 * time.Minute}, {(*rig).approval, time.Hour}} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			begun := time.Now()
			done := r.ask(t.Context(), c.question(r))
			got := <-done
			r.same("answer", got.Answer, supervisor.SayNo)
			r.same("after", time.Since(begun).Round(time.Second), c.stands)
			r.same("deliveries", r.deliveries(), 1)
			text := r.press(r.buttons()[0].Press)
			if !strings.Contains(text, "has expired") {
				t.Errorf("it reads %q", text)
			}
		})
	}
}

// A crash leaves the row, and the person with the buttons.
func TestAQuestionOutlivesWhoeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		dying, die := context.WithCancelCause(t.Context())
		dead := errors.New("dead")
		done := r.ask(dying, r.approval())
		synctest.Wait()
		die(dead)
		if got := <-done; !errors.Is(got.Err, dead) {
			t.Fatalf("got %+v", got)
		}
		r.questions = r.newQuestions()
		done = r.ask(t.Context(), r.approval())
		synctest.Wait()
		r.same("deliveries", r.deliveries(), 1)
		r.same("reads", r.press(r.buttons()[0].Press), "Allowed once.")
		r.same("answer", (<-done).Answer, supervisor.SayOnce)
		done = r.ask(t.Context(), r.approval())
		synctest.Wait()
		r.same("deliveries, asked anew", r.deliveries(), 2)
		r.press(r.buttons()[2].Press)
		<-done
	})
}

func TestAnAnswerThatCameWhileNobodyWaitedIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		dying, die := context.WithCancel(t.Context())
		done := r.ask(dying, r.approval())
		synctest.Wait()
		die()
		<-done
		r.press(r.buttons()[0].Press)
		r.questions = r.newQuestions()
		r.same("answer", <-r.ask(t.Context(), r.approval()), outcome{supervisor.SayOnce, nil})
		r.same("deliveries", r.deliveries(), 1)
	})
}

// Two that ask the same share the question, and what is allowed once is for one of them.
func TestOnceIsForOneOfTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		one, two := r.ask(t.Context(), r.approval()), r.ask(t.Context(), r.approval())
		synctest.Wait()
		r.same("deliveries", r.deliveries(), 1)
		r.press(r.buttons()[0].Press)
		synctest.Wait()
		r.same("deliveries then", r.deliveries(), 2)
		r.press(r.buttons()[2].Press)
		got := map[supervisor.Answer]int{}
		for _, done := range []<-chan outcome{one, two} {
			got[(<-done).Answer]++
		}
		r.same("answers", got, map[supervisor.Answer]int{"once": 1, "deny": 1})
	})
}

func TestOfManyPressesOneIsAudited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		done := r.ask(t.Context(), r.approval())
		synctest.Wait()
		var group sync.WaitGroup
		for i := range 20 {
			press := r.buttons()[i%3].Press
			group.Go(func() { r.press(press) })
		}
		group.Wait()
		got := <-done
		r.same("audited", r.audited(), []string{fmt.Sprintf("alice question.%s question 1, approval send_file", got.Answer)})
	})
}

func TestAStoppedTurnIsNotGoneOnWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		ctx, stop := context.WithCancel(t.Context())
		done := r.ask(ctx, r.approval())
		synctest.Wait()
		stop()
		<-done
		r.finish()
		pending, err := r.db.Outbox().ListPending(t.Context(), r.turn.Conversation.ID, 0, 1)
		r.must(err)
		if text := r.press(pending[0].Buttons[1][0].Press); !strings.Contains(text, "was stopped") {
			t.Errorf("it reads %q", text)
		}
		granted, err := r.db.Grants().Granted(t.Context(), "alice", r.approval().Subject)
		r.must(err)
		r.same("granted", granted, false)
	})
}

func TestAQuestionOfNoTurnEndsWithWhoeverAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		q := r.approval()
		q.Turn = 0
		ctx, stop := context.WithCancel(t.Context())
		done := r.ask(ctx, q)
		synctest.Wait()
		stop()
		<-done
		if text := r.press(r.buttons()[0].Press); !strings.Contains(text, "has expired") {
			t.Errorf("it reads %q", text)
		}
	})
}

// A turn whose answer is not needed any more asks anew where it needs another one.
func TestAQuestionIsWithdrawnWhoseAnswerIsNotNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		ctx, withdraw := context.WithCancelCause(t.Context())
		done := r.ask(ctx, r.money())
		synctest.Wait()
		r.same("told", len(r.said), 1)
		withdraw(supervisor.ErrAnswerNotNeeded)
		if got := <-done; !errors.Is(got.Err, supervisor.ErrAnswerNotNeeded) {
			t.Errorf("got %+v", got)
		}
		r.same("told that the buttons are to go", len(r.said), 2)
		if text := r.press(r.buttons()[0].Press); !strings.Contains(text, "has expired") {
			t.Errorf("it reads %q", text)
		}
		done = r.ask(t.Context(), r.money())
		synctest.Wait()
		r.same("deliveries", r.deliveries(), 2)
		r.press(r.buttons()[0].Press)
		r.same("answer", (<-done).Answer, supervisor.SayOnce)
	})
}

func TestForeignPressesAreAudited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		done := r.ask(t.Context(), r.approval())
		synctest.Wait()
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
			text, err := r.questions.Press(t.Context(), c.user, c.conversation, c.press)
			r.same("code", supervisor.ErrorCode(err), supervisor.CodeForbidden)
			r.same("reads", text+supervisor.ErrorMessage(err), reads)
			r.same("audited", r.audited(), []string{fmt.Sprint(c.user, " question.foreign conversation ", c.conversation)})
		}
		r.same("reads", r.press(right), "Allowed once.")
		<-done
	})
}
