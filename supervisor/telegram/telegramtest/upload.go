package telegramtest

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	_ "image/jpeg" // registers the decoder for JPEG
	_ "image/png"  // registers the decoder for PNG
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"time"
)

const (
	maxCaption  = 1024     // UTF-16 code units of a caption
	maxPhoto    = 10 << 20 // bytes of a photo (TDLib: MAX_PHOTO_SIZE)
	maxDocument = 50 << 20 // bytes of a document
	maxSides    = 10000    // pixels, a photo's width and height together
	maxStretch  = 20       // the highest ratio of a photo's sides
)

// readUploads reads the files of a multipart form, and removes the form's temporary files.
func readUploads(form *multipart.Form) (map[string]File, error) {
	defer form.RemoveAll() // an error would mean a leftover temporary file, which the system removes
	files := map[string]File{}
	for name, parts := range form.File {
		content, err := readPart(parts[0])
		if err != nil {
			return nil, fmt.Errorf("read the file %s: %w", name, err)
		}
		files[name] = File{Name: cleanName(parts[0].Filename), Size: parts[0].Size, Content: content}
	}
	return files, nil
}

func readPart(part *multipart.FileHeader) ([]byte, error) {
	f, err := part.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// cleanName returns a file's name as people see it. (TDLib: clean_filename.)
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`\/:*?"<>|`, r) {
			return ' '
		}
		return r
	}, path.Base(name))
	return strings.TrimSpace(name)
}

// mediaKind is a way to send a file, such as a photo.
type mediaKind struct {
	param      string // the name of the file's parameter; in an album, the file's type
	check      func(File) answer
	formatKind func(File) string // returns the kind shown for a format; nil means no check
}

var (
	photos    = mediaKind{"photo", checkPhoto, nil}
	documents = mediaKind{"document", anyFile, nil}
	voices    = mediaKind{"voice", anyFile, kindIfFormat("voice", isOpus)}
	audios    = mediaKind{"audio", anyFile, kindIfFormat("audio", isAudio)}
	videos    = mediaKind{"video", anyFile, kindIfFormat("video", isMP4)}
	movies    = mediaKind{"animation", anyFile, kindIfFormat("animation", isGIF)}
)

// sendFile returns the method that sends a file of a kind.
func sendFile(kind mediaKind) func(*serverState, *request) answer {
	return func(w *serverState, r *request) answer {
		c, a := w.chats.find(r.chat)
		if a.code != 0 {
			return a
		}
		if kind.param == "voice" && c.refusesVoice {
			return badRequest("VOICE_MESSAGES_FORBIDDEN")
		}
		f, a := r.file(kind)
		if a.code != 0 {
			return a
		}
		caption, a := w.log.readCaption(r)
		if a.code != 0 {
			return a
		}
		m := w.fileMessage(r, kind, f, caption)
		if a := c.setThreadAndReply(m, r.params); a.code != 0 {
			return a
		}
		if a := w.countSend(r, c); a.code != 0 {
			return a
		}
		w.putFile(c, m)
		return good(c.json(m, false))
	}
}

// fileMessage returns the message for a sent file.
func (w *serverState) fileMessage(r *request, kind mediaKind, f File, caption content) *Message {
	return &Message{
		From: w.bot.user, FromBot: true, Text: caption.text, Entities: caption.entities, Keyboard: caption.keyboard,
		Media: kind.shownAs(f, r.params.isTrue("disable_content_type_detection")), File: &f,
		Silent: r.params.isTrue("disable_notification"), At: w.now().Truncate(time.Second),
	}
}

func (w *serverState) putFile(c *chat, m *Message) {
	w.chats.addMessage(c, m)
	m.File.ID = fmt.Sprint("file-sent-", c.ID, "-", m.ID)
	w.files.add(*m.File)
}

// file returns the file of a request, or a refusal.
func (r *request) file(kind mediaKind) (File, answer) {
	part := kind.param
	f, ok := r.files[part]
	switch {
	case !ok && r.params.text(part) != "":
		return f, badRequest("wrong file identifier/HTTP URL specified")
	case !ok:
		return f, badRequest("there is no %s in the request", part)
	case f.Size == 0:
		return f, badRequest("file must be non-empty")
	case f.Size > maxDocument:
		return f, refuse(http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	}
	return f, kind.check(f)
}

// kindByExtension are the kinds that a document becomes by its extension, unless the request
// forbids the change.
var kindByExtension = map[string]string{".gif": "animation", ".mp4": "video", ".mp3": "audio", ".webp": "sticker"}

func (k mediaKind) shownAs(f File, asIs bool) string {
	switch {
	case k.formatKind != nil:
		return k.formatKind(f)
	case asIs || k.param != "document":
		return k.param
	}
	return cmp.Or(kindByExtension[strings.ToLower(path.Ext(f.Name))], k.param)
}

// kindIfFormat returns a function for files whose wrong formats are shown as documents. (Bot API,
// sendVoice and sendVideo: "other formats may be sent as Document".)
func kindIfFormat(kind string, is func([]byte) bool) func(File) string {
	return func(f File) string {
		if is(f.Content) {
			return kind
		}
		return "document"
	}
}

func isOpus(b []byte) bool {
	return bytes.HasPrefix(b, []byte("OggS")) && bytes.Contains(b[:min(len(b), 64)], []byte("OpusHead"))
}

func isAudio(b []byte) bool {
	return bytes.HasPrefix(b, []byte("ID3")) || len(b) > 1 && b[0] == 0xFF && b[1]&0xE0 == 0xE0 || mp4Brand(b) == "M4A "
}

func isMP4(b []byte) bool { return mp4Brand(b) != "" && mp4Brand(b) != "M4A " }

func isGIF(b []byte) bool { return bytes.HasPrefix(b, []byte("GIF8")) }

// mp4Brand returns the major brand of an MP4 file; "" if the file is no MP4.
func mp4Brand(b []byte) string {
	if len(b) < 12 || string(b[4:8]) != "ftyp" {
		return ""
	}
	return string(b[8:12])
}

func anyFile(File) answer { return answer{} }

// checkPhoto refuses a file that is no valid photo.
func checkPhoto(f File) answer {
	if f.Size > maxPhoto {
		return badRequest("file of size %d bytes is too big for a photo; the maximum size is %d bytes", f.Size,
			maxPhoto)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(f.Content))
	short, long := min(c.Width, c.Height), max(c.Width, c.Height)
	switch {
	case err != nil:
		return badRequest("IMAGE_PROCESS_FAILED")
	case short+long > maxSides || long > maxStretch*short:
		return badRequest("PHOTO_INVALID_DIMENSIONS")
	}
	return answer{}
}
