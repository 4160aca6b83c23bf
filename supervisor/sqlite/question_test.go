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

// approvalQuestion returns an approval question of a turn. The question is open for an hour after
// its delivery.
func approvalQuestion(s *story, turn supervisor.Turn) supervisor.Question {
	return supervisor.Question{Conversation: turn.Conversation, Turn: turn.ID, Kind: supervisor.QuestionApproval,
		Tool: "send_file", Subject: subject, Text: "May I send a.txt?", OpenFor: time.Hour}
}

func ask(s *story, q supervisor.Question, digest string) (supervisor.Question, bool) {
	s.Helper()
	asked, fresh, err := s.db.Questions().Ask(s.Context(), q, digest, onceDeny)
	s.must(err)
	return asked, fresh
}

// press presses a button as alice in her terminal, and returns the result.
func press(s *story, digest string, say supervisor.AnswerChoice) supervisor.PressResult {
	s.Helper()
	_, came, err := s.db.Questions().RecordPress(s.Context(), supervisor.QuestionPress{Digest: digest, User: "alice",
		Conversation: s.home.ID, Word: string(say)})
	s.must(err)
	return came
}

func use(s *story, id int64) (supervisor.AnswerChoice, bool) {
	s.Helper()
	q, taken, err := s.db.Questions().UseAnswer(s.Context(), id)
	s.must(err)
	return q.Answer.Say, taken
}

// deliverAll marks all deliveries as sent.
func deliverAll(s *story) {
	s.Helper()
	pending, err := s.db.Outbox().ListPending(s.Context(), s.home.ID, 0, 100)
	s.must(err)
	for _, d := range pending {
		s.must(s.db.Outbox().MarkDelivered(s.Context(), d.ID))
	}
}

// expire ends the expired questions, and returns when the next question expires.
func expire(s *story) time.Time {
	s.Helper()
	next, err := s.db.Questions().EndExpired(s.Context())
	s.must(err)
	return next
}

