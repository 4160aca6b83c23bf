package telegramtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/telegram/telegramtest"
)

func bold(offset, length int) telegramtest.Entity {
	return telegramtest.Entity{Type: "bold", Offset: offset, Length: length}
}

func mark(kind string, offset, length int) telegramtest.Entity {
	return telegramtest.Entity{Type: kind, Offset: offset, Length: length}
}

func TestText_IsTrimmedAndCleaned(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		in   []telegramtest.Entity
		want string
		out  []telegramtest.Entity
	}{
		"nothing to do":                    {"hello", nil, "hello", nil},
		"both ends":                        {" \n hello \n ", nil, "hello", nil},
		"tabs are spaces":                  {"\ta\tb", nil, "a b", nil},
		"control characters are spaces":    {"a\x01b", nil, "a b", nil},
		"carriage returns go":              {"a\r\nb", nil, "a\nb", nil},
		"separators go":                    {"a\u2028b\u202ec", nil, "abc", nil},
		"entities move with it":            {"  a\r\nbold", []telegramtest.Entity{bold(5, 4)}, "a\nbold", []telegramtest.Entity{bold(2, 4)}},
		"the beginning up to an entity":    {"  x", []telegramtest.Entity{bold(1, 2)}, " x", []telegramtest.Entity{bold(0, 2)}},
		"the end with its entity":          {"x  ", []telegramtest.Entity{bold(0, 3)}, "x", []telegramtest.Entity{bold(0, 1)}},
		"an entity of the end only":        {"x   ", []telegramtest.Entity{bold(2, 2)}, "x", nil},
		"an entity on spaces":              {"x  y", []telegramtest.Entity{bold(1, 2)}, "x  y", nil},
		"an entity of no length":           {"xy", []telegramtest.Entity{bold(1, 0)}, "xy", nil},
		"UTF-16 units":                     {"😀b", []telegramtest.Entity{bold(2, 1)}, "😀b", []telegramtest.Entity{bold(2, 1)}},
		"sorted, the longer first":         {"abc", []telegramtest.Entity{mark("italic", 0, 1), bold(0, 3)}, "abc", []telegramtest.Entity{bold(0, 3), mark("italic", 0, 1)}},
		"what the server finds is no mark": {"@someone", []telegramtest.Entity{mark("mention", 0, 8)}, "@someone", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := startServer(t, telegramtest.Options{Strict: true})
			s.AddChat(home)
			var sent message
			c.mustCall("sendMessage", m{"chat_id": home.ID, "text": test.text, "entities": test.in}, &sent)
			got := s.BotMessages(home.ID)[0]
			if got.Text != test.want || sent.Text != test.want {
				t.Errorf("in chat %q, answered %q, want %q", got.Text, sent.Text, test.want)
			}
			if diff := cmp.Diff(test.out, got.Entities); diff != "" && len(test.out)+len(got.Entities) > 0 {
				t.Errorf("entities (-want +got):\n%s", diff)
			}
		})
	}
}

func TestText_Invalid_IsRefused(t *testing.T) {
	const long = "message is too long"
	for name, test := range map[string]struct {
		text  string
		words string // a part of the refusal; "" if the text is accepted
	}{
		"none":                       {"", "message text is empty"},
		"spaces":                     {" \n ", "text must be non-empty"},
		"4096 units":                 {strings.Repeat("x", 4096), ""},
		"4097 units":                 {strings.Repeat("x", 4097), long},
		"4096 units when trimmed":    {"  " + strings.Repeat("x", 4096) + "\n", ""},
		"4096 units of emoji":        {strings.Repeat("😀", 2048), ""},
		"4097 units of emoji":        {strings.Repeat("😀", 2048) + "x", long},
		"4096 of more than one byte": {strings.Repeat("é", 4096), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := startServer(t, telegramtest.Options{Strict: true})
			s.AddChat(home)
			params := m{"chat_id": home.ID, "text": test.text}
			if test.words == "" {
				c.mustCall("sendMessage", params, nil)
				return
			}
			c.wantRefusal(400, "Bad Request: "+test.words, "sendMessage", params)
			if got := s.Messages(home.ID); len(got) > 0 {
				t.Errorf("in chat: %+v", got)
			}
		})
	}
}

