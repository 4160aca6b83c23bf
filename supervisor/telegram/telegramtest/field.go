package telegramtest

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Field is something more of a message that somebody sends.
type Field func(*personMessage)

// With sets any field of the message to what JSON makes of value.
func With(name string, value any) Field { return func(s *personMessage) { s.extra[name] = value } }

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

// Edit has the message stand in the place of an earlier one: the update is an edited one.
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
		s.extra["sender_chat"] = c.json()
	}
}

// File is something that comes with a message. getFile serves it.
type File struct {
	ID      string // "" is made from Name
	Name    string
	Mime    string
	Size    int64 // 0 is the length of Content
	Content []byte
}

// json is a file as the server shows it, with what a kind adds.
func (f File) json(more map[string]any) map[string]any {
	m := map[string]any{"file_id": f.ID, "file_unique_id": "u" + f.ID, "file_size": f.Size}
	for name, v := range more {
		m[name] = v
	}
	if f.Mime != "" {
		m["mime_type"] = f.Mime
	}
	return m
}

// filled has the parts set that can be made up.
func (f File) filled(kind string) File {
	f.ID = cmp.Or(f.ID, "file-"+kind+"-"+strings.ReplaceAll(f.Name, "/", "-"))
	f.Size = cmp.Or(f.Size, int64(len(f.Content)))
	return f
}

// media is a message with a file; its text is the caption.
func media(kind string, f File, show func(File) any) Field {
	f = f.filled(kind)
	return func(s *personMessage) {
		s.Media = kind
		s.extra[kind] = show(f)
		s.files = append(s.files, f)
	}
}

// Photo comes in one size.
func Photo(f File) Field {
	return media("photo", f, func(f File) any {
		return []any{f.json(map[string]any{"width": 1280, "height": 960})}
	})
}

// Voice is a voice message.
func Voice(f File, length time.Duration) Field {
	f.Mime = cmp.Or(f.Mime, "audio/ogg")
	return media("voice", f, func(f File) any { return f.json(map[string]any{"duration": int(length.Seconds())}) })
}

// Video is a film.
func Video(f File, length time.Duration) Field {
	f.Mime = cmp.Or(f.Mime, "video/mp4")
	return media("video", f, func(f File) any {
		return f.json(map[string]any{"duration": int(length.Seconds()), "width": 640, "height": 480, "file_name": f.Name})
	})
}

// Document is any file.
func Document(f File) Field {
	return media("document", f, func(f File) any { return f.json(map[string]any{"file_name": f.Name}) })
}

// Sticker has no caption.
func Sticker(emoji string) Field {
	f := File{Name: fmt.Sprintf("%x", emoji), Size: 1000}
	return media("sticker", f, func(f File) any {
		return f.json(map[string]any{"type": "regular", "width": 512, "height": 512, "is_animated": false,
			"is_video": false, "emoji": emoji})
	})
}
