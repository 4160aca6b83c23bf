package telegramtest

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	_ "image/jpeg" // is read
	_ "image/png"  // is read
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"time"
)

const (
	maxCaption  = 1024     // UTF-16 code units
	maxPhoto    = 10 << 20 // bytes (TDLib: MAX_PHOTO_SIZE)
	maxDocument = 50 << 20 // bytes
	maxSides    = 10000    // pixels, a photo's width and height together
	maxStretch  = 20       // how often its shorter side may go into its longer one
)

// readUploads takes the files from a multipart form, which is done with then.
func readUploads(form *multipart.Form) (map[string]File, error) {
	defer form.RemoveAll() // of a temporary folder: what is left there is the system's to clean
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

// cleanName is a file's name as people see it. (TDLib: clean_filename.)
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`\/:*?"<>|`, r) {
			return ' '
		}
		return r
	}, path.Base(name))
	return strings.TrimSpace(name)
}

// sendFile is a method that sends a file, which is the parameter of that name.
func sendFile(part string, check func(File) answer) func(*serverState, *request) answer {
	return func(w *serverState, r *request) answer {
		c, a := w.chats.find(r.chat)
		if a.code != 0 {
			return a
		}
		f, a := r.file(part)
		if a.code != 0 {
			return a
		}
		if a := check(f); a.code != 0 {
			return a
		}
		caption, a := w.log.readCaption(r)
		if a.code != 0 {
			return a
		}
		m := &Message{
			From: w.bot.user, FromBot: true, Text: caption.text, Entities: caption.entities, Keyboard: caption.keyboard,
			Media:  shownAs(part, f, r.params.flag("disable_content_type_detection")),
			Silent: r.params.flag("disable_notification"), At: w.now().Truncate(time.Second),
		}
		if a := c.place(m, r.params); a.code != 0 {
			return a
		}
		if a := w.countSend(c); a.code != 0 {
			return a
		}
		w.chats.put(c, m)
		f.ID = fmt.Sprint("file-sent-", c.ID, "-", m.ID)
		w.files.add(f)
		m.File = &f
		return good(c.json(m, false))
	}
}

// file is one that came with a request.
func (r *request) file(part string) (File, answer) {
	f, ok := r.files[part]
	switch {
	case !ok && r.params.text(part) != "":
		return f, bad("wrong file identifier/HTTP URL specified")
	case !ok:
		return f, bad("there is no %s in the request", part)
	case f.Size == 0:
		return f, bad("file must be non-empty")
	case f.Size > maxDocument:
		return f, refuse(http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	}
	return f, answer{}
}

// guessed is what a document is shown as where nobody has said to leave it one.
var guessed = map[string]string{".gif": "animation", ".mp4": "video", ".mp3": "audio", ".webp": "sticker"}

func shownAs(part string, f File, asIs bool) string {
	if asIs || part != "document" {
		return part
	}
	return cmp.Or(guessed[strings.ToLower(path.Ext(f.Name))], part)
}

func anyFile(File) answer { return answer{} }

// photo refuses what is none.
func photo(f File) answer {
	if f.Size > maxPhoto {
		return bad("file of size %d bytes is too big for a photo; the maximum size is %d bytes", f.Size, maxPhoto)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(f.Content))
	short, long := min(c.Width, c.Height), max(c.Width, c.Height)
	switch {
	case err != nil:
		return bad("IMAGE_PROCESS_FAILED")
	case short+long > maxSides || long > maxStretch*short:
		return bad("PHOTO_INVALID_DIMENSIONS")
	}
	return answer{}
}
