package telegramtest

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// File is a file in a message. getFile serves it.
type File struct {
	ID      string // the file's id; "" means an id made from Name
	Name    string
	Mime    string
	Size    int64 // the file's size in bytes; 0 means the length of Content
	Content []byte
}

// json returns a file as JSON of the Bot API, with the fields of its kind.
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

// withDefaults returns the file with made-up values for missing fields.
func (f File) withDefaults(kind string) File {
	f.ID = cmp.Or(f.ID, "file-"+kind+"-"+strings.ReplaceAll(f.Name, "/", "-"))
	f.Size = cmp.Or(f.Size, int64(len(f.Content)))
	return f
}

// mediaField attaches a file to the message; the message's text is its caption.
func mediaField(kind string, f File, show func(File) any) MessageOption {
	f = f.withDefaults(kind)
	return func(s *personMessage) {
		s.Media = kind
		s.more[kind] = show(f)
		s.files = append(s.files, f)
	}
}

// WithPhoto attaches a photo in two sizes, the smaller one first. Each size is a file of its own.
func WithPhoto(f File) MessageOption {
	small := File{ID: "small-" + f.withDefaults("photo").ID, Size: 1000}
	return mediaField("photo", f, func(f File) any {
		return []any{small.json(map[string]any{"width": 90, "height": 67}), f.json(map[string]any{"width": 1280, "height": 960})}
	})
}

// WithVoice attaches a voice message.
func WithVoice(f File, length time.Duration) MessageOption {
	f.Mime = cmp.Or(f.Mime, "audio/ogg")
	return mediaField("voice", f, func(f File) any { return f.json(map[string]any{"duration": int(length.Seconds())}) })
}

// WithVideo attaches a video.
func WithVideo(f File, length time.Duration) MessageOption {
	f.Mime = cmp.Or(f.Mime, "video/mp4")
	return mediaField("video", f, func(f File) any {
		return f.json(map[string]any{"duration": int(length.Seconds()), "width": 640, "height": 480, "file_name": f.Name})
	})
}

// WithVideoNote attaches a round video, as a person records it in the chat.
func WithVideoNote(f File, length time.Duration) MessageOption {
	return mediaField("video_note", f, func(f File) any {
		return f.json(map[string]any{"duration": int(length.Seconds()), "length": 240})
	})
}

// WithAnimation attaches a video without sound. The server also shows it as a document.
func WithAnimation(f File, length time.Duration) MessageOption {
	f.Mime = cmp.Or(f.Mime, "video/mp4")
	f = f.withDefaults("animation")
	show := mediaField("animation", f, func(f File) any {
		return f.json(map[string]any{"duration": int(length.Seconds()), "width": 320, "height": 240, "file_name": f.Name})
	})
	return func(s *personMessage) {
		show(s)
		s.more["document"] = f.json(map[string]any{"file_name": f.Name})
	}
}

// WithAudio attaches a piece of music, or a recording that is sent as a file.
func WithAudio(f File, length time.Duration) MessageOption {
	f.Mime = cmp.Or(f.Mime, "audio/mpeg")
	return mediaField("audio", f, func(f File) any {
		return f.json(map[string]any{"duration": int(length.Seconds()), "file_name": f.Name})
	})
}

// WithDocument attaches any file.
func WithDocument(f File) MessageOption {
	return mediaField("document", f, func(f File) any { return f.json(map[string]any{"file_name": f.Name}) })
}

// WithSticker makes the message a sticker with a picture. A sticker has no caption.
func WithSticker(emoji string) MessageOption {
	return WithStickerFile(File{Name: fmt.Sprintf("%x", emoji), Size: 1000}, emoji, "static")
}

// WithStickerFile makes the message a sticker with a given file. The format is static, animated or
// video.
func WithStickerFile(f File, emoji, format string) MessageOption {
	return mediaField("sticker", f, func(f File) any {
		return f.json(map[string]any{"type": "regular", "width": 512, "height": 512, "is_animated": format == "animated",
			"is_video": format == "video", "emoji": emoji})
	})
}
