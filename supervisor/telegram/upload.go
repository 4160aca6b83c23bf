package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // decodes JPEG
	_ "image/png"  // decodes PNG
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor"
)

const (
	sendDocument = "sendDocument"
	sendAlbum    = "sendMediaGroup"

	maxPhoto = 10 << 20 // maximum bytes of a photo (TDLib: MAX_PHOTO_SIZE)
	// maxDocument is the maximum size of a document in bytes. Telegram allows 50 MB, and a MB here
	// is a million bytes, the smaller of its two meanings.
	maxDocument = 50_000_000
	maxSides    = 10000 // maximum sum of a photo's width and height, in pixels (Bot API, sendPhoto)
	// maxStretch is the highest ratio of a photo's sides. (Bot API, sendPhoto)
	maxStretch  = 20
	maxCaption  = 1024 // maximum UTF-16 code units of a caption (Bot API)
	maxFileName = 200  // maximum characters of a file's name

	uploadRate = 128 << 10 // the assumed speed of the slowest line, in bytes a second
	// maxPictureHead is how many bytes are searched for the size of a picture. Cameras put a
	// preview before the size.
	maxPictureHead = 1 << 20
)

// uploadKind is a way to send a file.
type uploadKind struct {
	method string
	part   string               // the name of the file's parameter; in an album, the file's type
	most   int64                // the largest size in bytes
	fits   func(io.Reader) bool // reports whether a file fits; nil means that all files fit
}

var (
	document = uploadKind{sendDocument, "document", maxDocument, nil}
	photo    = uploadKind{"sendPhoto", "photo", maxPhoto, fitsPhoto}
	audio    = uploadKind{"sendAudio", "audio", maxDocument, nil}
)

// uploadKinds are the ways to send files, by media type. All other files are documents. (Bot API:
// Only Ogg Opus has the type for sendVoice. Method sendAudio takes MP3 and M4A, sendVideo takes
// MP4, and sendAnimation takes GIF.)
var uploadKinds = map[string]uploadKind{
	"image/png":               photo,
	"image/jpeg":              photo,
	"image/webp":              {photo.method, photo.part, maxPhoto, nil},
	"image/gif":               {"sendAnimation", "animation", maxDocument, nil},
	supervisor.MediaTypeVoice: {"sendVoice", "voice", maxDocument, nil},
	"audio/mpeg":              audio,
	"audio/mp4":               audio,
	supervisor.MediaTypeMP4:   {"sendVideo", "video", maxDocument, nil},
}

// timed are the kinds for which a player shows the length only if the call gives it.
var timed = map[string]bool{"voice": true, "audio": true, "video": true}

// uploads are the files of a call.
type uploads []upload

// upload is a file of a call.
type upload struct {
	kind uploadKind
	part string // the name of the form's parameter for the file
	name string
	size int64
	open func() (source io.ReadCloser, size int64, err error)
}

// uploadTime returns how long the upload of the bytes may take.
func (u uploads) uploadTime() time.Duration {
	size := int64(0)
	for _, file := range u {
		size += file.size
	}
	return time.Duration(size/uploadRate) * time.Second
}

// upload checks a file before it is sent. If the file can't be sent, the error is for users.
func (c *Client) upload(file supervisor.File) (upload, error) {
	name := cmp.Or(line(file.Name, maxFileName), "file")
	open := func() (io.ReadCloser, int64, error) {
		source, size, err := c.open(file.SHA256)
		if err != nil {
			err = fmt.Errorf("open the file %q: %w", name, err)
		}
		return source, size, err
	}
	source, size, err := open()
	if err != nil {
		return upload{}, err
	}
	defer source.Close() // the file was only read, so its error does not matter
	if size > maxDocument {
		return upload{}, fmt.Errorf(textFileTooLarge, name, size, maxDocument)
	}
	u := upload{kind: document, name: name, size: size, open: open}
	if kind, ok := uploadKinds[file.MediaType]; ok && size <= kind.most && (kind.fits == nil || kind.fits(source)) {
		u.kind = kind
	}
	return u, nil
}

// fitsPhoto reports whether Telegram accepts the shape of a picture as a photo.
func fitsPhoto(picture io.Reader) bool {
	c, _, err := image.DecodeConfig(io.LimitReader(picture, maxPictureHead))
	short, long := min(c.Width, c.Height), max(c.Width, c.Height)
	return err == nil && short > 0 && short+long <= maxSides && long <= maxStretch*short
}

