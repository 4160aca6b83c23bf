package sqlite_test

import (
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// lastStep returns a turn's last step, with a post.
func lastStep(turn supervisor.Turn, text string) sqlite.LastStep {
	return sqlite.LastStep{Step: step(turn, text), Post: &supervisor.RichText{Text: text},
		End: sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone, State: supervisor.InboundAnswered, Text: text}}
}

// startTelegramTurn starts a turn of alice on Telegram.
func (s *story) startTelegramTurn(chat string) supervisor.Turn {
	s.Helper()
	turn, _, err := s.db.Turns().Start(s.Context(), s.put(s.chat("alice", chat), supervisor.KindText, "hi").ID, nil)
	s.must(err)
	return turn
}

func TestCommitLastStep_NoWaitingText_EndsTurn(t *testing.T) {
	s := newStory(t)
	turn := s.startTelegramTurn("7")
	e, err := s.db.Turns().CommitLastStep(t.Context(), lastStep(turn, "hello"))
	s.must(err)
	s.same("ended", e.Ended, true)
	s.same("delivery", s.pendingTexts(turn.Conversation), []string{"hello"})
	s.same("post", e.Post,
		supervisor.Post{ID: e.Post.ID, Turn: turn.ID, Delivery: e.Delivery.ID, State: supervisor.PostSending,
			Content: supervisor.RichText{Text: "hello"}})
	posts, err := s.db.Posts().ListPosts(t.Context(), 0, e.Delivery.ID)
	s.must(err)
	s.same("posts", posts, []supervisor.Post{e.Post})
	s.same("state", s.state(turn.Inbound), "answered")
	s.same("usage", s.query("SELECT count(*) FROM usage WHERE message = ?", e.Message), "1")
	_, err = s.db.Turns().CommitLastStep(t.Context(), lastStep(turn, "more"))
	s.checkRefused(err, supervisor.CodeInvalid, "has ended")
}

func TestCommitLastStep_WaitingText_TurnContinues(t *testing.T) {
	s := newStory(t)
	turn := s.startTelegramTurn("7")
	s.put(turn.Conversation, supervisor.KindText, "and this")
	e, err := s.db.Turns().CommitLastStep(t.Context(), lastStep(turn, "hello"))
	s.must(err)
	s.same("with something that waits", e, sqlite.LastStepResult{Message: e.Message})
	s.same("state", s.state(turn.Inbound), "running")
	turn = s.startTelegramTurn("8")
	asks := lastStep(turn, "hello")
	asks.Step = step(turn, "I look.", "c1")
	e, err = s.db.Turns().CommitLastStep(t.Context(), asks)
	s.must(err)
	s.same("with a call", e, sqlite.LastStepResult{Message: e.Message})
	s.same("deliveries", s.query("SELECT count(*) FROM outbox"), "0")
}

func TestCommitLastStep_DeliveryWaits_MakesNoPost(t *testing.T) {
	for name, c := range map[string]struct {
		before func(s *story, turn supervisor.Turn)
		sends  bool
	}{
		"nothing": {func(*story, supervisor.Turn) {}, true},
		"delivery to another chat": {func(s *story, _ supervisor.Turn) { s.notice(s.chat("alice", "8"), "first") },
			true},
		"sent delivery": {func(s *story, turn supervisor.Turn) {
			s.close(s.notice(turn.Conversation, "first"), supervisor.OutcomeSent, "")
		}, true},
		"waiting delivery":        {func(s *story, turn supervisor.Turn) { s.notice(turn.Conversation, "first") }, false},
		"another user's delivery": {func(s *story, _ supervisor.Turn) { s.notice(s.chat("bob", "7"), "first") }, false},
		"the growing reply":       {func(s *story, turn supervisor.Turn) { s.showReply(turn) }, false},
		"an apology": {func(s *story, turn supervisor.Turn) {
			s.close(s.notice(turn.Conversation, "first"), supervisor.OutcomeFailed, "no")
		}, false},
		"late apology": {func(s *story, turn supervisor.Turn) {
			s.close(s.notice(turn.Conversation, "first"), supervisor.OutcomeFailed, "no")
			s.now = s.now.Add(8 * 24 * time.Hour)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			turn := s.startTelegramTurn("7")
			c.before(s, turn)
			e, err := s.db.Turns().CommitLastStep(t.Context(), lastStep(turn, "hello"))
			s.must(err)
			s.same("ended", e.Ended, true)
			s.same("is being sent", e.Post.ID != 0, c.sends)
		})
	}
}

// showReply stores the first post of a turn's growing reply.
func (s *story) showReply(turn supervisor.Turn) {
	s.Helper()
	_, err := s.db.Posts().MarkSending(s.Context(), turn.Conversation.ID, supervisor.Post{Turn: turn.ID,
		Content: supervisor.RichText{Text: "he"}})
	s.must(err)
}