func TestEntities_Invalid_AreRefused(t *testing.T) {
	link := func(url string) []m { return []m{{"type": "text_link", "offset": 0, "length": 1, "url": url}} }
	for name, test := range map[string]struct {
		entities any
		words    string
	}{
		"past the end":             {[]m{{"type": "bold", "offset": 0, "length": 100}}, "entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 100"},
		"beyond the end":           {[]m{{"type": "bold", "offset": 9, "length": 1}}, "entity begins after the end of the text at UTF-16 offset 9"},
		"negative":                 {[]m{{"type": "bold", "offset": -1, "length": 1}}, "receive an entity with incorrect offset -1"},
		"begins within a pair":     {[]m{{"type": "bold", "offset": 3, "length": 1}}, "entity begins in a middle of a UTF-16 symbol at byte offset 6"},
		"ends within a pair":       {[]m{{"type": "bold", "offset": 0, "length": 3}}, "entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 6"},
		"of no type":               {[]m{{"offset": 0, "length": 1}}, `can't parse MessageEntity: Can't find field "type"`},
		"of an unknown type":       {[]m{{"type": "sparkle", "offset": 0, "length": 1}}, "can't parse MessageEntity: Unsupported type specified"},
		"with no offset":           {[]m{{"type": "bold", "length": 1}}, `can't parse MessageEntity: Can't find field "offset"`},
		"a link to nowhere":        {link(""), `can't parse MessageEntity: Can't find field "url"`},
		"a link to this machine":   {link("http://localhost:8080"), "entity URL 'http://localhost:8080' is invalid: Wrong HTTP URL"},
		"a link of another scheme": {link("javascript:alert(1)"), "entity URL 'javascript:alert(1)' is invalid: Unsupported URL protocol"},
		"that overlap": {
			[]m{{"type": "bold", "offset": 0, "length": 2}, {"type": "italic", "offset": 1, "length": 3}},
			"can't parse entities: italic at 1 overlaps bold at 0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := startServer(t, telegramtest.Options{})
			s.AddChat(home)
			params := m{"chat_id": home.ID, "text": "ab😀cd", "entities": test.entities}
			c.wantRefusal(400, "Bad Request: "+test.words, "sendMessage", params)
			wantViolation(t, s, test.words)
		})
	}
}

func TestLinks_Valid_AreAccepted(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	s.AddChat(home)
	for _, link := range []string{"https://example.org/a?b#c", "example.org", "HTTP://EXAMPLE.ORG", "tg://user?id=5", "http://[::1]/"} {
		c.mustCall("sendMessage", m{"chat_id": home.ID, "text": "x", "entities": []m{{"type": "text_link", "offset": 0, "length": 1, "url": link}}}, nil)
	}
}

func TestEntities_BadNesting_IsViolation(t *testing.T) {
	many := make([]telegramtest.Entity, 101)
	for i := range many {
		many[i] = bold(2*i, 1)
	}
	for name, test := range map[string]struct {
		text     string
		entities []telegramtest.Entity
		words    string // a part of the violation; "" if there is none
	}{
		"within one another": {"abc", []telegramtest.Entity{bold(0, 3), mark("code", 1, 1)}, ""},
		"side by side":       {"abc", []telegramtest.Entity{bold(0, 1), mark("italic", 1, 2)}, ""},
		"within code":        {"abc", []telegramtest.Entity{mark("pre", 0, 3), bold(1, 1)}, "a bold at 1 is within a pre"},
		"a quote in a quote": {"abc", []telegramtest.Entity{mark("blockquote", 0, 3), mark("expandable_blockquote", 1, 1)}, "expandable_blockquote at 1 is within a blockquote"},
		"more than 100":      {strings.Repeat("a ", 101) + "z", many, "101 entities"},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := startServer(t, telegramtest.Options{})
			s.AddChat(home)
			c.mustCall("sendMessage", m{"chat_id": home.ID, "text": test.text, "entities": test.entities}, nil)
			if test.words == "" {
				wantNoViolation(t, s)
			} else {
				wantViolation(t, s, test.words)
			}
			if n := len(s.BotMessages(home.ID)[0].Entities); n != min(len(test.entities), 100) {
				t.Errorf("%d entities stand, of %d", n, len(test.entities))
			}
		})
	}
}

