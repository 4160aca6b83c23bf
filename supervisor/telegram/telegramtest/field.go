package telegramtest

import (
	"time"
)

// Field is an additional field of a person's message.
type Field func(*personMessage)

// With sets any field of the message to a value, which is marshalled to JSON.
func With(name string, value any) Field { return func(s *personMessage) { s.more[name] = value } }

// Thread puts the message into a forum's topic, and creates the topic if it is missing.
func Thread(id int64) Field { return func(s *personMessage) { s.Thread = id } }

// ReplyTo makes the message a reply to another one.
func ReplyTo(message int64) Field { return func(s *personMessage) { s.Message.ReplyTo = message } }

// Quote sets the part of the replied message that the person quotes.
func Quote(text string) Field {
	return With("quote", map[string]any{"text": text, "position": 0, "is_manual": true})
}

// Date sets the time of the message, by Telegram's clock.
func Date(at time.Time) Field { return func(s *personMessage) { s.At = at.Truncate(time.Second) } }

// Edit makes the message an edit of an earlier one. The update has the whole new message. Fields
// that are not given stay, except the text.
func Edit(message int64) Field {
	return func(s *personMessage) { s.kind, s.ID = "edited_"+s.kind, message }
}

// Mark adds an entity that the server does not find by itself, such as a text_link.
func Mark(e Entity) Field { return func(s *personMessage) { s.Entities = append(s.Entities, e) } }

// ForwardOf makes the message a forward of another user's message.
func ForwardOf(from User, at time.Time) Field {
	return With("forward_origin", map[string]any{"type": "user", "date": at.Unix(), "sender_user": from.json()})
}

// Group puts messages with the same id and with media into one album.
func Group(id string) Field { return With("media_group_id", id) }

// Anonymous makes the chat itself the sender, as for an anonymous admin.
func Anonymous(c Chat) Field {
	return func(s *personMessage) {
		s.From = User{ID: 1087968824, First: "Group", Username: "GroupAnonymousBot", Bot: true}
		s.more["sender_chat"] = c.json()
	}
}
