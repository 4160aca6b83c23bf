package telegramtest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/telegram/telegramtest"
)

// keys returns a reply_markup with one row of buttons.
func keys(buttons ...m) m { return m{"inline_keyboard": [][]m{buttons}} }

func key(text, data string) m { return m{"text": text, "callback_data": data} }

const tooOld = "Bad Request: query is too old and response timeout expired or query ID is invalid"

func TestPress_IsAnsweredOnce(t *testing.T) {
	s, c := start(t, telegramtest.Options{Strict: true})
	s.Meet(home)
	var sent message
	c.do("sendMessage", m{"chat_id": home.ID, "text": "sure?", "reply_markup": keys(key("Yes", "y"), key("No", "n"))}, &sent)
	want := [][]telegramtest.Button{{{Text: "Yes", Data: "y"}, {Text: "No", Data: "n"}}}
	if diff := cmp.Diff(want, s.Sent(home.ID)[0].Keyboard); diff != "" {
		t.Errorf("the keyboard (-want +got):\n%s", diff)
	}
	for what, press := range map[string]struct {
		message int64
		data    string
	}{"no such button": {sent.ID, "yes"}, "no such message": {sent.ID + 1, "y"}} {
		if id, _, err := s.Press(home, alice, press.message, press.data); err == nil || id != 0 {
			t.Errorf("%s: pressed it as %d", what, id)
		}
	}
	id, query, err := s.Press(home, alice, sent.ID, "y")
	if err != nil {
		t.Fatal(err)
	}
	got := c.poll(nil)
	if len(got) != 1 || got[0].ID != id || got[0].Callback.ID != query || got[0].Callback.Data != "y" || got[0].Callback.Message.ID != sent.ID {
		t.Fatalf("got %+v", got)
	}
	c.refused(400, "Bad Request: MESSAGE_TOO_LONG", "answerCallbackQuery", m{"callback_query_id": query, "text": strings.Repeat("x", 201)})
	c.do("answerCallbackQuery", m{"callback_query_id": query, "text": "Done.", "show_alert": true}, nil)
	c.refused(400, tooOld, "answerCallbackQuery", m{"callback_query_id": query})
	if diff := cmp.Diff([]telegramtest.Ack{{Query: query, Text: "Done.", Alert: true}}, s.Acks()); diff != "" {
		t.Errorf("the answers (-want +got):\n%s", diff)
	}
}

func TestPress_Expired_CannotBeAnswered(t *testing.T) {
	s, c := start(t, telegramtest.Options{Strict: true})
	s.Meet(home)
	var sent message
	c.do("sendMessage", m{"chat_id": home.ID, "text": "sure?", "reply_markup": keys(key("Yes", "y"))}, &sent)
	_, query, err := s.Press(home, alice, sent.ID, "y")
	if err != nil {
		t.Fatal(err)
	}
	s.Advance(15 * time.Minute)
	c.refused(400, tooOld, "answerCallbackQuery", m{"callback_query_id": query})
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
		"64 bytes":         {keys(key("x", strings.Repeat("x", 64))), ""},
		"65 bytes":         {keys(key("x", strings.Repeat("x", 65))), "BUTTON_DATA_INVALID"},
		"65 bytes of two":  {keys(key("x", strings.Repeat("é", 33))), "BUTTON_DATA_INVALID"},
		"no data":          {keys(key("x", "")), button + "Text buttons are unallowed in the inline keyboard"},
		"no text":          {keys(key("", "x")), "REPLY_MARKUP_INVALID"},
		"no field of text": {keys(m{"callback_data": "x"}), button + `Can't find field "text"`},
		"a text of 7":      {keys(m{"text": 7, "callback_data": "x"}), button + `Field "text" must be of type String`},
		"no keyboard":      {m{}, "object expected as reply markup"},
		"no object":        {[]int{1}, "can't parse reply keyboard markup JSON object"},
		"too many":         {keys(many...), "REPLY_MARKUP_TOO_LONG"},
		"no rows":          {m{"inline_keyboard": [][]m{}}, ""},
		"an empty row":     {m{"inline_keyboard": [][]m{{}, {key("x", "x")}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := start(t, telegramtest.Options{Strict: true})
			s.Meet(home)
			params := m{"chat_id": home.ID, "text": "x", "reply_markup": test.markup}
			if test.words == "" {
				c.do("sendMessage", params, nil)
				return
			}
			c.refused(400, "Bad Request: "+test.words, "sendMessage", params)
		})
	}
}

func TestEdit_WithoutButtons_RemovesThem(t *testing.T) {
	s, c := start(t, telegramtest.Options{Strict: true})
	s.Meet(home)
	with := keys(key("Yes", "y"))
	var sent message
	c.do("sendMessage", m{"chat_id": home.ID, "text": "sure?", "reply_markup": with}, &sent)
	edit := func(more m) m {
		more["chat_id"], more["message_id"] = home.ID, sent.ID
		return more
	}
	stands := func(text string, buttons, edits int) {
		t.Helper()
		if got := s.Sent(home.ID)[0]; got.Text != text || len(got.Keyboard) != buttons || got.Edits != edits {
			t.Errorf("stands %+v, want %q with %d rows and %d edits", got, text, buttons, edits)
		}
	}
	const same = "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as " +
		"a current content and reply markup of the message"
	c.refused(400, same, "editMessageText", edit(m{"text": "sure?", "reply_markup": with}))
	c.refused(400, same, "editMessageReplyMarkup", edit(m{"reply_markup": with}))
	c.do("editMessageReplyMarkup", edit(m{}), nil)
	stands("sure?", 0, 0)
	c.refused(400, same, "editMessageReplyMarkup", edit(m{}))
	c.do("editMessageText", edit(m{"text": "sure!", "reply_markup": with}), nil)
	stands("sure!", 1, 1)
	c.do("editMessageText", edit(m{"text": "yes"}), nil)
	stands("yes", 0, 2)

	_, theirs := s.Say(home, alice, "theirs")
	c.refused(400, "Bad Request: message can't be edited", "editMessageReplyMarkup", m{"chat_id": home.ID, "message_id": theirs})
	c.refused(400, "Bad Request: message to edit not found", "editMessageReplyMarkup", m{"chat_id": home.ID, "message_id": 999})
	c.refused(400, "Bad Request: BUTTON_DATA_INVALID", "editMessageReplyMarkup",
		edit(m{"reply_markup": keys(key("x", strings.Repeat("x", 65)))}))
}

// TestDeliver_OtherUpdates checks updates of kinds that the client does not allow. Deliver sends
// them. Their texts do not appear in the chat as the bot's messages.
func TestDeliver_OtherUpdates(t *testing.T) {
	s, c := start(t, telegramtest.Options{})
	c.poll(m{"allowed_updates": []string{"message"}})
	kinds := telegramtest.OtherKinds()
	for _, kind := range kinds {
		if id := s.Deliver(telegramtest.Other(kind, alice.ID)); id == 0 {
			t.Errorf("%s was not taken", kind)
		}
	}
	if got := c.poll(m{"limit": 100}); len(got) != len(kinds) {
		t.Errorf("%d came, want %d", len(got), len(kinds))
	}
	if id := s.Push(m{"message_reaction": m{}}); id != 0 {
		t.Errorf("what is only pushed came as %d", id)
	}
}
