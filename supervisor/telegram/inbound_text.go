package telegram

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor"
)

// maxQuote is how much of a message that is replied to is quoted, in characters: enough to know which one is meant.
const maxQuote = 300

// wording is a text with its entities, or a caption with its own.
type wording struct {
	units    []uint16 // Telegram counts in UTF-16
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

// span is what an entity marks; "" where it lies outside the text.
func (w wording) span(e gotgbot.MessageEntity) string {
	n := int64(len(w.units))
	if e.Offset < 0 || e.Length <= 0 || e.Offset > n || e.Length > n-e.Offset {
		return ""
	}
	return string(utf16.Decode(w.units[e.Offset : e.Offset+e.Length]))
}

// after is what follows the first n units.
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

// text is the words with the links that are hidden behind some of them written out.
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

// clean is a text without what no text may hold.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}

// compose is what the model reads of a message: its words, and before and after them what they hang on.
func compose(m fields, w wording, sender int64, lacks string) string {
	text := w.text()
	lines := slices.DeleteFunc([]string{attribution(m), quoted(m, sender), text, unreadableNote(lacks)},
		func(s string) bool { return s == "" })
	if commandIn(m, w) != nil || isCode(text) {
		lines = []string{text} // nothing stands before a command, nor among its arguments; a code is known where it stands alone
	}
	return cut(strings.Join(lines, "\n"), supervisor.MaxText)
}

// What opens a gate: six digits with spaces between them or a dash in the middle, and a recovery code, which has 26 digits
// and letters but no U, in groups of any size. Whether a text is one, and a good one, is for the gate to say.
var (
	timedShape    = regexp.MustCompile(`^(?:\d *){6}$|^\d{3} ?- ?\d{3}$`)
	recoveryShape = regexp.MustCompile(`^(?:[0-9A-TV-Z][ -]*){26}$`)
)

// maxCode is how long a code may be, in bytes, however it is written.
const maxCode = 128

// isCode says whether a text looks like a code. One without a digit is words.
func isCode(text string) bool {
	if len(text) > maxCode {
		return false
	}
	plain := supervisor.NormalizeCode(text)
	return timedShape.MatchString(plain) || recoveryShape.MatchString(plain) && strings.ContainsAny(plain, "0123456789")
}

func unreadableNote(lacks string) string {
	if lacks == "" {
		return ""
	}
	return "[With it came " + lacks + ", which can't be looked at in this version.]"
}

// origin is where a forwarded message comes from; which fields are there hangs on its type.
type origin struct {
	User    gotgbot.User `json:"sender_user"`
	Hidden  string       `json:"sender_user_name"`
	Sender  gotgbot.Chat `json:"sender_chat"`
	Channel gotgbot.Chat `json:"chat"`
}

// attribution is a line about whose words those of a message are, where they are not those of the person who sent it.
func attribution(m fields) string {
	if _, ok := m["via_bot"]; ok {
		return "[Made by the bot @" + line(field[gotgbot.User](m, "via_bot").Username, maxQuote) + "]"
	}
	return forwarded(m)
}

func forwarded(m fields) string {
	if _, ok := m["forward_origin"]; !ok {
		return ""
	}
	from := field[origin](m, "forward_origin")
	for _, name := range []string{name(from.User), from.Hidden, from.Sender.Title, from.Channel.Title} {
		if name := line(name, maxQuote); name != "" {
			return "[Forwarded from " + name + "]"
		}
	}
	return "[Forwarded]"
}

// quoted is a line about the message that is replied to: the part that the person chose of it, or its beginning.
func quoted(m fields, sender int64) string {
	to := repliedTo(m)
	text := clean(field[string](field[fields](m, "quote"), "text"))
	if strings.TrimSpace(text) == "" {
		text = wordingOf(to).text()
	}
	if lacks := unreadableIn(to); text == "" && lacks != "" {
		text = "[" + lacks + "]"
	}
	from := field[gotgbot.User](to, "from")
	if by := line(name(from), maxQuote); text != "" && by != "" && from.Id != sender && !from.IsBot {
		text = by + ": " + text
	}
	if text = line(text, maxQuote); text == "" {
		return ""
	}
	return "> " + text
}

// repliedTo is the message that is replied to, in this chat or another one. In a topic whatever is no reply counts as one
// to the message that opened the topic: that is nobody's.
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

// line is a text as one line of at most n characters.
func line(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, clean(text))
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > n {
		runes = append(runes[:n-1], '…')
	}
	return string(runes)
}

