package telegram_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mews/supervisor"
	"mews/supervisor/telegram"
	"mews/supervisor/telegram/telegramtest"
)

// press returns an update in which a user presses a button of the bot's message in a chat. more are
// fields of the query.
func press(chat, from string, more ...string) string {
	fields := append([]string{`"id":"4382bfdwdsb323b2d9"`, from, `"chat_instance":"-3"`,
		`"message":{"message_id":11,"date":1760000000,` + bot + `,` + chat + `,"text":"Sure?"}`}, more...)
	return `{"update_id":500001,"callback_query":{` + strings.Join(fields, ",") + `}}`
}

func TestParseUpdate_Press_NeedsMessageOfBot(t *testing.T) {
	at := time.Unix(1760000000, 0).UTC()
	inTopic := strings.Replace(group, `"chat"`, `"message_thread_id":5,"is_topic_message":true,"chat"`, 1)
	for name, test := range map[string]struct {
		update string
		want   supervisor.Incoming
		text   string
	}{
		"in private": {press(privateChat, ann, `"data":"q1:yes"`), supervisor.Incoming{Chat: "42"}, "q1:yes"},
		"in a topic of a group": {press(inTopic, ann, `"data":" ~"`),
			supervisor.Incoming{Chat: "-100777", Group: true, Title: "The house", Thread: "5"}, " ~"},
		"of 64 bytes": {press(privateChat, ann, `"data":"`+strings.Repeat("a", 64)+`"`), supervisor.Incoming{Chat: "42"},
			strings.Repeat("a", 64)},
	} {
		t.Run(name, func(t *testing.T) {
			want := test.want
			want.Language = "en"
			want.Channel, want.Update, want.Kind, want.Sender, want.Message = supervisor.ChannelTelegram, 500001, "press", "42", "11"
			want.Key, want.Text, want.Query, want.SentAt, want.Addressed = "500001.1760000000", test.text, "4382bfdwdsb323b2d9", at, true
			got, err := telegram.ParseUpdate(json.RawMessage(test.update), me)
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(supervisor.Incoming{}, "Raw")); diff != "" || err != nil {
				t.Errorf("error %v; want -, got +:\n%s", err, diff)
			}
		})
	}
}

func TestParseUpdate_ChatTitle_IsOneLine(t *testing.T) {
	long := strings.Replace(group, "The house", `The\n house \u0000`+strings.Repeat("ü", 400), 1)
	got, err := telegram.ParseUpdate(json.RawMessage(message(ann, long, text("x"))), me)
	if want := "The house " + strings.Repeat("ü", 289) + "…"; err != nil || got.Title != want {
		t.Errorf("error %v, title %q, want %q", err, got.Title, want)
	}
}

// TestParseUpdate_OtherTypes_AreIgnored checks that only messages and presses of people cause an
// action.
func TestParseUpdate_OtherTypes_AreIgnored(t *testing.T) {
	self := telegram.BotIdentity{ID: 42, Name: me.Name} // the bot of telegramtest
	for _, kind := range telegramtest.IgnoredUpdateKinds() {
		t.Run(kind, func(t *testing.T) {
			raw := telegramtest.NewIgnoredUpdate(kind, 1001)
			if !json.Valid(raw) {
				t.Fatalf("this is no JSON: %s", raw)
			}
			got, err := telegram.ParseUpdate(raw, self)
			if err != nil || got.Kind != supervisor.IncomingOther || got.Text != "" || got.Addressed || got.Update != 1 {
				t.Errorf("error %v, letter %+v", err, got)
			}
		})
	}
}

// TestOtherUpdateTypes_ListIsComplete checks that all update types of the library are tested.
func TestOtherUpdateTypes_ListIsComplete(t *testing.T) {
	known := telegramtest.IgnoredUpdateKinds()
	update := reflect.TypeFor[gotgbot.Update]()
	for i := range update.NumField() {
		name, _, _ := strings.Cut(update.Field(i).Tag.Get("json"), ",")
		if name != "update_id" && name != "message" && name != "edited_message" && name != "callback_query" && !slices.Contains(known, name) {
			t.Errorf("%s is not tried", name)
		}
	}
	if update.NumField() < 20 {
		t.Errorf("the library has %d types only", update.NumField())
	}
}
