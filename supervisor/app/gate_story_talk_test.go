package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/sqlite"
	"mews/supervisor/telegram/telegramtest"
)

// mallory is a stranger.
var mallory = telegramtest.User{ID: 666, First: "mallory"}

// flatChat is a group that was not allowed.
var flatChat = telegramtest.Chat{ID: -5001, Type: "group", Title: "the flat"}

// Four people send each kind of message: a stranger, a user behind a closed gate, a user without a
// required second factor, and a suspended user. No message reaches the model. The stranger and the
// suspended user get no answer.
func TestGate_LockedOutUser_ReachesNoModel(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "", "alice, role: admin, totp: off", "bob, totp: required",
		"dave, totp: off", "erin, totp: required")
	l.enrol("bob")
	l.withDatabase(func(db *sqlite.DB) {
		if err := db.UserAccessStores().People.Suspend(t.Context(), "dave", true); err != nil {
			t.Fatal(err)
		}
	})
	l.open()
	l.sayAndAwait("alice", "/model", "")
	card := l.bot.BotMessages(l.telegramUser("alice").ID)[0]
	if len(card.Keyboard) == 0 {
		t.Fatalf("there is nothing to press below %q", card.Text)
	}
	for _, u := range []telegramtest.User{mallory, l.telegramUser("bob"), l.telegramUser("dave"), l.telegramUser("erin")} {
		for _, kind := range telegramtest.IgnoredUpdateKinds() {
			l.bot.DeliverRawUpdate(telegramtest.NewIgnoredUpdate(kind, u.ID))
		}
		sendEveryShape(l, u)
		pressEveryWay(l, u, card)
	}
	l.sayAndAwait("alice", "the end", "echo: the end")
	l.bot.WaitUntil(t, "all to be taken", func() bool { return l.bot.CountPendingUpdates() == 0 })

	if heard := l.askedTexts(); !slices.Equal(heard, []string{"the end"}) {
		t.Errorf("the model was asked %q", heard)
	}
	if n := l.bot.CountCalls("getFile"); n != 0 {
		t.Errorf("%d files were fetched of people whose gate is closed", n)
	}
	checkSilent(t, l, mallory.ID, flatChat.ID, l.telegramUser("dave").ID)
	for name, may := range map[string][]string{
		"alice": {"", "", "echo: the end"},
		"bob":   {locked, "Locked. Send your code, then press the button again.", "That is a story"},
		"erin":  {"You need a second factor to speak here", "That is a story"},
	} {
		for _, text := range l.told(name)[min(len(l.told(name)), 1):] {
			if !slices.ContainsFunc(may, func(begin string) bool { return begin != "" && strings.HasPrefix(text, begin) }) {
				t.Errorf("%s was told %q", name, text)
			}
		}
	}
	if n := l.QueryCount("SELECT count(*) FROM outbox WHERE kind = 'notice' AND text LIKE 'Locked. Send the six%'"); n != 1 {
		t.Errorf("bob was asked for a code %d times", n)
	}
	if n := l.QueryCount("SELECT count(*) FROM received WHERE user NOT IN ('alice', 'bob', 'erin')"); n != 0 {
		t.Errorf("%d updates of people are kept who may not speak", n)
	}
	if got := l.bot.BotMessages(l.telegramUser("alice").ID)[0]; len(got.Keyboard) == 0 {
		t.Error("somebody else's press has changed alice's message")
	}
	openBobsGate(t, l)
}

// openBobsGate opens bob's gate with a code. Bob's own held messages are answered; messages that
// imitate bob are not.
func openBobsGate(t *testing.T, l *gatedService) {
	t.Helper()
	l.say("bob", l.code("bob", 0))
	l.bot.WaitUntil(t, "bob's last words to be answered", func() bool {
		return slices.ContainsFunc(l.told("bob"), func(text string) bool {
			// this message answers the note that the test sent earlier
			return strings.HasPrefix(text, "echo: last words")
		})
	})
	if l.bot.CountCalls(telegramtest.DownloadMethod) == 0 {
		t.Error("no file of bob's was fetched")
	}
	for _, r := range l.model.Requests() {
		if strings.Contains(string(r.Raw), "said by ") {
			t.Errorf("the model was asked %q", r.NewestUserMessage())
		}
	}
	// the held message was edited before the code came
	if !slices.Contains(l.told("bob"), "echo: with something") || slices.Contains(l.told("bob"), "echo: plain words") {
		t.Errorf("bob was told %q", l.told("bob"))
	}
}

