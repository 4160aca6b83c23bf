package telegramtest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/telegram/telegramtest"
)

// oneRowKeyboard returns a reply_markup with one row of buttons.
func oneRowKeyboard(buttons ...m) m { return m{"inline_keyboard": [][]m{buttons}} }

func key(text, data string) m { return m{"text": text, "callback_data": data} }

const tooOld = "Bad Request: query is too old and response timeout expired or query ID is invalid"

func TestPress_SecondAck_IsRefused(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	s.AddChat(home)
	var sent message
	c.mustCall("sendMessage", m{"chat_id": home.ID, "text": "sure?",
		"reply_markup": oneRowKeyboard(key("Yes", "y"), key("No", "n"))}, &sent)
	want := [][]telegramtest.Button{{{Text: "Yes", Data: "y"}, {Text: "No", Data: "n"}}}
	if diff := cmp.Diff(want, s.BotMessages(home.ID)[0].Keyboard); diff != "" {
		t.Errorf("the keyboard (-want +got):\n%s", diff)
	}
	for what, press := range map[string]struct {
		message int64
		data    string
	}{"no such button": {sent.ID, "yes"}, "no such message": {sent.ID + 1, "y"}} {
		if id, _, err := s.PressButton(home, alice, press.message, press.data); err == nil || id != 0 {
			t.Errorf("%s: pressed it as %d", what, id)
		}
	}
	id, query, err := s.PressButton(home, alice, sent.ID, "y")
	if err != nil {
		t.Fatal(err)
	}
	got := c.poll(nil)
	if len(got) != 1 || got[0].ID != id || got[0].Callback.ID != query || got[0].Callback.Data != "y" ||
		got[0].Callback.Message.ID != sent.ID {
		t.Fatalf("got %+v", got)
	}
	c.wantRefusal(400, "Bad Request: MESSAGE_TOO_LONG", "answerCallbackQuery",
		m{"callback_query_id": query, "text": strings.Repeat("x", 201)})
	c.mustCall("answerCallbackQuery", m{"callback_query_id": query, "text": "Done.", "show_alert": true}, nil)
	c.wantRefusal(400, tooOld, "answerCallbackQuery", m{"callback_query_id": query})
	if diff := cmp.Diff([]telegramtest.PressAck{{Query: query, Text: "Done.", Alert: true}},
		s.PressAcks()); diff != "" {
		t.Errorf("the answers (-want +got):\n%s", diff)
	}
}

func TestPress_Expired_CannotBeAnswered(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	s.AddChat(home)
	var sent message
	c.mustCall("sendMessage", m{"chat_id": home.ID, "text": "sure?", "reply_markup": oneRowKeyboard(key("Yes", "y"))}, &sent)
	_, query, err := s.PressButton(home, alice, sent.ID, "y")
	if err != nil {
		t.Fatal(err)
	}
	s.AdvanceClock(15 * time.Minute)
	c.wantRefusal(400, tooOld, "answerCallbackQuery", m{"callback_query_id": query})
}

