package sqlite_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mews/supervisor"
)

var (
	subject  = strings.Repeat("5", 64)
	nonceA   = strings.Repeat("a", 64)
	nonceB   = strings.Repeat("b", 64)
	onceDeny = [][]supervisor.Button{{{Text: "Once", Press: "q:n:once"}}, {{Text: "Deny", Press: "q:n:deny"}}}
)

// approval is a question of a turn's about subject that stands for an hour.
func approval(s *story, turn supervisor.Turn) supervisor.Question {
	return supervisor.Question{Conversation: turn.Conversation, Turn: turn.ID, Kind: supervisor.QuestionApproval,
		Tool: "send_file", Subject: subject, Text: "May I send a.txt?", ExpiresAt: s.now.Add(time.Hour)}
}

func ask(s *story, q supervisor.Question, digest string) (supervisor.Question, bool) {
	s.Helper()
	asked, fresh, err := s.db.Questions().Ask(s.Context(), q, digest, onceDeny)
	s.must(err)
	return asked, fresh
}

// press is what a press of alice's at her home comes to.
func press(s *story, digest string, answer supervisor.Answer) supervisor.PressResult {
	s.Helper()
	_, came, err := s.db.Questions().Press(s.Context(), supervisor.Press{Digest: digest, User: "alice",
		Conversation: s.home.ID, Answer: answer})
	s.must(err)
	return came
}

func use(s *story, id int64) (supervisor.Answer, bool) {
	s.Helper()
	answer, taken, err := s.db.Questions().Use(s.Context(), id)
	s.must(err)
	return answer, taken
}

func TestAQuestionIsAskedOnceWithItsDelivery(t *testing.T) {
	s := newStory(t)
	q := approval(s, s.begun("send it"))
	first, fresh := ask(s, q, nonceA)
	q.ID = first.ID
	s.same("question", first, q)
	s.same("fresh", fresh, true)
	again, fresh := ask(s, q, nonceB)
	s.same("the same again", again, q)
	s.same("fresh again", fresh, false)
	pending, err := s.db.Outbox().ListPending(t.Context(), s.home.ID, 0, 10)
	s.must(err)
	s.same("deliveries", len(pending), 1)
	s.same("text", pending[0].Text, q.Text)
	s.same("buttons", pending[0].Buttons, onceDeny)
	s.same("turn, whose reply would take it over", pending[0].Turn, int64(0))
	other := q
	other.Subject = nonceA
	_, fresh = ask(s, other, nonceB)
	s.same("about something else", fresh, true)
}

func TestAnAnswerOfOnceCountsOnce(t *testing.T) {
	s := newStory(t)
	q, _ := ask(s, approval(s, s.begun("send it")), nonceA)
	answer, taken := use(s, q.ID)
	s.same("before", answer, supervisor.SayNothing)
	s.same("taken by nobody", taken, false)
	s.same("press", press(s, nonceA, supervisor.SayOnce), supervisor.PressTaken)
	s.same("press again", press(s, nonceA, supervisor.SayNo), supervisor.PressAnsweredBefore)
	answer, taken = use(s, q.ID)
	s.same("first", answer, supervisor.SayOnce)
	s.same("taken", taken, false)
	answer, taken = use(s, q.ID)
	s.same("second", answer, supervisor.SayNothing)
	s.same("taken by the first", taken, true)
	_, fresh := ask(s, q, nonceB)
	s.same("asked anew", fresh, true)
}

func TestAnAnswerFromBeforeACrashIsUsedOnce(t *testing.T) {
	s := newStory(t)
	q, _ := ask(s, approval(s, s.begun("send it")), nonceA)
	press(s, nonceA, supervisor.SayOnce)
	again, fresh := ask(s, q, nonceB)
	s.same("answer", again.Answer, supervisor.SayOnce)
	s.same("fresh", fresh, false)
	_, taken := use(s, q.ID)
	s.same("taken", taken, true)
	again, fresh = ask(s, q, nonceB)
	s.same("answer then", again.Answer, supervisor.SayNothing)
	s.same("fresh then", fresh, true)
}

