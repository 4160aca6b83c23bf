package telegramtest

import (
	"time"
)

// Field is an additional field of a person's message.
type Field func(*personMessage)

// With sets any field of the message to the JSON of value.
func With(name string, value any) Field { return func(s *personMessage) { s.more[name] = value } }

// Thread puts the message into a topic of a forum, and creates the topic.
func Thread(id int64) Field { return func(s *personMessage) { s.Thread = id } }

// ReplyTo makes the message a reply to another one.
func ReplyTo(message int64) Field { return func(s *personMessage) { s.Message.ReplyTo = message } }

// Quote sets the quoted part of the message that is replied to.
func Quote(text string) Field {
	return With("quote", map[string]any{"text": text, "position": 0, "is_manual": true})
}

// Date sets the time of the message, by Telegram's clock.
func Date(at time.Time) Field { return func(s *personMessage) { s.At = at.Truncate(time.Second) } }

// Edit makes the message an edit of an earlier one; the update has the whole new message. Fields
// that it does not set stay, except the words.
func Edit(message int64) Field {
	return func(s *personMessage) { s.kind, s.ID = "edited_"+s.kind, message }
}

// Mark adds an entity that no rule finds, such as a text_link.
func Mark(e Entity) Field { return func(s *personMessage) { s.Entities = append(s.Entities, e) } }

// Forwarded makes the message a forward of another user's message.
func Forwarded(from User, at time.Time) Field {
	return With("forward_origin", map[string]any{"type": "user", "date": at.Unix(), "sender_user": from.json()})
}

// Group joins several messages with media to an album.
func Group(id string) Field { return With("media_group_id", id) }

// Anonymous makes the chat itself the sender, as for an anonymous admin.
func Anonymous(c Chat) Field {
	return func(s *personMessage) {
		s.From = User{ID: 1087968824, First: "Group", Username: "GroupAnonymousBot", Bot: true}
		s.more["sender_chat"] = c.json()
	}
}
