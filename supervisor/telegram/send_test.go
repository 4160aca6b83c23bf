package telegram

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
)

// asked is a request that a server got.
type asked struct {
	Method string
	Params string // parameters as JSON
}

// hears starts a server that accepts every call. It returns a client and the requests.
func hears(t testing.TB) (*Client, <-chan asked) {
	t.Helper()
	heard := make(chan asked, 8)
	return open(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s of %s: %v", r.Method, r.Header.Get("Content-Type"), err)
		}
		heard <- asked{strings.TrimPrefix(r.URL.Path, "/bot"+canaryToken+"/"), string(body)}
		_, _ = io.WriteString(w, `{"ok":true,"result":{"message_id":7,"date":1,"chat":{"id":5,"type":"private"}}}`)
	})), heard
}

func sameJSON(t testing.TB, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("what was asked (-want +got):\n%s", diff)
	}
}

func send(to supervisor.PostAddress, content supervisor.RichText) func(context.Context, *Client) error {
	return func(ctx context.Context, c *Client) error {
		_, err := c.Send(ctx, to, content)
		return err
	}
}

func TestCalls_SendExactParameters(t *testing.T) {
	const plain = `"link_preview_options":{"is_disabled":true}`
	hi := supervisor.RichText{Text: "hi"}
	asks := supervisor.RichText{Text: "sure?", Buttons: [][]supervisor.Button{
		{{Text: "Yes", Press: "q1:y"}, {Text: "No", Press: "q1:n"}}, {}, {{Text: "Always", Press: "q1:a"}}}}
	const keys = `"reply_markup":{"inline_keyboard":[[{"text":"Yes","callback_data":"q1:y"},{"text":"No","callback_data":"q1:n"}],` +
		`[{"text":"Always","callback_data":"q1:a"}]]}`
	captioned := supervisor.RichText{Text: "see", File: &supervisor.File{SHA256: "ab", Name: "a.txt"},
		Entities: []supervisor.RichTextEntity{{Type: supervisor.EntityBold, Offset: 0, Length: 3}}}
	full := supervisor.PostAddress{Chat: "-1001234567890", Thread: "12", ReplyTo: "6", Silent: true}
	for name, test := range map[string]struct {
		do     func(context.Context, *Client) error
		method string
		params string
	}{
		"a message": {send(supervisor.PostAddress{Chat: "5"}, hi), "sendMessage", `{"chat_id":5,"text":"hi",` + plain +
			`}`},
		"a silent answer in a topic of a group": {send(full, hi), "sendMessage",
			`{"chat_id":-1001234567890,"message_thread_id":12,"text":"hi","disable_notification":true,` +
				`"reply_parameters":{"message_id":6,"allow_sending_without_reply":true},` + plain + `}`},
		"the General topic": {send(supervisor.PostAddress{Chat: "-100", Thread: "1"}, hi), "sendMessage",
			`{"chat_id":-100,"text":"hi",` + plain + `}`},
		"what looks like marks is none": {send(supervisor.PostAddress{Chat: "5"},
			supervisor.RichText{Text: "<b>*a*</b> & \u2028"}), "sendMessage",
			`{"chat_id":5,"text":"<b>*a*</b> & \u2028",` + plain + `}`},
		"an edit": {func(ctx context.Context, c *Client) error { return c.EditMessage(ctx, full, "7", hi) },
			"editMessageText",
			`{"chat_id":-1001234567890,"message_id":7,"text":"hi",` + plain + `}`},
		"a question": {send(supervisor.PostAddress{Chat: "5"}, asks), "sendMessage", `{"chat_id":5,"text":"sure?",` +
			plain + `,` + keys + `}`},
		"a question in an edit": {func(ctx context.Context, c *Client) error {
			return c.EditMessage(ctx, full, "7",
				asks)
		}, "editMessageText",
			`{"chat_id":-1001234567890,"message_id":7,"text":"sure?",` + plain + `,` + keys + `}`},
		"rows without buttons": {send(supervisor.PostAddress{Chat: "5"}, supervisor.RichText{Text: "hi",
			Buttons: [][]supervisor.Button{{}}}),
			"sendMessage", `{"chat_id":5,"text":"hi",` + plain + `}`},
		"an edit of a file's caption": {func(ctx context.Context, c *Client) error {
			return c.EditMessage(ctx, full,
				"7", captioned)
		},
			"editMessageCaption", `{"chat_id":-1001234567890,"message_id":7,"caption":"see",` +
				`"caption_entities":[{"type":"bold","offset":0,"length":3}]}`},
		"no more buttons": {func(ctx context.Context, c *Client) error { return c.RemoveButtons(ctx, full, "7") },
			"editMessageReplyMarkup", `{"chat_id":-1001234567890,"message_id":7}`},
		"an answer to a press": {func(ctx context.Context, c *Client) error { return c.AckPress(ctx, "4382", "", false) },
			"answerCallbackQuery", `{"callback_query_id":"4382"}`},
		"an alert": {func(ctx context.Context, c *Client) error {
			return c.AckPress(ctx, "4382", strings.Repeat("🦅", 101), true)
		}, "answerCallbackQuery", `{"callback_query_id":"4382","show_alert":true,"text":"` + strings.Repeat("🦅", 99) + `…"}`},
		"a deletion": {func(ctx context.Context, c *Client) error { return c.DeleteMessage(ctx, full, "7") },
			"deleteMessage",
			`{"chat_id":-1001234567890,"message_id":7}`},
		"a reaction": {func(ctx context.Context, c *Client) error { return c.SetReaction(ctx, full, "7", "👀") },
			"setMessageReaction",
			`{"chat_id":-1001234567890,"message_id":7,"reaction":[{"type":"emoji","emoji":"👀"}]}`},
		"none any more": {func(ctx context.Context, c *Client) error { return c.SetReaction(ctx, full, "7", "") },
			"setMessageReaction",
			`{"chat_id":-1001234567890,"message_id":7,"reaction":[]}`},
		"typing": {func(ctx context.Context, c *Client) error {
			return c.SendChatAction(ctx, full, supervisor.ActionTyping)
		}, "sendChatAction",
			`{"chat_id":-1001234567890,"message_thread_id":12,"action":"typing"}`},
	} {
		t.Run(name, func(t *testing.T) {
			c, heard := hears(t)
			if err := test.do(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			got := <-heard
			if got.Method != test.method {
				t.Errorf("called %s, want %s", got.Method, test.method)
			}
			sameJSON(t, got.Params, test.params)
		})
	}
}

// TestSend_EntitiesArriveUnchanged sends every kind of mark, counted in UTF-16. The falcon has two
// units.
func TestSend_EntitiesArriveUnchanged(t *testing.T) {
	c, heard := hears(t)
	content := supervisor.RichText{Text: "🦅 bold italic gone secret code pre link quote long",
		Entities: []supervisor.RichTextEntity{
			{Type: supervisor.EntityBold, Offset: 3, Length: 4},
			{Type: supervisor.EntityItalic, Offset: 8, Length: 6},
			{Type: supervisor.EntityStrikethrough, Offset: 15, Length: 4},
			{Type: supervisor.EntitySpoiler, Offset: 20, Length: 6},
			{Type: supervisor.EntityCode, Offset: 27, Length: 4},
			{Type: supervisor.EntityPre, Offset: 32, Length: 3, Language: "go"},
			{Type: supervisor.EntityLink, Offset: 36, Length: 4, URL: "https://example.org/?a=1&b=2"},
			{Type: supervisor.EntityQuote, Offset: 41, Length: 5},
			{Type: supervisor.EntityLongQuote, Offset: 47, Length: 4},
		}}
	if _, err := c.Send(t.Context(), supervisor.PostAddress{Chat: "5"}, content); err != nil {
		t.Fatal(err)
	}
	sameJSON(t, (<-heard).Params, `{"chat_id":5,"text":"🦅 bold italic gone secret code pre link quote long",
		"link_preview_options":{"is_disabled":true},"entities":[
		{"type":"bold","offset":3,"length":4},{"type":"italic","offset":8,"length":6},
		{"type":"strikethrough","offset":15,"length":4},{"type":"spoiler","offset":20,"length":6},
		{"type":"code","offset":27,"length":4},{"type":"pre","offset":32,"length":3,"language":"go"},
		{"type":"text_link","offset":36,"length":4,"url":"https://example.org/?a=1&b=2"},
		{"type":"blockquote","offset":41,"length":5},{"type":"expandable_blockquote","offset":47,"length":4}]}`)
}

func TestCalls_InvalidIDs_AreNotSent(t *testing.T) {
	c := open(t, serve(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked for %s", r.URL.Path) }))
	hi := supervisor.RichText{Text: canaryWords}
	for name, do := range map[string]func(context.Context, *Client) error{
		"no chat":           send(supervisor.PostAddress{}, hi),
		"a chat's own name": send(supervisor.PostAddress{Chat: "@someone"}, hi),
		"chat zero":         send(supervisor.PostAddress{Chat: "0"}, hi),
		"an odd thread":     send(supervisor.PostAddress{Chat: "5", Thread: "general"}, hi),
		"an odd answer":     send(supervisor.PostAddress{Chat: "5", ReplyTo: "first"}, hi),
		"no message to edit": func(ctx context.Context, c *Client) error {
			return c.EditMessage(ctx, supervisor.PostAddress{Chat: "5"}, "", hi)
		},
		"an odd message to unbutton": func(ctx context.Context, c *Client) error {
			return c.RemoveButtons(ctx, supervisor.PostAddress{Chat: "5"}, "first")
		},
		"no press to answer": func(ctx context.Context, c *Client) error { return c.AckPress(ctx, "", canaryWords, false) },
		"an odd message to delete": func(ctx context.Context, c *Client) error {
			return c.DeleteMessage(ctx, supervisor.PostAddress{Chat: "5"}, "1e3")
		},
	} {
		if e := failureOf(t, do(t.Context(), c)); outcomeOf(e) != rejected {
			t.Errorf("%s: got %+v: %v", name, outcomeOf(e), e)
		}
	}
}

// TestEdit_UnchangedMessage_IsNoFailure covers messages that already have the wanted state. A
// similar answer is a failure.
func TestEdit_UnchangedMessage_IsNoFailure(t *testing.T) {
	edit := func(ctx context.Context, c *Client) error {
		return c.EditMessage(ctx, supervisor.PostAddress{Chat: "5"}, "7", supervisor.RichText{Text: canaryWords})
	}
	remove := func(ctx context.Context, c *Client) error {
		return c.DeleteMessage(ctx, supervisor.PostAddress{Chat: "5"}, "7")
	}
	unbutton := func(ctx context.Context, c *Client) error {
		return c.RemoveButtons(ctx, supervisor.PostAddress{Chat: "5"}, "7")
	}
	ack := func(ctx context.Context, c *Client) error { return c.AckPress(ctx, "4382", canaryWords, false) }
	const same = "Bad Request: message is not modified: specified new message content and reply markup are exactly the same " +
		"as a current content and reply markup of the message"
	for name, test := range map[string]struct {
		do   func(context.Context, *Client) error
		says string
		want outcome // the zero value means success
	}{
		"edited to the same":       {edit, same, outcome{}},
		"edited and not there":     {edit, "Bad Request: message to edit not found", lost},
		"edited and nobody's":      {edit, "Bad Request: message can't be edited", lost},
		"deleted and not there":    {remove, "Bad Request: message to delete not found", outcome{}},
		"deleted and never there":  {remove, "Bad Request: MESSAGE_ID_INVALID", outcome{}},
		"deleted and too old":      {remove, "Bad Request: message can't be deleted for everyone", lost},
		"deleted and not modified": {remove, same, rejected},
		"unbuttoned before":        {unbutton, same, outcome{}},
		"unbuttoned and not there": {unbutton, "Bad Request: message to edit not found", outcome{}},
		"unbuttoned and too old":   {unbutton, "Bad Request: message can't be edited", outcome{}},
		"unbuttoned in no chat":    {unbutton, "Bad Request: chat not found", refusedChat},
		"answered too late": {ack, "Bad Request: query is too old and response timeout expired or query ID is invalid",
			outcome{}},
		"answered, by its code":          {ack, "Bad Request: QUERY_ID_INVALID", outcome{}},
		"answered at too great a length": {ack, "Bad Request: MESSAGE_TOO_LONG", long},
		"sent and not modified": {send(supervisor.PostAddress{Chat: "5"},
			supervisor.RichText{Text: canaryWords}), same, rejected},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.do(t.Context(), open(t, answers(t, 400, no(400, test.says))))
			if test.want == (outcome{}) {
				if err != nil {
					t.Errorf("got %v", err)
				}
				return
			}
			if e := failureOf(t, err); outcomeOf(e) != test.want {
				t.Errorf("got %+v, want %+v: %v", outcomeOf(e), test.want, e)
			}
		})
	}
}