// cut is a text's first n bytes, or a few less where a character would be cut through.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// unreadableFields are what Telegram can carry and this version can't look at. The first that is there counts: an animation comes
// as a document too, a venue as a location.
var unreadableFields = []struct{ field, name string }{
	{"voice", "a voice message"},
	{"photo", "a photo"},
	{"animation", "an animation"},
	{"video", "a video"},
	{"video_note", "a video message"},
	{"sticker", "a sticker"},
	{"audio", "an audio file"},
	{"document", "a file"},
	{"venue", "a place"},
	{"location", "a location"},
	{"contact", "a contact"},
	{"poll", "a poll"},
	{"checklist", "a checklist"},
	{"dice", "a throw of dice"},
	{"story", "a story"},
	{"paid_media", "paid media"},
	{"game", "a game"},
	{"invoice", "an invoice"},
	{"giveaway", "a giveaway"},
}

func unreadableIn(m fields) string {
	for _, t := range unreadableFields {
		if _, ok := m[t.field]; ok {
			return t.name
		}
	}
	return ""
}

// commandShape tells a command from a path, as the inbox does; its part is the bot that it names.
var commandShape = regexp.MustCompile(`^/[A-Za-z][A-Za-z0-9_]{0,31}(@\w{1,64})?(?:\s|$)`)

// addressing is whether a group's message is meant for the bot, and its words without the bot's name before them.
type addressing struct {
	toBot   bool
	wording wording
}

// addressed: a command for no other bot, a message that names the bot, or a reply to one of the bot's.
func addressed(m fields, w wording, self Self) (addressing, error) {
	from := field[gotgbot.User](repliedTo(m), "from")
	to := addressing{toBot: from.IsBot && from.Id == self.ID, wording: w}
	to.called(func(e gotgbot.MessageEntity, _ string) bool {
		return e.Type == "text_mention" && e.User != nil && e.User.Id == self.ID
	})
	name, err := askName(self, usernames(m, to.wording))
	if err != nil {
		return to, err
	}
	to.called(func(e gotgbot.MessageEntity, shown string) bool { return e.Type == "mention" && isName(shown, name) })
	if command := commandIn(m, to.wording); command != nil {
		to.toBot = command[1] == "" || isName(command[1], name)
	}
	return to, nil
}

// askName is the bot's name where some are in question, and "" where that is no matter. That it is not known matters where
// one of them may be a bot's: those end in "bot", but for some that were bought.
func askName(self Self, names []string) (string, error) {
	if len(names) == 0 {
		return "", nil
	}
	name, err := self.Name()
	if err == nil {
		return name, nil
	}
	for _, n := range names {
		if strings.HasSuffix(strings.ToLower(n), "bot") {
			return "", err
		}
	}
	return "", nil
}

func isName(said, name string) bool { return name != "" && strings.EqualFold(said, "@"+name) }

// usernames are those that a message mentions, and the one that its command is for, with @.
func usernames(m fields, w wording) []string {
	var names []string
	for _, e := range w.entities {
		if e.Type == "mention" {
			names = append(names, w.span(e))
		}
	}
	if command := commandIn(m, w); command != nil && command[1] != "" {
		names = append(names, command[1])
	}
	return names
}

// commandIn is a command and the bot that it names; nil where there is none. Who forwards a command gives none, nor who has
// a bot write it.
func commandIn(m fields, w wording) []string {
	if attribution(m) != "" {
		return nil
	}
	return commandShape.FindStringSubmatch(w.text())
}

// called looks for the bot, by whatever calls it. What is nothing but that stays as it is.
func (a *addressing) called(calls func(e gotgbot.MessageEntity, shown string) bool) {
	w := a.wording
	for _, e := range w.entities {
		if shown := w.span(e); shown == "" || !calls(e, shown) {
			continue
		}
		a.toBot = true
		if e.Offset != 0 {
			continue
		}
		if rest := w.after(e.Length).trimmed(); !rest.blank() {
			a.wording = rest
		}
	}
}

// trimmed is without the spaces, commas and colons before it, as they stand after a name.
func (w wording) trimmed() wording {
	n := slices.IndexFunc(w.units, func(u uint16) bool { return !strings.ContainsRune(" \t\n,:", rune(u)) })
	if n < 0 {
		n = len(w.units)
	}
	return w.after(int64(n))
}