// resumable returns the ids of the conversations whose waiting turn can continue.
func resumable(s *story) (ids []int64) {
	s.Helper()
	list, err := s.db.Questions().ListResumableConversations(s.Context())
	s.must(err)
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

func TestAsk_SameQuestionTwice_SendsOnce(t *testing.T) {
	s := newStory(t)
	q := approvalQuestion(s, s.startTurn("send it"))
	first, fresh := ask(s, q, nonceA)
	q.ID, q.CreatedAt = first.ID, noon
	s.same("question", first, q)
	s.same("fresh", fresh, true)
	again, fresh := ask(s, q, nonceB)
	q.Conversation = again.Conversation
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

func TestUseAnswer_YesOnce_CountsOnce(t *testing.T) {
	s := newStory(t)
	q, _ := ask(s, approvalQuestion(s, s.startTurn("send it")), nonceA)
	answer, taken := use(s, q.ID)
	s.same("before", answer, supervisor.AnswerChoiceNone)
	s.same("taken by nobody", taken, false)
	s.same("press", press(s, nonceA, supervisor.AnswerChoiceOnce), supervisor.PressAccepted)
	s.same("press again", press(s, nonceA, supervisor.AnswerChoiceNo), supervisor.PressAnsweredBefore)
	answer, taken = use(s, q.ID)
	s.same("first", answer, supervisor.AnswerChoiceOnce)
	s.same("taken", taken, false)
	answer, taken = use(s, q.ID)
	s.same("second", answer, supervisor.AnswerChoiceNone)
	s.same("taken by the first", taken, true)
	_, fresh := ask(s, q, nonceB)
	s.same("asked anew", fresh, true)
}

func TestUseAnswer_UsedBeforeCrash_CountsOnce(t *testing.T) {
	s := newStory(t)
	q, _ := ask(s, approvalQuestion(s, s.startTurn("send it")), nonceA)
	press(s, nonceA, supervisor.AnswerChoiceOnce)
	again, fresh := ask(s, q, nonceB)
	s.same("answer", again.Answer.Say, supervisor.AnswerChoiceOnce)
	s.same("fresh", fresh, false)
	_, taken := use(s, q.ID)
	s.same("taken", taken, true)
	again, fresh = ask(s, q, nonceB)
	s.same("answer then", again.Answer.Say, supervisor.AnswerChoiceNone)
	s.same("fresh then", fresh, true)
}

func TestUseAnswer_DenyOrAlways_CountsEachTime(t *testing.T) {
	for _, answer := range []supervisor.AnswerChoice{supervisor.AnswerChoiceNo, supervisor.AnswerChoiceAlways} {
		s := newStory(t)
		q, _ := ask(s, approvalQuestion(s, s.startTurn("send it")), nonceA)
		press(s, nonceA, answer)
		for range 2 {
			got, taken := use(s, q.ID)
			s.same("answer", got, answer)
			s.same("taken", taken, false)
		}
		granted, err := s.db.Grants().HasGrant(t.Context(), "alice", subject)
		s.must(err)
		s.same("granted", granted, answer == supervisor.AnswerChoiceAlways)
	}
}

// The time limit of a question starts at its delivery. A turn uses the end of its question once,
// even without an answer.
func TestQuestion_TimeLimit_StartsAtDelivery(t *testing.T) {
	s := newStory(t)
	q, _ := ask(s, approvalQuestion(s, s.startTurn("send it")), nonceA)
	s.now = noon.Add(48 * time.Hour)
	s.same("next, while nobody can have read it", expire(s), time.Time{})
	deliverAll(s)
	s.same("next", expire(s), noon.Add(49*time.Hour))
	s.now = noon.Add(49*time.Hour - time.Millisecond)
	s.same("next, not yet", expire(s), noon.Add(49*time.Hour))
	s.same("its turn goes on", resumable(s), []int64(nil))
	s.now = s.now.Add(time.Millisecond)
	s.same("next, then", expire(s), time.Time{})
	s.same("its turn goes on then", resumable(s), []int64{s.home.ID})
	s.same("press", press(s, nonceA, supervisor.AnswerChoiceOnce), supervisor.PressExpired)
	asked, fresh := ask(s, q, nonceB)
	s.same("its turn has the end", asked.End, supervisor.QuestionExpired)
	s.same("fresh", fresh, false)
	s.same("its turn goes on once", resumable(s), []int64(nil))
	_, fresh = ask(s, q, nonceB)
	s.same("asked anew", fresh, true)
	q.OpenFor = 0
	_, _, err := s.db.Questions().Ask(t.Context(), supervisor.Question{Conversation: q.Conversation, Turn: q.Turn, Kind: q.Kind, Subject: nonceA},
		strings.Repeat("c", 64), nil)
	s.checkRefused(err, supervisor.CodeInvalid, "has expired")
}

// A question that could not be delivered ends.
func TestQuestion_FailedDelivery_IsEnded(t *testing.T) {
	s := newStory(t)
	q, _ := ask(s, approvalQuestion(s, s.startTurn("send it")), nonceA)
	pending, err := s.db.Outbox().ListPending(t.Context(), s.home.ID, 0, 10)
	s.must(err)
	s.must(s.db.Outbox().StoreOutcome(t.Context(), supervisor.DeliveryOutcome{Delivery: pending[0].ID,
		Outcome: supervisor.OutcomeFailed, Why: "blocked"}))
	s.same("its turn goes on", resumable(s), []int64{s.home.ID})
	asked, _ := ask(s, q, nonceB)
	s.same("its end", asked.End, supervisor.QuestionUndelivered)
}

// A turn continues after the wait for its user. The call that asked counts as not begun.
func TestQuestion_Answered_TurnContinues(t *testing.T) {
	s := newStory(t)
	const call = "c1"
	turn := s.startTurnCalling(call)
	s.must(s.db.Turns().CommitCallStart(t.Context(), turn.ID, call))
	q := approvalQuestion(s, turn)
	q.Call = call
	ask(s, q, nonceA)
	running, _, err := s.db.Turns().FindRunning(t.Context(), s.home.ID)
	s.must(err)
	s.same("waits", []bool{running.WaitsForUser, running.Asked}, []bool{true, true})
	s.same("begun", running.Begun, []string(nil))
	waits, err := s.db.Turns().Suspend(t.Context(), turn.ID, 90*time.Second)
	s.must(err)
	s.same("still waits", waits, true)
	unfinished, err := s.db.Inbox().ListUnfinishedConversations(t.Context())
	s.must(err)
	s.same("to go on with at a start", len(unfinished), 0)
	press(s, nonceA, supervisor.AnswerChoiceOnce)
	s.same("goes on", resumable(s), []int64{s.home.ID})
	unfinished, err = s.db.Inbox().ListUnfinishedConversations(t.Context())
	s.must(err)
	s.same("to go on with at a start, then", len(unfinished), 1)
	running, _, err = s.db.Turns().FindRunning(t.Context(), s.home.ID)
	s.must(err)
	s.same("waits no more", []bool{running.WaitsForUser, running.Asked}, []bool{false, true})
	s.same("has run", running.Turn.RunTime, 90*time.Second)
	asked, _ := ask(s, q, nonceB)
	s.same("answer", asked.Answer.Say, supervisor.AnswerChoiceOnce)
	s.same("goes on once", resumable(s), []int64(nil))
}

// After a yes to a budget question all waiting turns of the user check their budget again.
func TestBudgetQuestion_Yes_EndsOtherQuestions(t *testing.T) {
	s := newStory(t)
	money := approvalQuestion(s, s.startTurn("one"))
	money.Kind, money.Amount = supervisor.QuestionBudget, 500_000
	ask(s, money, nonceA)
	there := s.chat("alice", "7")
	other := money
	in := s.put(there, supervisor.KindText, "two")
	turn, _, err := s.db.Turns().Start(t.Context(), in.ID, nil)
	s.must(err)
	other.Turn, other.Conversation = turn.ID, there
	ask(s, other, nonceB)
	press(s, nonceA, supervisor.AnswerChoiceOnce)
	s.same("goes on", resumable(s), []int64{s.home.ID})
	_, err = s.db.Leases().ExtendLimits(t.Context(), supervisor.LimitExtension{User: "alice", Turn: money.Turn,
		Amount: 500_000, Max: 500_000})
	s.must(err)
	s.same("go on, once there is more", resumable(s), []int64{s.home.ID, there.ID})
	asked, _ := ask(s, other, nonceB)
	s.same("the other's", asked.End, supervisor.QuestionNotNeeded)
}

func TestPress_TurnEnded_IsIgnored(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("send it")
	ask(s, approvalQuestion(s, turn), nonceA)
	s.finish(turn, "Stopped.")
	s.same("press", press(s, nonceA, supervisor.AnswerChoiceAlways), supervisor.PressQuestionCancelled)
	s.same("granted", s.query("SELECT count(*) FROM granted"), "0")
	_, _, err := s.db.Questions().Ask(t.Context(), approvalQuestion(s, turn), nonceB, nil)
	s.checkRefused(err, supervisor.CodeInvalid, "has ended")
}

func TestPress_ForeignQuestion_HasNoEffect(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("send it")
	ask(s, approvalQuestion(s, turn), nonceA)
	money := approvalQuestion(s, turn)
	money.Kind, money.Amount = supervisor.QuestionBudget, 500_000
	ask(s, money, nonceB)
	for name, p := range map[string]supervisor.QuestionPress{
		"unknown nonce":                {Digest: subject, User: "alice", Conversation: s.home.ID},
		"another user":                 {Digest: nonceA, User: "bob", Conversation: s.home.ID},
		"another user in another chat": {Digest: nonceA, User: "bob", Conversation: s.conversation("bob").ID},
		"elsewhere":                    {Digest: nonceA, User: "alice", Conversation: s.chat("alice", "7").ID},
		"unknown word":                 {Digest: nonceA, User: "alice", Conversation: s.home.ID, Word: "maybe"},
		"word of another kind":         {Digest: nonceB, User: "alice", Conversation: s.home.ID, Word: "always"},
	} {
		if p.Word == "" {
			p.Word = string(supervisor.AnswerChoiceOnce)
		}
		q, came, err := s.db.Questions().RecordPress(t.Context(), p)
		s.must(err)
		s.same(name, came, supervisor.PressUnknown)
		s.same(name+": the question", q, supervisor.Question{})
	}
	s.same("answers", s.query("SELECT count(*) FROM question WHERE why IS NOT NULL"), "0")
}

func TestPress_Concurrent_OnlyOneIsAnswer(t *testing.T) {
	s := newStory(t)
	ask(s, approvalQuestion(s, s.startTurn("send it")), nonceA)
	var taken atomic.Int64
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			_, came, err := s.db.Questions().RecordPress(t.Context(), supervisor.QuestionPress{Digest: nonceA,
				User:         "alice",
				Conversation: s.home.ID, Word: []string{"once", "deny"}[i%2]})
			if err != nil {
				t.Error(err)
			}
			if came == supervisor.PressAccepted {
				taken.Add(1)
			}
		})
	}
	group.Wait()
	s.same("taken", taken.Load(), int64(1))
}

