package sqlite_test

import (
	"testing"

	"mews/supervisor"
)

func (s *story) move(from, to string) int {
	s.Helper()
	n, err := s.db.Conversations().RenameChat(s.Context(), supervisor.ChannelTelegram, from, to)
	s.must(err)
	return n
}

func TestRenameChat_NewName_MovesConversations(t *testing.T) {
	s := newStory(t)
	group, other := s.chat("alice", "-5"), s.chat("alice", "42")
	topic, err := s.db.Conversations().FindOrCreate(t.Context(), "bob", supervisor.ChannelTelegram, "-5", "9")
	s.must(err)
	s.close(s.notice(group, "said before"), supervisor.OutcomeSent, "")
	s.notice(topic, "waits")

	s.same("to itself", s.move("-5", "-5"), 0)
	s.same("moved", s.move("-5", "-1005"), 2)
	s.same("again", s.move("-5", "-1005"), 0)
	group.Chat, topic.Chat = "-1005", "-1005"
	for _, want := range []supervisor.Conversation{group, topic, other} {
		c, _, err := s.db.Conversations().FindConversation(t.Context(), want.ID)
		s.must(err)
		s.same("conversation", c, want)
	}
	list, err := s.db.Outbox().ListPendingInChat(t.Context(), supervisor.ChannelTelegram, "-1005", 9)
	s.must(err)
	s.same("pending", list[0].Conversation, topic)
	s.same("terminals", s.query("SELECT chat FROM conversation WHERE channel = 'terminal'"), "")
}

func TestRenameChat_KnownName_MovesDeliveries(t *testing.T) {
	s := newStory(t)
	old, new := s.chat("alice", "-5"), s.chat("alice", "-1005")
	bob := s.chat("bob", "-5")
	said, lost := s.notice(old, "said before"), s.notice(old, "lost before")
	s.close(said, supervisor.OutcomeSent, "")
	s.close(lost, supervisor.OutcomeUnknown, "")
	turn, _, err := s.db.Turns().Start(t.Context(), s.put(old, supervisor.KindText, "hello").ID, nil)
	s.must(err)
	answer := s.finish(turn, "hi")
	posts, err := s.db.Posts().CreatePosts(t.Context(), answer.ID, richTexts("hi", "there"))
	s.must(err)
	running, _, err := s.db.Turns().Start(t.Context(), s.put(old, supervisor.KindText, "and?").ID, nil)
	s.must(err)
	live, err := s.db.Posts().MarkSending(t.Context(), old.ID, supervisor.Post{Turn: running.ID})
	s.must(err)

	s.same("moved", s.move("-5", "-1005"), 2) // bob's conversation moves as a whole
	s.same("again", s.move("-5", "-1005"), 0)
	s.same("of the new one", s.pendingTexts(new), []string{"hi"})
	s.same("of the old one", s.pendingTexts(old), []string(nil))
	s.same("where posts are", s.query("SELECT conversation FROM post WHERE delivery = ?", answer.ID),
		s.query("SELECT ?1 || ' ' || ?1", new.ID))
	again, err := s.db.Posts().CreatePosts(t.Context(), answer.ID, richTexts("something else"))
	s.must(err)
	s.same("its posts", again, posts)
	s.same("what was said stays", s.query("SELECT count(*) FROM outbox WHERE conversation = ?", old.ID), "1")
	untold, err := s.db.Outbox().ListUnreportedLosses(t.Context(), new.ID)
	s.must(err)
	s.same("what was lost is told of in the new one", untold, []int64{lost.ID})
	s.same("bob's", s.chat("bob", "-1005").ID, bob.ID)

	s.close(answer, supervisor.OutcomeSent, "")
	s.same("its inbound", s.state(turn.Inbound), "done")
	// The turn ran in the old conversation. The next call moves its answer.
	late := s.finish(running, "late")
	s.same("moved", s.move("-5", "-1005"), 1)
	s.same("of the new one", s.pendingTexts(new), []string{"late"})
	taken, err := s.db.Posts().CreatePosts(t.Context(), late.ID, richTexts("late"))
	s.must(err)
	s.same("its post", taken[0].ID, live.ID)
	s.same("where it is", s.query("SELECT conversation FROM post WHERE id = ?", live.ID), s.query("SELECT ?", new.ID))
	s.same("foreign keys", s.query("PRAGMA foreign_key_check"), "")
}

// Inbounds of the old chat that have not begun move too, since no session works for the old chat
// any more. Held inbounds move as well.
func TestRenameChat_KnownName_MovesInbounds(t *testing.T) {
	s := newStory(t)
	old, new := s.chat("alice", "-5"), s.chat("alice", "-1005")
	done, _, err := s.db.Turns().Start(t.Context(), s.put(old, supervisor.KindText, "answered").ID, nil)
	s.must(err)
	s.finish(done, "so it is")
	s.move("-5", "-1005")
	text, command := s.put(old, supervisor.KindText, "the question"), s.put(old, supervisor.KindCommand, "/status")

	s.same("moved", s.move("-5", "-1005"), 1)
	s.same("again", s.move("-5", "-1005"), 0)
	next, found, err := s.db.Inbox().NextInbound(t.Context(), new.ID)
	s.must(err)
	s.same("next in the new one", next.ID, text.ID)
	_, foundOld, err := s.db.Inbox().NextInbound(t.Context(), old.ID)
	s.must(err)
	s.same("found there, and in the old one", []bool{found, foundOld}, []bool{true, false})
	commands, err := s.db.Inbox().ListCommands(t.Context())
	s.must(err)
	s.same("commands", len(commands), 1)
	s.same("the command", commands[0].ID, command.ID)
	s.same("is in", commands[0].Conversation, new)
	s.same("what was answered stays", s.query("SELECT conversation FROM inbox WHERE id = ?", done.Inbound), s.query("SELECT ?", old.ID))
	waiting, err := s.db.Inbox().ListUnfinishedConversations(t.Context())
	s.must(err)
	s.same("where something waits", waiting, []supervisor.Conversation{new})
}

func TestRenameChat_KnownName_MovesHeldInbounds(t *testing.T) {
	s := batchStory{newStory(t)}
	new := s.chat("alice", "-1005")
	held := s.receive(inChat("-5", guardedItem("alice", 1, "the question")))
	s.same("kept", texts(held.Stored), []string{"held new the question"})
	s.same("moved", s.move("-5", "-1005"), 1)
	s.same("it is in", s.query("SELECT conversation || ' ' || held FROM inbox WHERE id = ?", held.Stored[0].ID), s.query("SELECT ? || ' 1'", new.ID))
	released := s.receive(inChat("-1005", codeItem("alice", 2, 7))).Released
	s.same("a code there lets it through", texts(released), []string{"new the question"})
}