func TestSend_WrongChatThreadOrReply_IsRefused(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	s.AddChat(home)
	s.CreateTopic(forum, 5)
	_, asked := s.Say(home, alice, "question")
	to := func(chat int64, more m) m {
		params := m{"chat_id": chat, "text": "x"}
		for name, v := range more {
			params[name] = v
		}
		return params
	}
	c.wantRefusal(400, "Bad Request: chat_id is empty", "sendMessage", m{"text": "x"})
	c.wantRefusal(400, "Bad Request: chat not found", "sendMessage", to(9, nil))
	c.wantRefusal(400, "Bad Request: message thread not found", "sendMessage", to(forum.ID, m{"message_thread_id": 1}))
	c.wantRefusal(400, "Bad Request: message thread not found", "sendMessage", to(forum.ID, m{"message_thread_id": 6}))
	c.wantRefusal(400, "Bad Request: message to be replied not found", "sendMessage",
		to(home.ID, m{"reply_parameters": m{"message_id": 999}}))

	c.mustCall("sendMessage", to(forum.ID, m{"message_thread_id": 5}), nil)
	c.mustCall("sendMessage", to(forum.ID, nil), nil)
	var answer message
	c.mustCall("sendMessage", to(home.ID, m{"reply_parameters": m{"message_id": asked}}), &answer)
	if answer.Answers == nil || answer.Answers.ID != asked {
		t.Errorf("answered %+v", answer)
	}
	c.mustCall("sendMessage", to(home.ID, m{"reply_parameters": m{"message_id": 999, "allow_sending_without_reply": true}}), nil)

	if sent := s.BotMessages(forum.ID); sent[0].Thread != 5 || sent[1].Thread != 0 {
		t.Errorf("in the forum: %+v", sent)
	}
	if sent := s.BotMessages(home.ID); sent[0].ReplyTo != asked || sent[1].ReplyTo != 0 {
		t.Errorf("at home: %+v", sent)
	}
	if all := s.Messages(home.ID); len(all) != 3 || all[0].FromBot || !all[1].FromBot {
		t.Errorf("the chat: %+v", all)
	}
}

func TestMessageIDs_CountPerAccountOrSupergroup(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{NextMessage: 10})
	_, private := s.Say(home, alice, "x")
	_, group := s.Say(team, alice, "x")
	_, super := s.Say(forum, alice, "x")
	_, other := s.Say(hall, alice, "x")
	got := []int64{private, group, super, other, c.send(home.ID, "x"), c.send(forum.ID, "x"), c.send(team.ID, "x")}
	if diff := cmp.Diff([]int64{10, 11, 10, 10, 12, 11, 13}, got); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func TestEdit_ChangesOwnMessagesOnly(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	_, theirs := s.Say(home, alice, "theirs")
	id := c.send(home.ID, "one")
	edit := func(id int64, text string) m { return m{"chat_id": home.ID, "message_id": id, "text": text} }

	c.mustCall("editMessageText", edit(id, "two"), nil)
	if sent := s.BotMessages(home.ID); len(sent) != 1 || sent[0].Text != "two" || sent[0].Edits != 1 {
		t.Errorf("in chat: %+v", sent)
	}
	same := "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as " +
		"a current content and reply markup of the message"
	c.wantRefusal(400, same, "editMessageText", edit(id, "two"))
	c.wantRefusal(400, same, "editMessageText", edit(id, " two\n"))
	bolder := edit(id, "two")
	bolder["entities"] = []telegramtest.Entity{bold(0, 3)}
	c.mustCall("editMessageText", bolder, nil)
	c.wantRefusal(400, same, "editMessageText", bolder)

	c.wantRefusal(400, "Bad Request: message text is empty", "editMessageText", edit(id, ""))
	c.wantRefusal(400, "Bad Request: MESSAGE_TOO_LONG", "editMessageText", edit(id, strings.Repeat("x", 4097)))
	c.wantRefusal(400, "Bad Request: message can't be edited", "editMessageText", edit(theirs, "mine"))
	c.wantRefusal(400, "Bad Request: message to edit not found", "editMessageText", edit(999, "x"))
	c.wantRefusal(400, "Bad Request: message identifier is not specified", "editMessageText", edit(0, "x"))
	c.mustCall("deleteMessage", m{"chat_id": home.ID, "message_id": id}, nil)
	c.wantRefusal(400, "Bad Request: message to edit not found", "editMessageText", edit(id, "x"))
	wantNoViolation(t, s)
}

func TestDelete_RemovesMessageFromChat(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	_, theirs := s.Say(home, alice, "theirs")
	_, inTeam := s.Say(team, alice, "theirs")
	id := c.send(home.ID, "mine")
	remove := func(chat, id int64) m { return m{"chat_id": chat, "message_id": id} }

	c.mustCall("deleteMessage", remove(home.ID, id), nil)
	c.wantRefusal(400, "Bad Request: message to delete not found", "deleteMessage", remove(home.ID, id))
	c.mustCall("deleteMessage", remove(home.ID, theirs), nil)
	c.wantRefusal(400, "Bad Request: message can't be deleted", "deleteMessage", remove(team.ID, inTeam))
	if left, gone := s.Messages(home.ID), s.DeletedMessages(home.ID); len(left) != 0 || len(gone) != 2 {
		t.Errorf("%d stand, %d are deleted; want 0, 2", len(left), len(gone))
	}
}

