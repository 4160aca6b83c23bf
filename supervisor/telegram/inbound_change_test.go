package telegram_test

import (
	"encoding/json"
	"testing"

	"mews/supervisor"
	"mews/supervisor/telegram"
)

// An added emoji and a chat that takes messages again are read. What is in the update beside them is
// not.
func TestParseUpdate_Changes_AreRead(t *testing.T) {
	const (
		private = `"chat":{"id":1001,"type":"private","first_name":"Ann"}`
		group   = `"chat":{"id":-77,"type":"group","title":"The house"}`
		ann     = `{"id":1001,"is_bot":false,"first_name":"Ann"}`
		mews    = `{"id":42,"is_bot":true,"first_name":"Mews"}`
		thumb   = `{"type":"emoji","emoji":"👍"}`
		heart   = `{"type":"emoji","emoji":"❤"}`
	)
	reaction := func(chat, was, now string) string {
		return `"message_reaction":{` + chat + `,"message_id":900,"date":1770000000,"user":` + ann + `,"old_reaction":[` + was +
			`],"new_reaction":[` + now + `]}`
	}
	member := func(chat, status string) string {
		return `"my_chat_member":{` + chat + `,"from":` + ann + `,"date":1770000000,"old_chat_member":{"status":"kicked","user":` + mews +
			`},"new_chat_member":{"status":"` + status + `","user":` + mews + `}}`
	}
	for name, c := range map[string]struct {
		update string
		want   supervisor.Incoming
	}{
		"a thumb":               {reaction(private, "", thumb), supervisor.Incoming{Kind: supervisor.IncomingReaction, Text: "👍", Chat: "1001", Message: "900"}},
		"a thumb in a group":    {reaction(group, "", thumb), supervisor.Incoming{Kind: supervisor.IncomingReaction, Text: "👍", Chat: "-77", Message: "900"}},
		"another emoji instead": {reaction(private, heart, thumb), supervisor.Incoming{Kind: supervisor.IncomingReaction, Text: "👍", Chat: "1001", Message: "900"}},
		"the same once more":    {reaction(private, thumb, thumb), supervisor.Incoming{Kind: supervisor.IncomingOther}},
		"a custom emoji":        {reaction(private, "", `{"type":"custom_emoji","custom_emoji_id":"1"}`), supervisor.Incoming{Kind: supervisor.IncomingOther}},
		"in another's chat": {reaction(`"chat":{"id":4242,"type":"private"}`, "", thumb), supervisor.Incoming{Kind: supervisor.IncomingOther, Chat: "4242",
			Message: "900"}},
		"started again":      {member(private, "member"), supervisor.Incoming{Kind: supervisor.IncomingReturned, Chat: "1001"}},
		"let into a group":   {member(group, "administrator"), supervisor.Incoming{Kind: supervisor.IncomingReturned, Chat: "-77"}},
		"blocked":            {member(private, "kicked"), supervisor.Incoming{Kind: supervisor.IncomingOther}},
		"put out of a group": {member(group, "left"), supervisor.Incoming{Kind: supervisor.IncomingOther}},
		"of a channel":       {member(`"chat":{"id":-5,"type":"channel"}`, "administrator"), supervisor.Incoming{Kind: supervisor.IncomingOther}},
		"odd types":          {`"message_reaction":{"chat":5,"new_reaction":{"a":1}}`, supervisor.Incoming{Kind: supervisor.IncomingOther}},
	} {
		got, err := telegram.ParseUpdate(json.RawMessage(`{"update_id":7,`+c.update+`}`), telegram.BotIdentity{ID: 42})
		if err != nil || got.Kind != c.want.Kind || got.Text != c.want.Text || got.Chat != c.want.Chat || got.Message != c.want.Message {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if got.Kind == supervisor.IncomingReaction && (got.Sender != "1001" || got.Key == "" || !got.Addressed) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
