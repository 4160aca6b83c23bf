package telegramtest

import (
	"time"
)

// MessageOption is an additional field of a person's message.
type MessageOption func(*personMessage)

// WithField sets any field of the message to a value, which is marshalled to JSON.
func WithField(name string, value any) MessageOption {
	return func(s *personMessage) { s.more[name] = value }
}

// WithThread puts the message into a forum's topic, and creates the topic if it is missing.
func WithThread(id int64) MessageOption { return func(s *personMessage) { s.Thread = id } }

// WithReplyTo makes the message a reply to another one.
func WithReplyTo(message int64) MessageOption {
	return func(s *personMessage) { s.Message.ReplyTo = message }
}

// WithQuote sets the part of the replied message that the person quotes.
func WithQuote(text string) MessageOption {
	return WithField("quote", map[string]any{"text": text, "position": 0, "is_manual": true})
}

// WithDate sets the time of the message, by Telegram's clock.
func WithDate(at time.Time) MessageOption {
	return func(s *personMessage) { s.At = at.Truncate(time.Second) }
}

// AsEditOf makes the message an edit of an earlier one. The update has the whole new message.
// Fields that are not given stay, except the text.
func AsEditOf(message int64) MessageOption {
	return func(s *personMessage) { s.kind, s.ID = "edited_"+s.kind, message }
}

// WithEntity adds an entity that the server does not find by itself, such as a text_link.
func WithEntity(e Entity) MessageOption {
	return func(s *personMessage) { s.Entities = append(s.Entities, e) }
}

// AsForwardOf makes the message a forward of another user's message.
func AsForwardOf(from User, at time.Time) MessageOption {
	return WithField("forward_origin", map[string]any{"type": "user", "date": at.Unix(), "sender_user": from.json()})
}

// WithAlbum puts messages with the same id and with media into one album.
func WithAlbum(id string) MessageOption { return WithField("media_group_id", id) }

// WithChatAsSender makes the chat itself the sender, as for an anonymous admin.
func WithChatAsSender(c Chat) MessageOption {
	return func(s *personMessage) {
		s.From = User{ID: 1087968824, First: "Group", Username: "GroupAnonymousBot", Bot: true}
		s.more["sender_chat"] = c.json()
	}
}