func TestWithdraw_QuestionWithoutTurn_IsEnded(t *testing.T) {
	s := newStory(t)
	q := approvalQuestion(s, supervisor.Turn{Conversation: s.home})
	first, _ := ask(s, q, nonceA)
	_, fresh := ask(s, q, nonceB)
	s.same("is asked anew", fresh, true)
	s.must(s.db.Questions().Withdraw(t.Context(), first.ID))
	s.same("press", press(s, nonceA, supervisor.AnswerChoiceOnce), supervisor.PressQuestionCancelled)
	s.same("the other", press(s, nonceB, supervisor.AnswerChoiceOnce), supervisor.PressAccepted)
	s.must(s.db.Questions().Withdraw(t.Context(), first.ID+1))
	answer, _ := use(s, first.ID+1)
	s.same("an answer stays", answer, supervisor.AnswerChoiceOnce)
}

func TestAsk_InvalidQuestion_Fails(t *testing.T) {
	s := newStory(t)
	turn, bobs := s.startTurn("send it"), s.put(s.conversation("bob"), supervisor.KindCommand, "/invite eve")
	for name, change := range map[string]func(*supervisor.Question){
		"without kind":            func(q *supervisor.Question) { q.Kind = "" },
		"without subject":         func(q *supervisor.Question) { q.Subject = "" },
		"another conversation":    func(q *supervisor.Question) { q.Conversation = s.conversation("bob") },
		"unknown turn":            func(q *supervisor.Question) { q.Turn = 99 },
		"unknown command":         func(q *supervisor.Question) { q.Turn, q.Inbound = 0, 99 },
		"text instead of command": func(q *supervisor.Question) { q.Turn, q.Inbound = 0, turn.Inbound },
		"another user's command":  func(q *supervisor.Question) { q.Turn, q.Inbound = 0, bobs.ID },
		"nowhere":                 func(q *supervisor.Question) { q.Turn, q.Conversation.ID = 0, 99 },
	} {
		q := approvalQuestion(s, turn)
		change(&q)
		_, _, err := s.db.Questions().Ask(t.Context(), q, nonceA, nil)
		if code := supervisor.ErrorCodeOf(err); code != supervisor.CodeInvalid && code != supervisor.CodeNotFound {
			t.Errorf("%s: got %v", name, err)
		}
	}
	s.same("questions", s.query("SELECT count(*) FROM question"), "0")
	s.same("deliveries", s.query("SELECT count(*) FROM outbox"), "0")
}

