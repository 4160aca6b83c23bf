package telegram

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"
)

// Letter is what is read off one update.
type Letter struct {
	Update int64           // its id; 0 where that cannot be read
	Raw    json.RawMessage // the update as it came: it may hold what this version knows nothing of
	Kind   LetterKind
	Sender int64 // who sent it: a person's numeric id
	Place
	Message   string    // the message's id in its chat; with LetterPress that of the message that bears the button
	Album     string    // the same for all that was sent as one album; "" where it is none
	Key       string    // the update's id and the message's date: an id alone may come again after a week without updates
	Text      string    // no longer than supervisor.MaxText, valid UTF-8 without NUL; not blank with LetterMessage
	Query     string    // with LetterPress: what AckPress answers
	At        time.Time // when the message was sent; when its button was pressed Telegram does not say
	Addressed bool      // it is meant for the bot: always in private and of presses, in groups where it says so
	Lacks     string    // what came that is not looked at in this version: "a voice message"
	MovedTo   int64     // with LetterMoved: what Chat is called from now on
}

// Place is where something was said.
type Place struct {
	Chat   int64 // with LetterMoved: the chat as it was called
	Group  bool
	Title  string // the group's, one line, for people to know it by; "" in private
	Thread string // the topic; "" where there are none, and in the General topic
}

// LetterKind is what a letter is about.
type LetterKind string

const (
	LetterMessage    LetterKind = "message"    // a person's words; with Lacks where something came with them
	LetterUnreadable LetterKind = "unreadable" // a person sent only what Lacks names
	LetterPress      LetterKind = "press"      // a person has pressed a button of ours; Text is what its maker gave it
	LetterMoved      LetterKind = "moved"      // a group has become a supergroup; said twice, once in each of the two chats
	LetterOther      LetterKind = "other"      // all else: not to be acted upon
)

// Read reads an update. It asks the bot's name only where that decides whether a group's message is meant for it, and the
// only errors are that one's. Whatever is not understood is LetterOther, and so is what comes with an error.
func Read(raw json.RawMessage, self Self) (Letter, error) {
	l := Letter{Raw: raw, Kind: LetterOther}
	var update fields
	if json.Unmarshal(raw, &update) != nil {
		return l, nil
	}
	l.Update = max(0, field[int64](update, "update_id"))
	if pressed, ok := update["callback_query"]; ok {
		l.press(pressed, self)
		return l, nil
	}
	m := field[fields](update, "message")
	if !l.envelope(m) {
		return l, nil
	}
	if l.moved(m) || foreign(m) || !l.person(m) {
		return l, nil
	}
	return l, l.contents(m, self)
}

// lastDate is the end of the year 9999, beyond which a date cannot be written down.
const lastDate = 253402300799

// envelope reads what every message has, and says whether it is there.
func (l *Letter) envelope(m fields) bool {
	chat := field[gotgbot.Chat](m, "chat")
	id, date := field[int64](m, "message_id"), field[int64](m, "date")
	private, group := chat.Type == "private", chat.Type == "group" || chat.Type == "supergroup"
	if l.Update == 0 || chat.Id == 0 || id <= 0 || date <= 0 || date > lastDate || !private && !group {
		return false
	}
	l.Chat, l.Group, l.Message = chat.Id, group, strconv.FormatInt(id, 10)
	l.Key = strconv.FormatInt(l.Update, 10) + "." + strconv.FormatInt(date, 10)
	l.At = time.Unix(date, 0).UTC()
	if group {
		l.Title = line(chat.Title, maxQuote)
	}
	if thread := field[int64](m, "message_thread_id"); thread > 0 && field[bool](m, "is_topic_message") {
		l.Thread = strconv.FormatInt(thread, 10)
	}
	return true
}

// moved reads the two service messages of a group that becomes a supergroup.
func (l *Letter) moved(m fields) bool {
	to, from := field[int64](m, "migrate_to_chat_id"), field[int64](m, "migrate_from_chat_id")
	switch {
	case !l.Group || to == 0 && from == 0:
		return false
	case to != 0:
		l.MovedTo = to
	default:
		l.Chat, l.MovedTo = from, l.Chat
	}
	l.Kind = LetterMoved
	return true
}

// foreigners are fields of messages that no person wrote to the bot, as themselves and in this chat: a chat speaks (a group's
// anonymous administrators, a channel), a web page does, or an account that is run by a business bot.
var foreigners = []string{"sender_chat", "web_app_data", "business_connection_id", "sender_business_bot"}

func foreign(m fields) bool {
	return slices.ContainsFunc(foreigners, func(name string) bool { _, ok := m[name]; return ok })
}

// person reads who sent a message or pressed a button, and says whether that is a person: not a bot, and in private the one
// whose chat it is.
func (l *Letter) person(m fields) bool {
	from := field[gotgbot.User](m, "from")
	if from.Id <= 0 || from.IsBot || !l.Group && from.Id != l.Chat {
		return false
	}
	l.Sender = from.Id
	return true
}

// contents reads what the person sent.
func (l *Letter) contents(m fields, self Self) error {
	w := wordingOf(m)
	l.Lacks, l.Album = lacks(m), line(field[string](m, "media_group_id"), maxQuote)
	if w.blank() && l.Lacks == "" {
		return nil
	}
	l.Addressed = !l.Group
	if l.Group {
		to, err := addressed(m, w, self)
		if err != nil {
			return err
		}
		l.Addressed, w = to.bot, to.wording
	}
	l.Kind = LetterUnreadable
	if !w.blank() {
		l.Kind, l.Text = LetterMessage, compose(m, w, l.Sender, l.Lacks)
	}
	return nil
}

// fields are a JSON object's. A field that is not as it should be is as if it were not there, so that a message is not
// lost to a part of it that has changed since this version.
type fields map[string]json.RawMessage

func field[T any](f fields, name string) T {
	var v, zero T
	raw, ok := f[name]
	if !ok || json.Unmarshal(raw, &v) != nil {
		return zero
	}
	return v
}
