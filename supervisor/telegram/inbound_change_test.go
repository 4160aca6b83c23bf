package telegram_test

import (
	"encoding/json"
	"testing"

	"mews/supervisor"
	"mews/supervisor/telegram"
)

// ParseUpdate reads an added emoji, and a chat that takes messages again. It ignores other changes.
func TestParseUpdate_ReactionOrUnblock_IsRead(t *testing.T) {
	const (
		private = `"chat":{"id":1001,"type":"private","first_name":"Ann"}`
		group   = `"chat":{"id":-77,"type":"group","title":"The house"}`
		ann     = `{"id":1001,"is_bot":false,"first_name":"Ann"}`
		mews    = `{"id":42,"is_bot":true,"first_name":"Mews"}`
		thumb   = `{"type":"emoji","emoji":"👍"}`
		heart   = `{"type":"emoji","emoji":"❤"}`
	)
	reaction := func(chat, was, now string) string {
		return `"message_reaction":{` + chat + `,"message_id":900,"date":1770000000,"user":` + ann +
			`,"old_reaction":[` + was + `],"new_reaction":[` + now + `]}`
	}
	member := func(chat, status string) string {
		return `"my_chat_member":{` + chat + `,"from":` + ann + `,"date":1770000000,"old_chat_member":` +
			`{"status":"kicked","user":` + mews + `},"new_chat_member":{"status":"` + status + `","user":` + mews + `}}`
	}
	other, reacted, returned := supervisor.IncomingOther, supervisor.IncomingReaction, supervisor.IncomingChatUnblocked
	for name, c := range map[string]struct {
		update        string
		kind          supervisor.IncomingKind
		chat, message string
	}{
		"a thumb":               {reaction(private, "", thumb), reacted, "1001", "900"},
		"a thumb in a group":    {reaction(group, "", thumb), reacted, "-77", "900"},
		"another emoji instead": {reaction(private, heart, thumb), reacted, "1001", "900"},
		"the same once more":    {reaction(private, thumb, thumb), other, "", ""},
		"a custom emoji":        {reaction(private, "", `{"type":"custom_emoji"}`), other, "", ""},
		"in another's chat":     {reaction(`"chat":{"id":4242,"type":"private"}`, "", thumb), other, "4242", "900"},
		"started again":         {member(private, "member"), returned, "1001", ""},
		"let into a group":      {member(group, "administrator"), returned, "-77", ""},
		"blocked":               {member(private, "kicked"), other, "", ""},
		"put out of a group":    {member(group, "left"), other, "", ""},
		"of a channel":          {member(`"chat":{"id":-5,"type":"channel"}`, "administrator"), other, "", ""},
		"odd types":             {`"message_reaction":{"chat":5,"new_reaction":{"a":1}}`, other, "", ""},
	} {
		got, err := telegram.ParseUpdate(json.RawMessage(`{"update_id":7,`+c.update+`}`), telegram.BotIdentity{ID: 42})
		if err != nil || got.Kind != c.kind || got.Chat != c.chat || got.Message != c.message {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if read := got.Text == "👍"; read != (c.kind == reacted) {
			t.Errorf("%s: the text is %q", name, got.Text)
		}
		if got.Kind == supervisor.IncomingReaction && (got.Sender != "1001" || got.Key == "" || !got.Addressed) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