func TestDenyAndAlwaysHoldForAllWhoWait(t *testing.T) {
	for _, answer := range []supervisor.Answer{supervisor.SayNo, supervisor.SayAlways} {
		s := newStory(t)
		q, _ := ask(s, approval(s, s.begun("send it")), nonceA)
		press(s, nonceA, answer)
		for range 2 {
			got, taken := use(s, q.ID)
			s.same("answer", got, answer)
			s.same("taken", taken, false)
		}
		granted, err := s.db.Grants().Granted(t.Context(), "alice", subject)
		s.must(err)
		s.same("granted", granted, answer == supervisor.SayAlways)
	}
}

func TestNothingCountsTooLate(t *testing.T) {
	s := newStory(t)
	q, _ := ask(s, approval(s, s.begun("send it")), nonceA)
	s.now = q.ExpiresAt
	s.same("press", press(s, nonceA, supervisor.SayOnce), supervisor.PressExpired)
	again := approval(s, supervisor.Turn{ID: q.Turn, Conversation: s.home})
	next, fresh := ask(s, again, nonceB)
	s.same("asked anew", fresh, true)
	s.now = next.ExpiresAt.Add(-time.Millisecond)
	s.same("in time", press(s, nonceB, supervisor.SayNo), supervisor.PressTaken)
	s.now = s.now.Add(time.Hour - time.Millisecond)
	answer, _ := use(s, next.ID)
	s.same("within an hour after it was said", answer, supervisor.SayNo)
	s.now = s.now.Add(time.Millisecond)
	answer, _ = use(s, next.ID)
	s.same("an hour after it was said", answer, supervisor.SayNothing)
	_, _, err := s.db.Questions().Ask(t.Context(), q, strings.Repeat("c", 64), nil)
	s.refused(err, supervisor.CodeInvalid, "has expired")
}

func TestAPressAfterTheTurnHasNoEffect(t *testing.T) {
	s := newStory(t)
	turn := s.begun("send it")
	ask(s, approval(s, turn), nonceA)
	s.finish(turn, "Stopped.")
	s.same("press", press(s, nonceA, supervisor.SayAlways), supervisor.PressEnded)
	s.same("granted", s.look("SELECT count(*) FROM granted"), "0")
	_, _, err := s.db.Questions().Ask(t.Context(), approval(s, turn), nonceB, nil)
	s.refused(err, supervisor.CodeInvalid, "has ended")
}

func TestAForeignPressHasNoEffect(t *testing.T) {
	s := newStory(t)
	turn := s.begun("send it")
	ask(s, approval(s, turn), nonceA)
	money := approval(s, turn)
	money.Kind, money.Amount = supervisor.QuestionBudget, 500_000
	ask(s, money, nonceB)
	for name, p := range map[string]supervisor.Press{
		"of a nonce that nobody knows": {Digest: subject, User: "alice", Conversation: s.home.ID},
		"by another":                   {Digest: nonceA, User: "bob", Conversation: s.home.ID},
		"by another at home":           {Digest: nonceA, User: "bob", Conversation: s.conversation("bob").ID},
		"elsewhere":                    {Digest: nonceA, User: "alice", Conversation: s.chat("alice", "7").ID},
		"of no button":                 {Digest: nonceA, User: "alice", Conversation: s.home.ID, Answer: "maybe"},
		"of a button of approvals":     {Digest: nonceB, User: "alice", Conversation: s.home.ID, Answer: "always"},
	} {
		if p.Answer == "" {
			p.Answer = supervisor.SayOnce
		}
		q, came, err := s.db.Questions().Press(t.Context(), p)
		s.must(err)
		s.same(name, came, supervisor.PressForeign)
		s.same(name+": the question", q, supervisor.Question{})
	}
	s.same("answers", s.look("SELECT count(*) FROM question WHERE answer <> ''"), "0")
}

func TestOfManyPressesOneCounts(t *testing.T) {
	s := newStory(t)
	ask(s, approval(s, s.begun("send it")), nonceA)
	var taken atomic.Int64
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			_, came, err := s.db.Questions().Press(t.Context(), supervisor.Press{Digest: nonceA, User: "alice",
				Conversation: s.home.ID, Answer: []supervisor.Answer{"once", "deny"}[i%2]})
			if err != nil {
				t.Error(err)
			}
			if came == supervisor.PressTaken {
				taken.Add(1)
			}
		})
	}
	group.Wait()
	s.same("taken", taken.Load(), int64(1))
}

