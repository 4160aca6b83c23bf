package sqlite_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

func TestStoreInbound_SameKeyTwice_IsStoredOnce(t *testing.T) {
	s := newStory(t)
	in := supervisor.Inbound{Conversation: supervisor.Conversation{User: "bob", Channel: supervisor.ChannelTerminal},
		Source: "terminal", Key: "k", Kind: supervisor.KindText, Text: "hello"}
	first, fresh, err := s.db.Inbox().StoreInbound(t.Context(), in)
	s.must(err)
	if !fresh || first.ID == 0 || first.Conversation.ID == 0 || first.State != supervisor.InboundNew ||
		!first.ReceivedAt.Equal(noon) {
		t.Fatalf("first: %+v, fresh %v", first, fresh)
	}
	in.Text = "something else under the same key"
	again, fresh, err := s.db.Inbox().StoreInbound(t.Context(), in)
	s.must(err)
	if fresh {
		t.Error("the repeat counts as fresh")
	}
	s.same("the repeat", again, first)

	in.Conversation.User = "carol"
	other, fresh, err := s.db.Inbox().StoreInbound(t.Context(), in)
	s.must(err)
	if !fresh || other.ID == first.ID {
		t.Error("another person's key is not their own")
	}
}

func TestNextInbound_SeveralTexts_ReturnsOldest(t *testing.T) {
	s := newStory(t)
	s.put(s.conversation("bob"), supervisor.KindText, "of another person")
	s.put(s.home, supervisor.KindCommand, "/status")
	first, second := s.text("first"), s.text("second")

	next, ok, err := s.db.Inbox().NextInbound(t.Context(), s.home.ID)
	s.must(err)
	s.same("next", next, first)
	if _, _, err := s.db.Turns().Start(t.Context(), first.ID, nil); err != nil || !ok {
		t.Fatal(ok, err)
	}
	next, _, err = s.db.Inbox().NextInbound(t.Context(), s.home.ID)
	s.must(err)
	s.same("next", next, second)

	_, ok, err = s.db.Inbox().NextInbound(t.Context(), s.home.ID+99)
	if ok || err != nil {
		t.Errorf("a conversation that is not there has a next inbound: %v, %v", ok, err)
	}
}

func TestListUnfinished_AfterRestart_FindsAllOpen(t *testing.T) {
	s := newStory(t)
	bob, carol := s.conversation("bob"), s.conversation("carol")
	s.finish(s.startTurn("done long ago"), "yes")
	s.startTurn("running")
	s.text("waiting behind it")
	s.put(bob, supervisor.KindText, "new")
	command := s.put(carol, supervisor.KindCommand, "/help")
	answered := s.put(carol, supervisor.KindCommand, "/status")
	_, err := s.db.Outbox().AnswerCommand(t.Context(), answered.ID, supervisor.Delivery{Text: "All is well."})
	s.must(err)

	list, err := s.db.Inbox().ListUnfinishedConversations(t.Context())
	s.must(err)
	s.same("unfinished", list, []supervisor.Conversation{s.home, bob})
	commands, err := s.db.Inbox().ListCommands(t.Context())
	s.must(err)
	s.same("commands", commands, []supervisor.Inbound{command})
}

func TestConversation_FoundTwice_IsSame(t *testing.T) {
	s := newStory(t)
	find := func(user, chat, thread string) supervisor.Conversation {
		c, err := s.db.Conversations().FindOrCreate(t.Context(), user, supervisor.ChannelTerminal, chat, thread)
		s.must(err)
		return c
	}
	s.same("again", find("alice", "", ""), s.home)
	seen := map[int64]bool{s.home.ID: true}
	for _, c := range []supervisor.Conversation{find("bob", "", ""), find("alice", "x", ""), find("alice", "x", "1")} {
		if seen[c.ID] {
			t.Errorf("%+v is another conversation's", c)
		}
		seen[c.ID] = true
	}
}

func TestStoreInbound_ForeignConversation_Fails(t *testing.T) {
	s := newStory(t)
	forged := s.home
	forged.User = "mallory"
	_, _, err := s.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: forged, Source: "terminal",
		Key:  "k",
		Kind: supervisor.KindText, Text: "hi"})
	s.checkRefused(err, supervisor.CodeInternal, "FOREIGN KEY")
	s.same("inbox", s.query("SELECT count(*) FROM inbox"), "0")
}

func TestInboundText_AnyBytes_RoundTrips(t *testing.T) {
	db := sqlitetest.Open(t)
	for _, text := range []string{"", "hello", "\x00", "a\x00b", "\xff\xfe", "'; DROP TABLE inbox; --", "\u2028😀"} {
		if err := checkRoundTrip(t.Context(), db, text); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
	bytes := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), bytes).Draw(t, "text")
		if err := checkRoundTrip(t.Context(), db, text); err != nil {
			t.Fatal(err)
		}
	})
}

// checkRoundTrip writes a text into each column that may hold a user's words. It compares the text
// with the text that it reads back.
func checkRoundTrip(ctx context.Context, db *sqlite.DB, text string) error {
	in := supervisor.Inbound{Source: "terminal", Key: "k" + text, Kind: supervisor.KindText, Text: text,
		Conversation: supervisor.Conversation{User: "alice" + text, Channel: supervisor.ChannelTerminal, Chat: text}}
	kept, _, err := db.Inbox().StoreInbound(ctx, in)
	if err != nil {
		return err
	}
	again, fresh, err := db.Inbox().StoreInbound(ctx, in)
	if err != nil {
		return err
	}
	if fresh || again != kept || again.Text != text || again.Conversation.Chat != text {
		return fmt.Errorf("got %+v, fresh %v, sent %q", again, fresh, text)
	}
	return nil
}
