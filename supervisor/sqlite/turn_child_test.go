package sqlite_test

import (
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// The inbound of a review is stored once and starts a review turn. The answer goes to the inbound's
// destination.
func TestStartTurn_Destination_GetsAnswer(t *testing.T) {
	for kind, want := range map[supervisor.InboundKind]supervisor.TurnKind{supervisor.KindJob: supervisor.TurnJob,
		supervisor.KindReview: supervisor.TurnReview, supervisor.KindTriage: supervisor.TurnTriage, supervisor.KindMCP: supervisor.TurnMCP} {
		s := newStory(t)
		chat := s.chat("alice", "42")
		due := supervisor.Inbound{Source: "job/7", Key: "2026-11-20T12:00", Kind: kind, Text: "say good morning", Destination: chat,
			Conversation: supervisor.Conversation{User: "alice", Channel: "job", Chat: "7"}}
		in, fresh, err := s.db.Inbox().StoreInbound(t.Context(), due)
		s.must(err)
		s.same("fresh", fresh, true)
		_, fresh, err = s.db.Inbox().StoreInbound(t.Context(), due)
		s.must(err)
		s.same("fresh again", fresh, false)
		waiting, err := s.db.Inbox().ListUnfinishedConversations(t.Context())
		s.must(err)
		s.same("unfinished", waiting, []supervisor.Conversation{in.Conversation})
		next, _, err := s.db.Inbox().NextInbound(t.Context(), in.Conversation.ID)
		s.must(err)
		s.same("next", next.ID, in.ID)
		turn, _, err := s.db.Turns().Start(t.Context(), in.ID, nil)
		s.must(err)
		s.same("turn", turn, supervisor.Turn{ID: turn.ID, Conversation: in.Conversation, Destination: chat, Kind: want,
			Inbound: in.ID, StartedAt: noon})
		open, _, err := s.db.Turns().FindRunning(t.Context(), in.Conversation.ID)
		s.must(err)
		s.same("open", open.Turn, turn)
		asked, _, err := s.db.Questions().Ask(t.Context(), supervisor.Question{Conversation: chat, Turn: turn.ID,
			Kind: supervisor.QuestionBudget, Subject: digest("a"), Text: "more?", OpenFor: 24 * time.Hour}, digest("b"), nil)
		s.must(err)
		s.same("asked in", asked.Conversation, chat)
		_, _, err = s.db.Questions().Ask(t.Context(), supervisor.Question{Conversation: in.Conversation, Turn: turn.ID,
			Kind: supervisor.QuestionBudget, Subject: digest("c"), Text: "more?", OpenFor: 24 * time.Hour}, digest("d"), nil)
		s.checkRefused(err, supervisor.CodeNotFound, "there is no turn")
		d := s.finish(turn, "Good morning!")
		s.same("answered in", d.Conversation, chat)
		s.same("there", s.pendingTexts(chat), []string{"more?\n\n(No longer needed: the task has ended.)", "Good morning!"})
		s.same("in its own", s.pendingTexts(in.Conversation), []string(nil))
		s.close(d, supervisor.OutcomeSent, "")
		s.same("state", s.state(in.ID), "done")
	}
}

// A destination of another user is refused.
func TestStartTurn_ForeignDestination_Fails(t *testing.T) {
	s := newStory(t)
	_, _, err := s.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: s.home,
		Destination: s.conversation("bob"),
		Source:      "job/7", Key: "1", Kind: supervisor.KindJob, Text: "tell bob"})
	s.checkRefused(err, supervisor.CodeInternal, "FOREIGN KEY")
	in, _, err := s.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: s.home, Destination: s.home,
		Source: "job/7", Key: "1", Kind: supervisor.KindJob, Text: "tell me"})
	s.must(err)
	s.same("its own", s.query("SELECT count(destination) FROM inbox WHERE id = ?", in.ID), "0")
}

func TestChildTurn_ParentFinished_IsEnded(t *testing.T) {
	s := newStory(t)
	s.finish(s.startTurn("earlier"), "answered")
	parent := s.startTurn("compare the two")
	ask := sqlite.ChildTurn{Parent: parent.ID, Kind: supervisor.TurnChat, Text: "read the first",
		Conversation: supervisor.Conversation{Channel: "job", Chat: "below"}}
	child, err := s.db.Turns().StartChild(t.Context(), ask)
	s.must(err)
	s.same("below", []any{child.Parent, child.Inbound, child.Conversation.User,
		child.AnswerConversation() == child.Conversation},
		[]any{parent.ID, int64(0), "alice", true})
	_, err = s.db.Turns().StartChild(t.Context(), ask)
	s.checkRefused(err, supervisor.CodeInvalid, "another turn runs in conversation")
	_, err = s.db.Turns().CommitStep(t.Context(), step(child, "the first says so"))
	s.must(err)
	d := s.finish(child, "the first says so")
	s.same("its end", []any{d.ID, d.Text, d.Turn}, []any{int64(0), "the first says so", child.ID})
	s.same("put into the outbox", s.pendingTexts(child.Conversation), []string(nil))

	// The second child runs in the same conversation, with an empty window.
	again, err := s.db.Turns().StartChild(t.Context(), ask)
	s.must(err)
	seen := s.transcript(again.Conversation)
	s.same("seen", []any{len(seen), seen[0].Text()}, []any{1, "read the first"})
	_, err = s.db.Turns().CommitStep(t.Context(), step(again, "", "c1"))
	s.must(err)
	deeper, err := s.db.Turns().StartChild(t.Context(), sqlite.ChildTurn{Parent: again.ID, Kind: supervisor.TurnChat, Text: "deeper",
		Conversation: supervisor.Conversation{Channel: "job", Chat: "deeper"}, Destination: s.home})
	s.must(err)
	s.same("answers to", deeper.Destination, s.home)
	unfinished, err := s.db.Inbox().ListUnfinishedConversations(t.Context())
	s.must(err)
	// The parent continues, and only its conversation is unfinished.
	s.same("unfinished", unfinished, []supervisor.Conversation{s.home})
	s.finish(parent, "compared")
	s.same("running", s.query("SELECT count(*) FROM turn WHERE ended_at IS NULL"), "0")
	last := s.transcript(again.Conversation)
	s.same("its call", last[len(last)-1].Role, protocol.RoleTool)
	_, err = s.db.Turns().StartChild(t.Context(), ask)
	s.checkRefused(err, supervisor.CodeInvalid, "has ended")
	counts, err := s.db.UserAccessStores().People.Erase(t.Context(), "alice")
	s.must(err)
	s.same("erased", counts["turn"], int64(5))
}
