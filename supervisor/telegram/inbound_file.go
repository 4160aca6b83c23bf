package telegram

import (
	"cmp"
	"slices"

	"mews/protocol"
	"mews/supervisor"
)

const (
	maxFileID      = 1 << 10 // maximum bytes of a file's id; Telegram's ids have some 100 bytes
	maxMediaType   = 128     // maximum bytes of a file's media type
	maxInboundName = 1 << 10 // maximum bytes of a file's name, which Telegram itself cuts earlier
	maxSeconds     = 1 << 30 // maximum seconds of a recording; higher numbers are wrong
)

// fileField is a field of a message with one file. The kind of the file has the field's name.
type fileField struct {
	kind      protocol.AttachmentKind
	mediaType func(file fields) string // finds the media type of a file that names none
}

// fileFields are sorted by precedence, because an animation also comes as a document.
var fileFields = []fileField{
	{protocol.AttachmentVoice, ofType("audio/ogg")},
	{protocol.AttachmentPhoto, ofType("image/jpeg")},
	{protocol.AttachmentAnimation, ofType("")},
	{protocol.AttachmentVideo, ofType("")},
	{protocol.AttachmentVideoNote, ofType("video/mp4")},
	{protocol.AttachmentSticker, stickerType},
	{protocol.AttachmentAudio, ofType("")},
	{protocol.AttachmentDocument, ofType("")},
}

func ofType(mediaType string) func(fields) string { return func(fields) string { return mediaType } }

// stickerType returns the media type of a sticker: a picture, a vector animation or a video. (Bot
// API, Sticker.)
func stickerType(sticker fields) string {
	switch {
	case field[bool](sticker, "is_animated"):
		return "application/x-tgsticker"
	case field[bool](sticker, "is_video"):
		return "video/webm"
	}
	return "image/webp"
}

// fileIn returns the file in a message. A file without an id can't be fetched, and does not count.
func fileIn(m fields) (_ supervisor.Attachment, ok bool) {
	for _, f := range fileFields {
		if _, ok := m[string(f.kind)]; !ok {
			continue
		}
		file := field[fields](m, string(f.kind))
		if f.kind == protocol.AttachmentPhoto {
			file = largest(field[[]fields](m, string(f.kind)))
		}
		id := field[string](file, "file_id")
		return supervisor.Attachment{
			File: id, ContentID: cut(clean(field[string](file, "file_unique_id")), maxFileID), Kind: f.kind, Name: cut(clean(field[string](file, "file_name")), maxInboundName), MediaType: cmp.Or(mediaTypeOf(file), f.mediaType(file)),
			Size:    max(0, field[int64](file, "file_size")),
			Seconds: int(min(max(0, field[int64](file, "duration")), maxSeconds)),
		}, printed(id, maxFileID)
	}
	return supervisor.Attachment{}, false
}

// largest returns the largest of a photo's sizes.
func largest(sizes []fields) fields {
	if len(sizes) == 0 {
		return nil
	}
	return slices.MaxFunc(sizes, func(a, b fields) int { return cmp.Compare(pixels(a), pixels(b)) })
}

func pixels(size fields) int64 { return field[int64](size, "width") * field[int64](size, "height") }

func mediaTypeOf(file fields) string {
	if said := field[string](file, "mime_type"); printed(said, maxMediaType) {
		return said
	}
	return ""
}