func TestKeyboard_Invalid_IsRefused(t *testing.T) {
	const button = "can't parse inline keyboard button: "
	many := make([]m, 101)
	for i := range many {
		many[i] = key("x", "x")
	}
	for name, test := range map[string]struct {
		markup any
		words  string // a part of the refusal; "" if the keyboard is accepted
	}{
		"64 bytes":         {oneRowKeyboard(key("x", strings.Repeat("x", 64))), ""},
		"65 bytes":         {oneRowKeyboard(key("x", strings.Repeat("x", 65))), "BUTTON_DATA_INVALID"},
		"65 bytes of two":  {oneRowKeyboard(key("x", strings.Repeat("é", 33))), "BUTTON_DATA_INVALID"},
		"no data":          {oneRowKeyboard(key("x", "")), button + "Text buttons are unallowed in the inline keyboard"},
		"no text":          {oneRowKeyboard(key("", "x")), "REPLY_MARKUP_INVALID"},
		"no field of text": {oneRowKeyboard(m{"callback_data": "x"}), button + `Can't find field "text"`},
		"a text of 7":      {oneRowKeyboard(m{"text": 7, "callback_data": "x"}), button + `Field "text" must be of type String`},
		"no keyboard":      {m{}, "object expected as reply markup"},
		"no object":        {[]int{1}, "can't parse reply keyboard markup JSON object"},
		"too many":         {oneRowKeyboard(many...), "REPLY_MARKUP_TOO_LONG"},
		"no rows":          {m{"inline_keyboard": [][]m{}}, ""},
		"an empty row":     {m{"inline_keyboard": [][]m{{}, {key("x", "x")}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := startServer(t, telegramtest.Options{Strict: true})
			s.AddChat(home)
			params := m{"chat_id": home.ID, "text": "x", "reply_markup": test.markup}
			if test.words == "" {
				c.mustCall("sendMessage", params, nil)
				return
			}
			c.wantRefusal(400, "Bad Request: "+test.words, "sendMessage", params)
		})
	}
}

func TestEdit_WithoutButtons_RemovesThem(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	s.AddChat(home)
	with := oneRowKeyboard(key("Yes", "y"))
	var sent message
	c.mustCall("sendMessage", m{"chat_id": home.ID, "text": "sure?", "reply_markup": with}, &sent)
	edit := func(more m) m {
		more["chat_id"], more["message_id"] = home.ID, sent.ID
		return more
	}
	wantMessage := func(text string, buttons, edits int) {
		t.Helper()
		if got := s.BotMessages(home.ID)[0]; got.Text != text || len(got.Keyboard) != buttons || got.Edits != edits {
			t.Errorf("in chat %+v, want %q with %d rows and %d edits", got, text, buttons, edits)
		}
	}
	const same = "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as " +
		"a current content and reply markup of the message"
	c.wantRefusal(400, same, "editMessageText", edit(m{"text": "sure?", "reply_markup": with}))
	c.wantRefusal(400, same, "editMessageReplyMarkup", edit(m{"reply_markup": with}))
	c.mustCall("editMessageReplyMarkup", edit(m{}), nil)
	wantMessage("sure?", 0, 0)
	c.wantRefusal(400, same, "editMessageReplyMarkup", edit(m{}))
	c.mustCall("editMessageText", edit(m{"text": "sure!", "reply_markup": with}), nil)
	wantMessage("sure!", 1, 1)
	c.mustCall("editMessageText", edit(m{"text": "yes"}), nil)
	wantMessage("yes", 0, 2)

	_, theirs := s.Say(home, alice, "theirs")
	c.wantRefusal(400, "Bad Request: message can't be edited", "editMessageReplyMarkup", m{"chat_id": home.ID, "message_id": theirs})
	c.wantRefusal(400, "Bad Request: message to edit not found", "editMessageReplyMarkup", m{"chat_id": home.ID, "message_id": 999})
	c.wantRefusal(400, "Bad Request: BUTTON_DATA_INVALID", "editMessageReplyMarkup",
		edit(m{"reply_markup": oneRowKeyboard(key("x", strings.Repeat("x", 65)))}))
}

// TestDeliverRawUpdate_OtherKinds_ReachBotOnly checks updates of kinds that the client does not
// allow. The bot gets them, but their texts do not appear in the chat as the bot's messages.
func TestDeliverRawUpdate_OtherKinds_ReachBotOnly(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	c.poll(m{"allowed_updates": []string{"message"}})
	kinds := telegramtest.IgnoredUpdateKinds()
	for _, kind := range kinds {
		if id := s.DeliverRawUpdate(telegramtest.NewIgnoredUpdate(kind, alice.ID)); id == 0 {
			t.Errorf("%s was not taken", kind)
		}
	}
	if got := c.poll(m{"limit": 100}); len(got) != len(kinds) {
		t.Errorf("%d came, want %d", len(got), len(kinds))
	}
	if id := s.PushUpdate(m{"message_reaction": m{}}); id != 0 {
		t.Errorf("what is only pushed came as %d", id)
	}
}
