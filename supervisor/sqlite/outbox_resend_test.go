package sqlite_test

import (
	"testing"
	"time"

	"mews/supervisor"
)

// resend sends deliveries of a conversation again, and returns how many.
func (s *story) resend(c supervisor.Conversation, limit int) int {
	s.Helper()
	n, err := s.db.Outbox().ResendUndelivered(s.Context(), c.ID, limit)
	s.must(err)
	return n
}

func TestResend_UndeliveredMessage_IsQueued(t *testing.T) {
	s := newStory(t)
	c := s.chat("alice", "42")
	in := s.put(c, supervisor.KindText, "hello")
	turn, _, err := s.db.Turns().Start(t.Context(), in.ID, nil)
	s.must(err)
	d := s.finish(turn, "a b c d")
	posts, err := s.db.Posts().CreatePosts(t.Context(), d.ID, richTexts("a", "b", "c", "d"))
	s.must(err)
	for i, state := range []supervisor.PostState{supervisor.PostSent, supervisor.PostUnknown, supervisor.PostFailed} {
		p, err := s.db.Posts().MarkSending(t.Context(), c.ID, posts[i])
		s.must(err)
		p.State, p.Message = state, "m"
		s.must(s.db.Posts().StorePostResult(t.Context(), p))
	}
	s.close(d, supervisor.OutcomeUnknown, "cut")

	s.same("again", s.resend(c, 9), 1)
	s.same("once more", s.resend(c, 9), 0)
	s.same("pending", s.pendingTexts(c), []string{"a b c d"})
	s.same("what it was", s.query("SELECT why || told FROM outbox WHERE id = ?", d.ID), "0")
	posts, err = s.db.Posts().ListPosts(t.Context(), 0, d.ID)
	s.must(err)
	var states []supervisor.PostState
	var repeats []bool
	for _, p := range posts {
		states, repeats = append(states, p.State), append(repeats, p.Repeat)
	}
	s.same("states", states, []supervisor.PostState{supervisor.PostSent, supervisor.PostQueued, supervisor.PostQueued,
		supervisor.PostQueued})
	s.same("repeats", repeats, []bool{false, true, false, false})
	s.same("contents", posts[1].Content, supervisor.RichText{Text: "b"})
	s.same("state", s.state(in.ID), "answered")
	s.close(d, supervisor.OutcomeSent, "")
	s.same("state", s.state(in.ID), "done")
}

func TestResend_ManyUndelivered_TakesOldestOfWeek(t *testing.T) {
	s := newStory(t)
	mine, theirs := s.chat("alice", "42"), s.chat("bob", "43")
	say := func(c supervisor.Conversation, ago time.Duration, text string, outcome supervisor.DeliveryResult) {
		s.Helper()
		s.now = noon.Add(-ago)
		s.close(s.notice(c, text), outcome, "why")
	}
	const day = 24 * time.Hour
	say(mine, 7*day+time.Second, "too old", supervisor.OutcomeFailed)
	say(mine, 7*day, "a week", supervisor.OutcomeFailed)
	say(mine, 3*day, "sent", supervisor.OutcomeSent)
	say(theirs, 2*day, "bob's", supervisor.OutcomeUnknown)
	say(mine, 2*day, "two days", supervisor.OutcomeUnknown)
	say(mine, day, "a day", supervisor.OutcomeFailed)
	s.now = noon
	s.same("at most", s.resend(mine, 2), 2)
	s.same("pending", s.pendingTexts(mine), []string{"a week", "two days"})
	s.same("the rest", s.resend(mine, 9), 1)
	s.same("pending", s.pendingTexts(mine), []string{"a week", "two days", "a day"})
	s.same("bob's", s.pendingTexts(theirs), []string(nil))
	s.same("of nobody", s.resend(supervisor.Conversation{ID: 999}, 9), 0)
}
