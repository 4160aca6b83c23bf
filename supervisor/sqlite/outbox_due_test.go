package sqlite_test

import (
	"testing"

	"mews/supervisor"
)

func TestListDueConversations_Restart_ListsUnsent(t *testing.T) {
	s := newStory(t)
	waits, sent, shown, unsaid := s.chat("alice", "42"), s.chat("alice", "43"), s.chat("bob", "44"), s.chat("bob", "45")
	s.notice(waits, "1")
	s.notice(waits, "2")
	s.close(s.notice(sent, "1"), supervisor.OutcomeSent, "")
	s.close(s.notice(sent, "2"), supervisor.OutcomeFailed, "")
	s.notice(s.home, "in the terminal")
	for _, c := range []supervisor.Conversation{shown, unsaid} {
		turn, _, err := s.db.Turns().Start(t.Context(), s.put(c, supervisor.KindText, "hello").ID, nil)
		s.must(err)
		if c == shown {
			_, err = s.db.Posts().MarkSending(t.Context(), c.ID, supervisor.Post{Turn: turn.ID})
			s.must(err)
		}
	}
	list, err := s.db.Outbox().ListDueConversations(t.Context(), supervisor.ChannelTelegram)
	s.must(err)
	s.same("due", list, []supervisor.Conversation{waits, shown})

	c, ok, err := s.db.Conversations().FindConversation(t.Context(), shown.ID)
	s.must(err)
	s.same("by its id", c, shown)
	_, none, err := s.db.Conversations().FindConversation(t.Context(), 999)
	s.must(err)
	s.same("there", []bool{ok, none}, []bool{true, false})
}

func TestListPendingInChat_Group_ListsAllUsers(t *testing.T) {
	s := newStory(t)
	alice, bob := s.chat("alice", "-5"), s.chat("bob", "-5")
	topic, err := s.db.Conversations().FindOrCreate(t.Context(), "alice", supervisor.ChannelTelegram, "-5", "9")
	s.must(err)
	s.notice(s.chat("alice", "42"), "another chat's")
	var want []supervisor.Delivery
	for _, c := range []supervisor.Conversation{bob, alice, topic, bob, alice} {
		want = append(want, s.notice(c, "text"))
	}
	s.close(want[1], supervisor.OutcomeSent, "")
	s.close(want[3], supervisor.OutcomeUnknown, "cut")
	want = []supervisor.Delivery{want[0], want[2], want[4]}
	for _, limit := range []int{3, 2, 1} {
		list, err := s.db.Outbox().ListPendingInChat(t.Context(), supervisor.ChannelTelegram, "-5", limit)
		s.must(err)
		s.same("pending", list, want[:limit])
	}
}