// sendFiles sends a file, or several as an album. If Telegram refuses a file's kind, another
// request sends it as a document.
func (c *Client) sendFiles(ctx context.Context, to supervisor.PostAddress, content supervisor.RichText,
	o sendParams) (string, error) {
	var files uploads
	for _, f := range append([]supervisor.File{*content.File}, content.Album...) {
		file, err := c.upload(f)
		if err != nil {
			return "", notSendable(sendDocument, fmt.Errorf("%s: %w", to.Chat, err))
		}
		files = append(files, file)
	}
	kind := files[0].kind
	for _, file := range files {
		// an album with documents may have only documents (Bot API, sendMediaGroup)
		if file.kind.part != kind.part {
			kind = document
		}
	}
	message, err := c.sendAs(ctx, kind, files, to, content, o)
	if f, ok := errors.AsType[*failure](err); ok && kind.part != document.part && f.wrongKind() {
		return c.sendAs(ctx, document, files, to, content, o)
	}
	return message, err
}

// sendAs sends files as one kind.
func (c *Client) sendAs(ctx context.Context, kind uploadKind, files uploads, to supervisor.PostAddress,
	content supervisor.RichText,
	o sendParams) (string, error) {
	o.AsIs, o.Streaming = kind.part == document.part, kind.part == "video"
	call := apiCall{method: kind.method, files: files}
	for i := range files {
		files[i].part = kind.part
	}
	if timed[kind.part] {
		size := content.File.Media
		o.Duration, o.Width, o.Height = size.Seconds, size.Width, size.Height
	}
	if len(files) > 1 {
		call.method = sendAlbum
		o = albumParams(kind, files, content.Album, o)
	}
	result, err := c.callChat(ctx, call, to, o)
	if err != nil {
		return "", err
	}
	return messageNames(call.method, to.Chat, result)
}

// albumMedia is a file of an album. (Bot API, InputMediaPhoto.)
type albumMedia struct {
	Type    string                  `json:"type"`
	Media   string                  `json:"media"`
	Caption string                  `json:"caption,omitempty"`
	Marks   []gotgbot.MessageEntity `json:"caption_entities,omitempty"`
	AsIs    bool                    `json:"disable_content_type_detection,omitempty"`
}

// albumParams returns an album's parameters: the caption belongs to its first file. An album has no
// buttons.
func albumParams(kind uploadKind, files uploads, rest []supervisor.File, o sendParams) sendParams {
	for i := range files {
		files[i].part = fmt.Sprint("file", i)
		media := albumMedia{Type: kind.part, Media: "attach://" + files[i].part, AsIs: o.AsIs, Caption: o.Caption, Marks: o.Marks}
		if i > 0 {
			media.Caption, media.Marks = supervisor.RichText{Text: rest[i-1].Caption}.Truncate(maxCaption).Text, nil
		}
		o.Media = append(o.Media, media)
	}
	o.Caption, o.Marks, o.AsIs, o.Markup = "", nil, false, nil
	return o
}

// messageNames returns the names of the sent messages. Names of an album's messages are separated
// by commas.
func messageNames(method, chat string, result json.RawMessage) (string, error) {
	var sent []gotgbot.MessageId
	if method != sendAlbum {
		sent = make([]gotgbot.MessageId, 1)
		result = fmt.Appendf(nil, "[%s]", result)
	}
	err := json.Unmarshal(result, &sent)
	var names []string
	for _, m := range sent {
		if m.MessageId > 0 {
			names = append(names, decimal(m.MessageId))
		}
	}
	if err != nil || len(names) == 0 {
		return "", &supervisor.SendError{Result: supervisor.SendResultUnknown,
			Err: fmt.Errorf("%s to %s: the answer names no message", method, chat)}
	}
	return strings.Join(names, albumComma), nil
}

// wrongKind reports whether the API refuses the kind of a file. The API may accept the file as a
// document.
func (f *failure) wrongKind() bool {
	return f.responder == responderAPI && (f.code == http.StatusRequestEntityTooLarge || f.code == http.StatusBadRequest &&
		f.said(wrongKind) && !f.said(noVoice))
}
