package telegram

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
	"mews/supervisor/telegram/telegramtest"
)

// at starts a strict server. It returns the server with a client.
func at(t *testing.T) (*telegramtest.Server, *Client) {
	t.Helper()
	s := telegramtest.New(t, telegramtest.Options{Token: canaryToken, Strict: true})
	return s, open(t, s.URL())
}

// seen returns the texts of the messages in a chat.
func seen(s *telegramtest.Server, chat int64) []string {
	var texts []string
	for _, m := range s.BotMessages(chat) {
		texts = append(texts, m.Text)
	}
	return texts
}

// TestAnswer_InTopic_GrowsThere lets an answer grow in a forum's topic. At the end, its surplus
// messages are deleted.
func TestAnswer_InTopic_GrowsThere(t *testing.T) {
	s, c := at(t)
	alice := telegramtest.User{ID: 7, First: "Alice"}
	forum := telegramtest.Chat{ID: -1001234567890, Type: "supergroup", Title: "The household", Forum: true}
	s.CreateTopic(forum, 12)
	_, asked := s.Say(forum, alice, "@mews_bot how are the hawks?", telegramtest.WithThread(12))
	to := supervisor.PostAddress{Chat: "-1001234567890", Thread: "12", ReplyTo: strconv.FormatInt(asked, 10),
		Silent: true}
	if err := c.SendChatAction(t.Context(), to, supervisor.ActionTyping); err != nil {
		t.Fatal(err)
	}
	name, err := c.Send(t.Context(), to, supervisor.RichText{Text: "🦅 They"})
	if err != nil {
		t.Fatal(err)
	}
	extra, err := c.Send(t.Context(), to, supervisor.RichText{Text: "too much"})
	if err != nil {
		t.Fatal(err)
	}
	final := supervisor.RichText{Text: "🦅 They are well.", Entities: []supervisor.RichTextEntity{
		{Type: supervisor.EntityBold, Offset: 12, Length: 4}}}
	for range 2 {
		if err := c.EditMessage(t.Context(), to, name, final); err != nil {
			t.Errorf("edit: %v", err)
		}
		if err := c.DeleteMessage(t.Context(), to, extra); err != nil {
			t.Errorf("delete: %v", err)
		}
	}
	sent := s.BotMessages(forum.ID)
	if len(sent) != 1 {
		t.Fatalf("what stands there: %q", seen(s, forum.ID))
	}
	m := sent[0]
	if m.Text != final.Text || m.Thread != 12 || m.ReplyTo != asked || !m.Silent || m.Edits != 1 || len(m.Entities) != 1 {
		t.Errorf("what stands there: %+v", m)
	}
}

func TestSend_GeneralTopicOrDeletedReply_Arrives(t *testing.T) {
	s, c := at(t)
	forum := telegramtest.Chat{ID: -1001234567890, Type: "supergroup", Forum: true}
	s.AddChat(forum)
	to := supervisor.PostAddress{Chat: "-1001234567890", Thread: "1", ReplyTo: "999"}
	if _, err := c.Send(t.Context(), to, supervisor.RichText{Text: "hi"}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"hi"}, seen(s, forum.ID)); diff != "" {
		t.Error(diff)
	}
}

// TestSend_ReportedOutcome_MatchesChat compares the reported outcome with the messages in the chat.
func TestSend_ReportedOutcome_MatchesChat(t *testing.T) {
	alice := telegramtest.PrivateChat(telegramtest.User{ID: 7})
	for name, test := range map[string]struct {
		prepare func(*telegramtest.Server)
		chat    string
		want    outcome
		stands  bool
	}{
		"reset before it was processed": {func(s *telegramtest.Server) {
			s.InjectFault(telegramtest.Fault{Kind: telegramtest.ResetFault})
		}, "7", unknown, false},
		"reset after it was processed": {func(s *telegramtest.Server) {
			s.InjectFault(telegramtest.Fault{Kind: telegramtest.ResetFault, After: true})
		}, "7", unknown, true},
		"half an answer": {func(s *telegramtest.Server) {
			s.InjectFault(telegramtest.Fault{Kind: telegramtest.TruncatedFault})
		}, "7", unknown, true},
		"a gateway's page": {func(s *telegramtest.Server) {
			s.InjectFault(telegramtest.Fault{Kind: telegramtest.HTMLFault, Code: 504, After: true})
		}, "7", unknown, true},
		"no JSON": {func(s *telegramtest.Server) {
			s.InjectFault(telegramtest.Fault{Kind: telegramtest.BadJSONFault, After: true})
		}, "7", unknown, true},
		"the server's fault": {func(s *telegramtest.Server) {
			s.InjectFault(telegramtest.Fault{Kind: telegramtest.ErrorFault, Code: 500})
		}, "7", unsent, false},
		"a flood": {func(s *telegramtest.Server) {
			s.InjectFault(telegramtest.Fault{Kind: telegramtest.FloodFault, RetryAfter: 30})
		}, "7", flood(30 * time.Second), false},
		"blocked": {func(s *telegramtest.Server) { s.BlockBot(7) }, "7", refusedChat, false},
		"revoked": {func(s *telegramtest.Server) { s.RevokeToken() }, "7", unsent, false},
		"a group that has moved": {func(s *telegramtest.Server) {
			s.AddChat(telegramtest.Chat{ID: -5, Type: "group"})
			s.MigrateToSupergroup(-5, -1005)
		}, "-5", outcome{fate: supervisor.SendResultUnsent, reason: supervisor.SendReasonChatMoved, moved: "-1005"},
			false},
		"nobody's chat": {func(*telegramtest.Server) {}, "8", refusedChat, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := at(t)
			s.AddChat(alice)
			test.prepare(s)
			_, err := c.Send(t.Context(), supervisor.PostAddress{Chat: test.chat},
				supervisor.RichText{Text: canaryWords})
			if e := failureOf(t, err); outcomeOf(e) != test.want {
				t.Errorf("got %+v, want %+v: %v", outcomeOf(e), test.want, e)
			}
			if stands := len(s.BotMessages(7)) > 0; stands != test.stands {
				t.Errorf("it stands there: %v", stands)
			}
		})
	}
}

func TestSetMenu_SetsOnlyItsScope(t *testing.T) {
	s, c := at(t)
	for range 2 {
		if err := c.SetMenu(t.Context(), []MenuCommand{{"stop", "Stop"}}); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]int{"": len(s.Menu("", "")), "de": len(s.Menu("", "de")), "es": len(s.Menu("", "es"))}
	if diff := cmp.Diff(map[string]int{"": 1, "de": 0, "es": 0}, got); diff != "" {
		t.Error(diff)
	}
	if n := s.CountCalls("setMyCommands"); n != 1 {
		t.Errorf("they were set %d times", n)
	}
}
