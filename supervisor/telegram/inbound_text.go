package telegram

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/protocol/foreign"
	"mews/supervisor"
	"mews/supervisor/internal/codes"
)

// maxName is the longest foreign name, in characters.
const maxName = 300

// wording is a text with its entities, or a caption with its entities.
type wording struct {
	units    []uint16 // the text in UTF-16, in which Telegram counts
	entities []gotgbot.MessageEntity
}

func wordingOf(m fields) wording {
	for _, name := range [][2]string{{"text", "entities"}, {"caption", "caption_entities"}} {
		if text := field[string](m, name[0]); text != "" {
			return wording{utf16.Encode([]rune(text)), field[[]gotgbot.MessageEntity](m, name[1])}
		}
	}
	return wording{}
}

// span returns the text of an entity; "" if it is outside the text.
func (w wording) span(e gotgbot.MessageEntity) string {
	n := int64(len(w.units))
	if e.Offset < 0 || e.Length <= 0 || e.Offset > n || e.Length > n-e.Offset {
		return ""
	}
	return string(utf16.Decode(w.units[e.Offset : e.Offset+e.Length]))
}

// after returns the part after the first n units.
func (w wording) after(n int64) wording {
	rest := wording{units: w.units[n:]}
	for _, e := range w.entities {
		if e.Offset >= n {
			e.Offset -= n
			rest.entities = append(rest.entities, e)
		}
	}
	return rest
}

// text returns the words. Hidden addresses of links are written out.
func (w wording) text() string {
	links := slices.DeleteFunc(slices.Clone(w.entities), func(e gotgbot.MessageEntity) bool {
		shown := w.span(e)
		return e.Type != "text_link" || shown == "" || shown == e.Url || line(e.Url, len(e.Url)) == ""
	})
	end := func(e gotgbot.MessageEntity) int64 { return e.Offset + e.Length }
	slices.SortStableFunc(links, func(a, b gotgbot.MessageEntity) int { return int(end(a) - end(b)) })
	var b strings.Builder
	var done int64
	for _, e := range links {
		b.WriteString(string(utf16.Decode(w.units[done:end(e)])))
		b.WriteString(" (" + line(e.Url, len(e.Url)) + ")")
		done = end(e)
	}
	b.WriteString(string(utf16.Decode(w.units[done:])))
	return clean(b.String())
}

func (w wording) blank() bool { return strings.TrimSpace(w.text()) == "" }

// clean returns a text without NUL and invalid UTF-8.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}

// compose returns the model's text of a message: its words, with lines about their origin and
// attachments around them. No line is put before a command or among its arguments. A code gets no
// line either, because the gate only recognises a code without other words.
func (r *updateReader) compose(m fields, w wording) string {
	text := w.text()
	if commandIn(m, w) == nil && !isCode(text) {
		thing, _ := thingIn(m)
		by := attribution(m)
		if by != "" {
			text = foreign.SanitizeText(text)
		}
		text = joined("\n", by, text, thing)
		if r.in.Unreadable != "" {
			text += fmt.Sprintf(textBesides, r.in.Unreadable)
		}
	}
	return cut(text, supervisor.MaxInboundText)
}

// Patterns of codes for the gate. The first code is six digits with spaces between them or a dash
// in the middle. The second is a recovery code of 26 digits and letters without U, in groups of any
// size. The gate checks whether the code is right.
var (
	timedShape    = regexp.MustCompile(`^(?:\d *){6}$|^\d{3} ?- ?\d{3}$`)
	recoveryShape = regexp.MustCompile(`^(?:[0-9A-TV-Z][ -]*){26}$`)
)

// maxCode is the longest code in bytes, in any of the patterns.
const maxCode = 128

// isCode reports whether a text looks like a code. A text without a digit is no code.
func isCode(text string) bool {
	if len(text) > maxCode {
		return false
	}
	plain := codes.Normalize(text)
	return timedShape.MatchString(plain) || recoveryShape.MatchString(plain) && strings.ContainsAny(plain, "0123456789")
}

// origin is the origin of a forwarded message. The origin's type decides which fields are there.
type origin struct {
	User    gotgbot.User `json:"sender_user"`
	Hidden  string       `json:"sender_user_name"`
	Sender  gotgbot.Chat `json:"sender_chat"`
	Channel gotgbot.Chat `json:"chat"`
}

// attribution returns a line about the author of a message's words, if the sender is not the
// author.
func attribution(m fields) string {
	if _, ok := m["via_bot"]; ok {
		return "[Made by the bot @" + line(field[gotgbot.User](m, "via_bot").Username, maxName) + "]"
	}
	if _, ok := m["forward_origin"]; !ok {
		return ""
	}
	from := field[origin](m, "forward_origin")
	for _, name := range []string{name(from.User), from.Hidden, from.Sender.Title, from.Channel.Title} {
		if name := line(name, maxName); name != "" {
			return "[Forwarded from " + name + "]"
		}
	}
	return "[Forwarded]"
}

// reply reads the message that the user replies to: all of its text, and the part that the user
// selected.
func (r *updateReader) reply(m fields) {
	to := repliedTo(m)
	if to == nil {
		return
	}
	if id := field[int64](field[fields](m, "reply_to_message"), "message_id"); id > 0 {
		r.in.RepliesTo = decimal(id)
	}
	from := field[gotgbot.User](to, "from")
	q := supervisor.Quote{Part: clean(field[string](field[fields](m, "quote"), "text")), Text: joined(" ", besidesWords(to), wordingOf(to).text())}
	switch {
	case from.Id == r.self.ID:
		q.By, r.in.RepliesToBot = textYou, true
	case from.Id != r.sender && !from.IsBot:
		q.By = line(name(from), maxName)
	}
	r.in.Quote = q
}

// repliedTo returns the message that the user replies to, in this chat or another one. In a topic,
// Telegram shows a message that is no reply as a reply to the topic's first message. Such a reply
// does not count.
func repliedTo(m fields) fields {
	to := field[fields](m, "reply_to_message")
	if _, opening := to["forum_topic_created"]; opening {
		return nil
	}
	if to == nil {
		return field[fields](m, "external_reply")
	}
	return to
}

func name(u gotgbot.User) string { return strings.TrimSpace(u.FirstName + " " + u.LastName) }

// line returns a text as one line of at most n characters, without square brackets.
func line(text string, n int) string {
	runes := []rune(foreign.SanitizeName(clean(text)))
	if len(runes) > n {
		runes = append(runes[:n-1], '…')
	}
	return string(runes)
}

// cut returns a text's first n bytes, or a few less so that no character is cut.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
