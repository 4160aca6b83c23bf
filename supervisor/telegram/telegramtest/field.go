package telegramtest

import (
	"time"
)

// Field is something more of a message that somebody sends.
type Field func(*personMessage)

// With sets any field of the message to what JSON makes of value.
func With(name string, value any) Field { return func(s *personMessage) { s.more[name] = value } }

// Thread has the message stand in a topic of a forum. The topic is known from then on.
func Thread(id int64) Field { return func(s *personMessage) { s.Thread = id } }

// ReplyTo has the message answer another one.
func ReplyTo(message int64) Field { return func(s *personMessage) { s.Message.ReplyTo = message } }

// Quote is the part of the answered message that is answered.
func Quote(text string) Field {
	return With("quote", map[string]any{"text": text, "position": 0, "is_manual": true})
}

// Date is when the message was sent, by Telegram's clock.
func Date(at time.Time) Field { return func(s *personMessage) { s.At = at.Truncate(time.Second) } }

// Edit has the message stand in the place of an earlier one: the update is an edited one, with the
// whole message as it is now. What it does not say anew is as it was, but the words.
func Edit(message int64) Field {
	return func(s *personMessage) { s.kind, s.ID = "edited_"+s.kind, message }
}

// Mark adds an entity that no rule finds, such as a text_link.
func Mark(e Entity) Field { return func(s *personMessage) { s.Entities = append(s.Entities, e) } }

// Forwarded says whose message it was before.
func Forwarded(from User, at time.Time) Field {
	return With("forward_origin", map[string]any{"type": "user", "date": at.Unix(), "sender_user": from.json()})
}

// Group puts several messages with media into one album.
func Group(id string) Field { return With("media_group_id", id) }

// Anonymous has the message come from the chat itself, as an anonymous admin's does.
func Anonymous(c Chat) Field {
	return func(s *personMessage) {
		s.From = User{ID: 1087968824, First: "Group", Username: "GroupAnonymousBot", Bot: true}
		s.more["sender_chat"] = c.json()
	}
}