func TestChatAction_InvalidAction_IsRefused(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	s.CreateTopic(forum, 5)
	c.mustCall("sendChatAction", m{"chat_id": forum.ID, "action": "typing"}, nil)
	c.mustCall("sendChatAction", m{"chat_id": forum.ID, "action": "typing", "message_thread_id": 5}, nil)
	c.wantRefusal(400, "Bad Request: wrong parameter action in request", "sendChatAction", m{"chat_id": forum.ID, "action": "nap"})
	c.wantRefusal(400, "Bad Request: message thread not found", "sendChatAction",
		m{"chat_id": forum.ID, "action": "typing", "message_thread_id": 6})
	c.wantRefusal(400, "Bad Request: chat not found", "sendChatAction", m{"chat_id": 9, "action": "typing"})
}

func TestSend_ChatThatBlockedBot_IsRefused(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	for _, chat := range []telegramtest.Chat{home, team, hall} {
		s.AddChat(chat)
		s.BlockBot(chat.ID)
	}
	for id, words := range map[int64]string{
		home.ID: "Forbidden: bot was blocked by the user",
		team.ID: "Forbidden: bot was kicked from the group chat",
		hall.ID: "Forbidden: bot was kicked from the supergroup chat",
	} {
		c.wantRefusal(403, words, "sendMessage", m{"chat_id": id, "text": "x"})
	}
	s.UnblockBot(home.ID)
	c.send(home.ID, "again")
}

func TestMigrate_OldGroup_RefusesMessages(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	s.Say(team, alice, "x")
	s.MigrateToSupergroup(team.ID, hall.ID)
	updates := c.poll(nil)
	if len(updates) != 3 {
		t.Fatalf("%d updates, want the message and two of the service", len(updates))
	}
	left, came := updates[1].Message, updates[2].Message
	if left.Chat.ID != team.ID || left.MovedTo != hall.ID || came.Chat.ID != hall.ID || came.MovedFrom != team.ID {
		t.Errorf("the service said %+v and %+v", left, came)
	}
	r := c.wantRefusal(400, "Bad Request: group chat was upgraded to a supergroup chat", "sendMessage", m{"chat_id": team.ID, "text": "x"})
	if r.Parameters.MigrateTo != hall.ID {
		t.Errorf("sent on to %d, want %d", r.Parameters.MigrateTo, hall.ID)
	}
	c.send(hall.ID, "here")
}

func TestCalls_AreRecorded(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	s.AddChat(home)
	c.mustCall("sendMessage", m{"chat_id": home.ID, "text": "x", "disable_notification": true, "link_preview_options": m{"is_disabled": true}}, nil)
	c.wantRefusal(404, "Not Found", "sendNothing", nil)
	calls := s.Calls()
	if len(calls) != 2 || s.CountCalls() != 2 || s.CountCalls("SENDMESSAGE") != 1 {
		t.Fatalf("kept %+v", calls)
	}
	want := map[string]any{"chat_id": home.ID, "text": "x", "disable_notification": true, "link_preview_options": m{"is_disabled": true}}
	if diff := cmp.Diff(want, calls[0].Params); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	if calls[0].ChatID != home.ID || calls[0].Code != 200 || !calls[0].Processed || calls[0].At.IsZero() {
		t.Errorf("the first: %+v", calls[0])
	}
	if calls[1].Method != "sendNothing" || calls[1].Code != 404 || calls[1].Processed {
		t.Errorf("the second: %+v", calls[1])
	}
	if dump := s.DumpState(); !strings.Contains(dump, fmt.Sprintf("sendMessage chat %d: 200", home.ID)) {
		t.Errorf("a dump says %q", dump)
	}
}

func TestReaction_IsSetReplacedOrRefused(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	_, asked := s.Say(home, telegramtest.User{ID: home.ID}, "hello")
	emoji := func(list ...string) (reactions []m) {
		for _, e := range list {
			reactions = append(reactions, m{"type": "emoji", "emoji": e})
		}
		return reactions
	}
	for _, step := range []struct {
		message  int64
		reaction []m
		refusal  string
		shown    string
	}{
		{asked, emoji("👀"), "", "👀"},
		{asked, emoji("👀"), "", "👀"},
		{asked, emoji("🦅"), "Bad Request: REACTION_INVALID", "👀"},
		{asked, emoji("👀", "👍"), "Bad Request: REACTIONS_TOO_MANY", "👀"},
		{asked + 9, emoji("👀"), "Bad Request: message to react not found", "👀"},
		{asked, []m{}, "", ""},
		{asked, []m{}, "", ""},
	} {
		r := c.call("setMessageReaction", m{"chat_id": home.ID, "message_id": step.message, "reaction": step.reaction})
		if r.Description != step.refusal || s.Messages(home.ID)[0].Reaction != step.shown {
			t.Errorf("%+v: %s; reaction %q", step, r.Raw, s.Messages(home.ID)[0].Reaction)
		}
	}
}
