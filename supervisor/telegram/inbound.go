package telegram

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor"
)

// ParseUpdate turns an update of Telegram into an Incoming. It asks for the bot's name only if the
// name decides whether a group's message is for the bot. Its only errors come from that request. An
// update becomes IncomingOther if it is not understood, or if it causes an error.
func ParseUpdate(raw json.RawMessage, self BotIdentity) (supervisor.Incoming, error) {
	r := updateReader{self: self}
	r.in = supervisor.Incoming{Channel: supervisor.ChannelTelegram, Raw: raw, Kind: supervisor.IncomingOther}
	err := r.read(raw)
	return r.in, err
}

// updateReader reads one update.
type updateReader struct {
	in     supervisor.Incoming
	self   BotIdentity
	chat   int64
	sender int64
}

func (r *updateReader) read(raw json.RawMessage) error {
	var update fields
	if json.Unmarshal(raw, &update) != nil {
		return nil
	}
	r.in.Update = max(0, field[int64](update, "update_id"))
	if pressed, ok := update["callback_query"]; ok {
		r.press(pressed)
		return nil
	}
	for kind, read := range r.changes() {
		if m := field[fields](update, kind); m != nil {
			read(m)
			return nil
		}
	}
	if m := field[fields](update, "edited_message"); m != nil {
		return r.edited(m)
	}
	return r.message(field[fields](update, "message"))
}

// edited reads an edited message. If the change has no time, Telegram made the change, for example
// a link's preview. A live location also changes by moving.
func (r *updateReader) edited(m fields) error {
	at := field[int64](m, "edit_date")
	if _, moves := m["location"]; moves || at <= 0 || at > lastDate {
		return nil
	}
	r.in.EditedAt = time.Unix(at, 0).UTC()
	return r.message(m)
}

// message reads a message.
func (r *updateReader) message(m fields) error {
	if !r.envelope(m) || r.moved(m) || impersonal(m) || !r.person(m) {
		return nil
	}
	return r.contents(m)
}

// lastDate is the end of the year 9999. Later dates cannot be formatted.
const lastDate = 253402300799

// envelope reads the fields that every message has, and reports whether they are there.
func (r *updateReader) envelope(m fields) bool {
	chat := field[gotgbot.Chat](m, "chat")
	id, date := field[int64](m, "message_id"), field[int64](m, "date")
	private, group := chat.Type == "private", chat.Type == "group" || chat.Type == "supergroup"
	if r.in.Update == 0 || chat.Id == 0 || id <= 0 || date <= 0 || date > lastDate || !private && !group {
		return false
	}
	r.chat = chat.Id
	r.in.Chat, r.in.Group, r.in.Message = decimal(chat.Id), group, decimal(id)
	r.in.Key = decimal(r.in.Update) + "." + decimal(date)
	r.in.SentAt = time.Unix(date, 0).UTC()
	if group {
		r.in.Title = line(chat.Title, maxName)
	}
	if thread := field[int64](m, "message_thread_id"); thread > 0 && field[bool](m, "is_topic_message") {
		r.in.Thread = decimal(thread)
	}
	return true
}

// moved reads the two service messages about a group that has become a supergroup.
func (r *updateReader) moved(m fields) bool {
	to, from := field[int64](m, "migrate_to_chat_id"), field[int64](m, "migrate_from_chat_id")
	switch {
	case !r.in.Group || !r.in.EditedAt.IsZero() || to == 0 && from == 0:
		return false
	case to != 0:
		r.in.MovedTo = decimal(to)
	default:
		r.in.Chat, r.in.MovedTo = decimal(from), r.in.Chat
	}
	r.in.Kind = supervisor.IncomingChatMoved
	return true
}

// impersonalFields are fields of messages that no user wrote to the bot in their own name. The
// sender is a chat (a group's anonymous admins, a channel), a web page, or an account run by a
// business bot.
var impersonalFields = []string{"sender_chat", "web_app_data", "business_connection_id", "sender_business_bot"}

func impersonal(m fields) bool {
	return slices.ContainsFunc(impersonalFields, func(name string) bool { _, ok := m[name]; return ok })
}

// languageTag matches an IETF language tag. (RFC 5646)
var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}$`)

// person reads the sender of a message or press, and reports whether the sender is a person. A bot
// is no person. In a private chat, only the chat's owner counts.
func (r *updateReader) person(m fields) bool {
	from := field[gotgbot.User](m, "from")
	if from.Id <= 0 || from.IsBot || !r.in.Group && from.Id != r.chat {
		return false
	}
	r.sender, r.in.Sender = from.Id, decimal(from.Id)
	if languageTag.MatchString(from.LanguageCode) {
		r.in.Language = from.LanguageCode
	}
	return true
}

// contents reads the contents that the person sent.
func (r *updateReader) contents(m fields) error {
	w := wordingOf(m)
	r.in.Album = line(field[string](m, "media_group_id"), maxName)
	if file, ok := fileIn(m); ok {
		r.in.Attachments = []supervisor.Attachment{file}
	} else {
		r.in.Unreadable = carried(m)
	}
	thing, _ := thingIn(m)
	readable := !w.blank() || thing != "" || len(r.in.Attachments) > 0
	if !readable && r.in.Unreadable == "" {
		return nil
	}
	r.in.Addressed = !r.in.Group
	if r.in.Group {
		var err error
		if r.in.Addressed, w, err = addressed(m, w, r.self); err != nil {
			r.in.Attachments = nil
			return err
		}
	}
	r.in.Kind = supervisor.IncomingUnreadable
	if readable {
		r.in.Kind, r.in.Text = supervisor.IncomingMessage, r.compose(m, w)
	}
	if !isCode(r.in.Text) {
		r.reply(m)
	}
	r.origin(m)
	return nil
}

func decimal(id int64) string { return strconv.FormatInt(id, 10) }

// fields are the fields of a JSON object. A field of an unexpected type counts as missing, so that
// one changed field does not lose the whole message.
type fields map[string]json.RawMessage

func field[T any](f fields, name string) T {
	var v, zero T
	raw, ok := f[name]
	if !ok || json.Unmarshal(raw, &v) != nil {
		return zero
	}
	return v
}
