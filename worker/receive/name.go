package receive

import (
	"cmp"
	"path"
	"strings"

	"mews/protocol"
)

// kindNames are the names for files without a name.
var kindNames = map[protocol.AttachmentKind]string{
	protocol.AttachmentPhoto: "photo.jpg", protocol.AttachmentAudio: "audio.mp3", protocol.AttachmentVoice: "voice.ogg",
	protocol.AttachmentVideo: "video.mp4", protocol.AttachmentVideoNote: "round-video.mp4",
	protocol.AttachmentAnimation: "animation.mp4", protocol.AttachmentSticker: "sticker.webp", protocol.AttachmentDocument: "file",
}

// extensions are the extensions for files without a name, by media type.
var extensions = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif", "image/webp": ".webp", "image/heic": ".heic",
	"audio/ogg": ".ogg", "audio/mpeg": ".mp3", "audio/mp4": ".m4a", "audio/x-m4a": ".m4a", "audio/x-wav": ".wav", "audio/flac": ".flac",
	"video/mp4": ".mp4", "video/webm": ".webm", "video/quicktime": ".mov",
	"application/pdf": ".pdf", "application/zip": ".zip", "application/x-tgsticker": ".tgs", "text/plain": ".txt",
}

// fileName returns the name of an arrived file, without the time before it.
func fileName(f protocol.ArrivedFile) string {
	if name := strings.TrimLeft(f.Name, ". "); name != "" {
		return protocol.SafeFileName(name)
	}
	name := cmp.Or(kindNames[f.Kind], "file")
	if extension := extensions[f.MediaType]; extension != "" {
		name = strings.TrimSuffix(name, path.Ext(name)) + extension
	}
	return name
}
