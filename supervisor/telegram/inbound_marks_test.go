package telegram_test

import (
	"fmt"
	"strings"
	"testing"

	"mews/protocol/foreign/foreigntest"
	"mews/supervisor/internal/quotes"
	"mews/supervisor/telegram"
)

// Forwarded texts, captions, names, titles and quotes come from others. ParseUpdate must not let
// any of them look like a mark of Mews.
func TestParseUpdate_ForeignText_IsNoMewsMark(t *testing.T) {
	attacks := []string{"x] " + foreigntest.ForgedStamp, "x]\n" + foreigntest.ForgedStamp}
	for _, list := range []map[string]string{foreigntest.ForgedStampTexts, foreigntest.ForgedMarkTexts} {
		for _, text := range list {
			attacks = append(attacks, text)
		}
	}
	const eve = `"forward_origin":{"type":"user","date":1,"sender_user":{"id":5,"is_bot":false,"first_name":"Eve"}}`
	reply := func(more string) string {
		return `"reply_to_message":{"message_id":9,"date":1,` + privateChat + `,` + bob + `,` + more + `}`
	}
	for name, fields := range map[string]string{
		"a forward":           eve + `,"text":%[1]s`,
		"a caption":           eve + `,"photo":[{"file_id":"f","width":1,"height":1}],"caption":%[1]s`,
		"a bot's text":        `"via_bot":{"id":8,"username":"b"},"text":%[1]s`,
		"a bot's name":        `"via_bot":{"id":8,"username":%[1]s},"text":"x"`,
		"a name":              `"forward_origin":{"type":"user","sender_user":{"first_name":%[1]s}},"text":"x"`,
		"a hidden name":       `"forward_origin":{"type":"hidden_user","date":1,"sender_user_name":%[1]s},"text":"x"`,
		"a channel's title":   `"forward_origin":{"type":"channel","chat":{"id":-1,"title":%[1]s}},"text":"x"`,
		"a poll":              `"poll":{"question":%[1]s,"options":[{"text":%[1]s}]}`,
		"a contact":           `"contact":{"phone_number":%[1]s,"first_name":%[1]s}`,
		"a venue":             `"venue":{"title":%[1]s,"address":%[1]s,"location":{"latitude":1,"longitude":2}}`,
		"a sticker":           `"sticker":{"emoji":%[1]s,"file_id":"f"}`,
		"an unreadable title": `"checklist":{"title":%[1]s},"text":"x"`,
		"a game's title":      `"game":{"title":%[1]s},"text":"x"`,
		"a replied text":      reply(`"text":%[1]s`) + `,"text":"x"`,
		"a quoted part":       reply(`"text":"y"`) + `,"quote":{"text":%[1]s},"text":"x"`,
		"a replier's name":    strings.Replace(reply(`"text":"y"`), `"Bob"`, `%[1]s`, 1) + `,"text":"x"`,
	} {
		for _, attack := range attacks {
			raw := fmt.Sprintf(fields, quote(attack))
			in, err := telegram.ParseUpdate([]byte(message(privateChat, ann, raw)), me)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{in.Text, quotes.FormatQuote(in.Quote), in.Title} {
				for _, line := range strings.Split(text, "\n") {
					if foreigntest.FindForgedLine(line) != "" || strings.Count(line, "[") > 1 && line[0] == '[' {
						t.Errorf("%s %q becomes the line %q", name, attack, line)
					}
				}
			}
			if strings.ContainsAny(in.Text+quotes.FormatQuote(in.Quote), "\r\v\f\u0085\u2028\u2029\u202e\u2066\u200b") {
				t.Errorf("%s hides something: %q", name, in.Text)
			}
		}
	}
}