func TestGrants_Revoke_RemovesGrant(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("send it")
	for range 2 { // two "always" answers make one grant
		q, _ := ask(s, approvalQuestion(s, turn), s.query("SELECT hex(randomblob(32))"))
		press(s, s.query("SELECT digest FROM question WHERE id = ?", q.ID), supervisor.AnswerChoiceAlways)
		use(s, q.ID)
	}
	list, err := s.db.Grants().List(t.Context(), "alice")
	s.must(err)
	want := supervisor.Grant{ID: 1, Tool: "send_file", Subject: subject, Text: "May I send a.txt?", CreatedAt: noon}
	s.same("list", list, []supervisor.Grant{want})
	s.checkRefused(s.db.Grants().Revoke(t.Context(), "bob", 1), supervisor.CodeNotFound, "no grant with the number 1")
	s.must(s.db.Grants().Revoke(t.Context(), "alice", 1))
	s.checkRefused(s.db.Grants().Revoke(t.Context(), "alice", 1), supervisor.CodeNotFound, "no grant with the number 1")
	granted, err := s.db.Grants().HasGrant(t.Context(), "alice", subject)
	s.must(err)
	s.same("granted", granted, false)
	q, _ := ask(s, approvalQuestion(s, turn), nonceA)
	press(s, nonceA, supervisor.AnswerChoiceAlways)
	use(s, q.ID)
	granted, err = s.db.Grants().HasGrant(t.Context(), "alice", subject)
	s.must(err)
	s.same("granted again", granted, true)
}

// TestAsk_GroupTurnInPrivateChat_Resumes: a press in the private chat continues the turn of the
// group. A turn asks in no other group, and asks no other user.
func TestAsk_GroupTurnInPrivateChat_Resumes(t *testing.T) {
	s := newStory(t)
	group := s.chat("alice", "-100")
	turn, _, err := s.db.Turns().Start(t.Context(), s.put(group, supervisor.KindText, "say it").ID, nil)
	s.must(err)
	q := approvalQuestion(s, turn)
	for _, wrong := range []supervisor.Conversation{s.chat("alice", "-200"), s.chat("bob", "43")} {
		q.Conversation = wrong
		if _, _, err := s.db.Questions().Ask(t.Context(), q, nonceB, onceDeny); err == nil {
			t.Errorf("asked in %+v", wrong)
		}
	}
	q.Conversation = s.home
	asked, _ := ask(s, q, nonceA)
	s.same("press", press(s, nonceA, supervisor.AnswerChoiceOnce), supervisor.PressAccepted)
	s.same("conversations that continue", resumable(s), []int64{group.ID})
	again, fresh := ask(s, q, nonceB)
	s.same("asked anew", fresh, false)
	s.same("question", again.ID, asked.ID)
	s.same("answer", again.Answer.Say, supervisor.AnswerChoiceOnce)
}