// sendEveryShape sends a message of each kind.
func sendEveryShape(l *gatedService, u telegramtest.User) {
	home, file := telegramtest.PrivateChat(u), telegramtest.File{Name: "f", Content: []byte("x")}
	_, plain := l.bot.Say(home, u, "plain words")
	for _, shape := range []telegramtest.MessageOption{
		telegramtest.WithPhoto(file), telegramtest.WithDocument(file), telegramtest.WithVoice(file, time.Second),
		telegramtest.WithSticker("x"),
		telegramtest.AsForwardOf(telegramtest.User{ID: apptest.FirstTelegramID, First: "alice"}, time.Now()),
		telegramtest.WithReplyTo(plain),
		telegramtest.WithQuote("plain"), telegramtest.AsEditOf(plain), telegramtest.WithAlbum("album"),
		telegramtest.WithLocation(1, 2),
		telegramtest.WithField("via_bot", map[string]any{"id": 7, "is_bot": true, "first_name": "B"}),
		telegramtest.WithField("web_app_data", map[string]any{"data": "said by an app", "button_text": "x"}),
		telegramtest.WithField("sender_chat", map[string]any{"id": -100, "type": "channel", "title": "x"}),
		telegramtest.WithField("sender_business_bot", map[string]any{"id": 7, "is_bot": true, "first_name": "B"}),
	} {
		l.bot.Say(home, u, "with something", shape)
	}
	l.bot.Say(home, u, "", telegramtest.WithPhoto(file))
	l.bot.Say(home, u, "", telegramtest.WithStory(flatChat))
	for _, command := range []string{"/status", "/grants", "/model test/test", "/usage", "/allow", "/settings stream off"} {
		l.bot.Say(home, u, command)
		l.bot.Say(flatChat, u, command)
	}
	l.bot.Say(flatChat, u, "@mews_bot said by somebody in a group")
	l.bot.Say(flatChat, u, "@mews_bot said by an administrator", telegramtest.WithChatAsSender(flatChat))
	l.bot.Say(telegramtest.PrivateChat(telegramtest.User{ID: apptest.FirstTelegramID}), u,
		"said by somebody in alice's chat")
	l.bot.Say(home, u, "last words")
}

// pressEveryWay presses invented buttons and a button of alice's. The user owns none of them. It
// presses them in the chat of the button and in other chats.
func pressEveryWay(l *gatedService, u telegramtest.User, card telegramtest.Message) {
	for _, data := range []string{card.Keyboard[0][0].Data, "q:AAAAAAAAAAAAAAAAAAAAAA:once", "m:0", "s:stream=off", "g:1", "e:1", "x"} {
		for _, chat := range []int64{u.ID, apptest.FirstTelegramID} {
			l.bot.PushUpdate(map[string]any{"callback_query": map[string]any{
				"id": "1", "from": map[string]any{"id": u.ID, "is_bot": false, "first_name": u.First}, "data": data, "chat_instance": "1",
				"message": map[string]any{"message_id": card.ID, "date": time.Now().Unix(), "text": card.Text,
					"from": map[string]any{"id": 42, "is_bot": true, "first_name": "Mews"},
					"chat": map[string]any{"id": chat, "type": "private", "first_name": "x"}},
			}})
		}
	}
}

// checkSilent fails if the bot did anything in these chats.
func checkSilent(t *testing.T, l *gatedService, chats ...int64) {
	t.Helper()
	for _, c := range l.bot.Calls() {
		if slices.Contains(chats, c.ChatID) {
			t.Errorf("%s for chat %d", c.Method, c.ChatID)
		}
	}
	for _, chat := range chats {
		if got := l.bot.BotMessages(chat); len(got) > 0 {
			t.Errorf("chat %d has %q of the bot's", chat, got[0].Text)
		}
	}
}