func TestAQuestionOfNoTurnIsWithdrawn(t *testing.T) {
	s := newStory(t)
	q := approval(s, supervisor.Turn{Conversation: s.home})
	first, _ := ask(s, q, nonceA)
	_, fresh := ask(s, q, nonceB)
	s.same("is asked anew", fresh, true)
	s.must(s.db.Questions().Withdraw(t.Context(), first.ID))
	s.same("press", press(s, nonceA, supervisor.SayOnce), supervisor.PressExpired)
	s.same("the other", press(s, nonceB, supervisor.SayOnce), supervisor.PressTaken)
	s.must(s.db.Questions().Withdraw(t.Context(), first.ID+1))
	answer, _ := use(s, first.ID+1)
	s.same("an answer stays", answer, supervisor.SayOnce)
}

func TestQuestionsThatAreRefused(t *testing.T) {
	s := newStory(t)
	turn, bobs := s.begun("send it"), s.put(s.conversation("bob"), supervisor.KindCommand, "/invite eve")
	for name, change := range map[string]func(*supervisor.Question){
		"of no kind":              func(q *supervisor.Question) { q.Kind = "" },
		"about nothing":           func(q *supervisor.Question) { q.Subject = "" },
		"in another conversation": func(q *supervisor.Question) { q.Conversation = s.conversation("bob") },
		"of no turn that was":     func(q *supervisor.Question) { q.Turn = 99 },
		"of no command that was":  func(q *supervisor.Question) { q.Turn, q.Inbound = 0, 99 },
		"of a text":               func(q *supervisor.Question) { q.Turn, q.Inbound = 0, turn.Inbound },
		"of bob's command":        func(q *supervisor.Question) { q.Turn, q.Inbound = 0, bobs.ID },
		"nowhere":                 func(q *supervisor.Question) { q.Turn, q.Conversation.ID = 0, 99 },
	} {
		q := approval(s, turn)
		change(&q)
		_, _, err := s.db.Questions().Ask(t.Context(), q, nonceA, nil)
		if code := supervisor.ErrorCode(err); code != supervisor.CodeInvalid && code != supervisor.CodeNotFound {
			t.Errorf("%s: got %v", name, err)
		}
	}
	s.same("questions", s.look("SELECT count(*) FROM question"), "0")
	s.same("deliveries", s.look("SELECT count(*) FROM outbox"), "0")
}

func TestGrantsAreListedAndRevoked(t *testing.T) {
	s := newStory(t)
	turn := s.begun("send it")
	for range 2 { // allowed always twice, it is allowed once
		q, _ := ask(s, approval(s, turn), s.look("SELECT hex(randomblob(32))"))
		press(s, s.look("SELECT digest FROM question WHERE id = ?", q.ID), supervisor.SayAlways)
		use(s, q.ID)
	}
	list, err := s.db.Grants().List(t.Context(), "alice")
	s.must(err)
	want := supervisor.Grant{ID: 1, Tool: "send_file", Subject: subject, Text: "May I send a.txt?", CreatedAt: noon}
	s.same("list", list, []supervisor.Grant{want})
	s.refused(s.db.Grants().Revoke(t.Context(), "bob", 1), supervisor.CodeNotFound, "no number 1")
	s.must(s.db.Grants().Revoke(t.Context(), "alice", 1))
	s.refused(s.db.Grants().Revoke(t.Context(), "alice", 1), supervisor.CodeNotFound, "no number 1")
	granted, err := s.db.Grants().Granted(t.Context(), "alice", subject)
	s.must(err)
	s.same("granted", granted, false)
	q, _ := ask(s, approval(s, turn), nonceA)
	press(s, nonceA, supervisor.SayAlways)
	use(s, q.ID)
	granted, err = s.db.Grants().Granted(t.Context(), "alice", subject)
	s.must(err)
	s.same("granted again", granted, true)
}
