package sqlite_test

import (
	"testing"
	"time"

	"mews/supervisor"
)

func TestInbound_OneAnswerUnsent_StaysAnswered(t *testing.T) {
	s := newStory(t)
	for _, c := range []struct {
		outcome supervisor.DeliveryResult
		state   string
	}{
		{supervisor.OutcomeSent, "done"},
		{supervisor.OutcomeUnknown, "answered"},
		{supervisor.OutcomeFailed, "answered"},
	} {
		t.Run(string(c.outcome), func(t *testing.T) {
			d := s.finish(s.startTurn("hello"), "hi")
			for range 2 { // in the second round the call changes nothing
				s.close(d, c.outcome, "because")
				s.same("state", s.state(d.Inbound), c.state)
			}
			s.same("outcome", s.query("SELECT outcome FROM outbox WHERE id = ?", d.ID), string(c.outcome))
			s.same("pending", s.pendingTexts(s.home), []string(nil))
		})
	}
	counts, err := s.db.StatusCounts(t.Context())
	s.must(err)
	s.same("waiting and lost", []int64{counts.Waiting, counts.Lost}, []int64{0, 2})
}

func TestStoreOutcome_InvalidOutcome_Fails(t *testing.T) {
	s := newStory(t)
	waits, sent, failed := s.notice(s.home, "waits"), s.notice(s.home, "sent"), s.notice(s.home, "failed")
	s.close(sent, supervisor.OutcomeSent, "")
	s.close(failed, supervisor.OutcomeFailed, "blocked")
	const all = "SELECT id || coalesce(outcome, '') || why || told FROM outbox ORDER BY id"
	before := s.query(all)
	for name, c := range map[string]struct {
		delivery int64
		outcome  supervisor.DeliveryResult
		code     supervisor.ErrorCode
		words    string
	}{
		"none":               {waits.ID, "", supervisor.CodeInvalid, `is "" and cannot become ""`},
		"unknown outcome":    {waits.ID, "lost", supervisor.CodeInvalid, `cannot become "lost"`},
		"failed after sent":  {sent.ID, supervisor.OutcomeFailed, supervisor.CodeInvalid, `is "sent" and cannot become "failed"`},
		"sent after failed":  {failed.ID, supervisor.OutcomeSent, supervisor.CodeInvalid, `is "failed" and cannot become "sent"`},
		"unknown delivery":   {999, supervisor.OutcomeSent, supervisor.CodeNotFound, "no delivery 999"},
		"unknown after sent": {sent.ID, supervisor.OutcomeUnknown, supervisor.CodeInvalid, "cannot become"},
	} {
		t.Run(name, func(t *testing.T) {
			err := s.db.Outbox().StoreOutcome(t.Context(), supervisor.DeliveryOutcome{Delivery: c.delivery,
				Outcome:            c.outcome,
				ReportedDeliveries: []int64{failed.ID}})
			s.checkRefused(err, c.code, c.words)
			s.same("outbox", s.query(all), before)
		})
	}
}

func TestListUnreported_ReportedDelivery_IsGone(t *testing.T) {
	s := newStory(t)
	mine, theirs := s.chat("alice", "-5"), s.chat("bob", "-5")
	untold := func() []int64 {
		s.Helper()
		list, err := s.db.Outbox().ListUnreportedLosses(t.Context(), mine.ID)
		s.must(err)
		return list
	}
	first, second, other := s.notice(mine, "1"), s.notice(theirs, "2"), s.notice(s.chat("alice", "42"), "other chat")
	next, after := s.notice(mine, "3"), s.notice(mine, "4")
	s.same("of what waits", untold(), []int64(nil))
	s.close(second, supervisor.OutcomeUnknown, "cut")
	s.close(first, supervisor.OutcomeFailed, "refused")
	s.close(other, supervisor.OutcomeFailed, "refused")
	s.same("untold, and nothing of bob's", untold(), []int64{first.ID})

	s.close(next, supervisor.OutcomeSent, "", first.ID, second.ID, after.ID)
	s.same("untold", untold(), []int64(nil))
	s.close(after, supervisor.OutcomeUnknown, "")
	s.same("one that was told of while it waited", untold(), []int64{after.ID})

	n, err := s.db.Outbox().ResendUndelivered(t.Context(), mine.ID, 1)
	s.must(err)
	s.same("sent again", n, 1)
	s.close(first, supervisor.OutcomeFailed, "refused again")
	s.close(next, supervisor.OutcomeSent, "", first.ID) // the same call is repeated after a crash
	s.same("a second outcome", untold(), []int64{first.ID, after.ID})
}

func TestListUndelivered_SumsPerChatAndOutcome(t *testing.T) {
	s := newStory(t)
	mine, theirs := s.chat("alice", "42"), s.chat("bob", "43")
	for i, c := range []struct {
		in      supervisor.Conversation
		outcome supervisor.DeliveryResult
		why     string
	}{
		{mine, supervisor.OutcomeFailed, "an old reason"}, {theirs, supervisor.OutcomeFailed, "blocked"},
		{mine, supervisor.OutcomeUnknown, "cut"}, {mine, supervisor.OutcomeFailed, "kicked"},
		{mine, supervisor.OutcomeSent, ""},
	} {
		s.now = noon.Add(time.Duration(i) * time.Minute)
		s.close(s.notice(c.in, "text"), c.outcome, c.why)
	}
	s.notice(theirs, "waits")
	list, err := s.db.Outbox().ListUndelivered(t.Context())
	s.must(err)
	at := func(i int) time.Time { return noon.Add(time.Duration(i) * time.Minute) }
	s.same("undelivered", list, []supervisor.UndeliveredSummary{
		{Conversation: mine, Outcome: supervisor.OutcomeFailed, Why: "kicked", Count: 2, Last: at(3)},
		{Conversation: mine, Outcome: supervisor.OutcomeUnknown, Why: "cut", Count: 1, Last: at(2)},
		{Conversation: theirs, Outcome: supervisor.OutcomeFailed, Why: "blocked", Count: 1, Last: at(1)},
	})
}
