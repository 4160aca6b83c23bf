package telegram

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // is measured
	_ "image/png"  // is measured
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"time"

	"mews/supervisor"
)

const (
	sendPhoto    = "sendPhoto"
	sendDocument = "sendDocument"

	maxPhoto    = 10 << 20   // bytes (TDLib: MAX_PHOTO_SIZE)
	maxDocument = 50_000_000 // bytes. Telegram says 50 MB, and not which: this is the smaller kind
	maxSides    = 10000      // pixels, a photo's width and height together (Bot API, sendPhoto)
	maxStretch  = 20         // how often a photo's shorter side may go into its longer one (Bot API, sendPhoto)
	maxCaption  = 1024       // UTF-16 code units (Bot API)
	maxFileName = 200        // characters

	uploadRate     = 128 << 10 // bytes a second, which the slowest line is taken to carry
	maxPictureHead = 1 << 20   // bytes within which a picture tells its size; cameras put a preview before that
)

// photoTypes are what Telegram shows as photos.
var photoTypes = []string{"image/png", "image/jpeg"}

// uploadMethods are the methods that send a file, by the parameter that it is in.
var uploadMethods = map[string]string{"photo": sendPhoto, "document": sendDocument}

// upload is a file that goes with a call.
type upload struct {
	part string // the parameter that it is: photo or document
	name string
	size int64
	open func() (source io.ReadCloser, size int64, err error)
}

// uploadTime is how long its bytes may take.
func (u *upload) uploadTime() time.Duration {
	if u == nil {
		return 0
	}
	return time.Duration(u.size/uploadRate) * time.Second
}

// upload looks at a file before it is sent. Its error is for a person: the file can't be sent.
func (c *Client) upload(file supervisor.File) (*upload, error) {
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
		return nil, err
	}
	defer source.Close() // it was only read: its error says nothing
	if size > maxDocument {
		return nil, fmt.Errorf(textFileTooLarge, name, size, maxDocument)
	}
	u := &upload{part: "document", name: name, size: size, open: open}
	if size <= maxPhoto && slices.Contains(photoTypes, file.MediaType) && fitsPhoto(source) {
		u.part = "photo"
	}
	return u, nil
}

// fitsPhoto says whether a picture is of a shape that Telegram takes as a photo.
func fitsPhoto(picture io.Reader) bool {
	c, _, err := image.DecodeConfig(io.LimitReader(picture, maxPictureHead))
	short, long := min(c.Width, c.Height), max(c.Width, c.Height)
	return err == nil && short > 0 && short+long <= maxSides && long <= maxStretch*short
}

// noPicture says whether the API does not take a file as a photo. It may take it as a document.
func (f *failure) noPicture() bool {
	return f.responder == responderAPI && (f.code == http.StatusRequestEntityTooLarge || f.code == http.StatusBadRequest && f.said(noPicture))
}

// body is a form of the call's parameters and the file, which is read as it goes out.
func (u *upload) body(params []byte) (*trackedBody, string, error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	err := u.head(w, params)
	begin := bytes.Clone(form.Bytes())
	form.Reset()
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, "", fmt.Errorf("write its parameters as a form: %w", err)
	}
	end := form.Bytes()
	return &trackedBody{size: int64(len(begin)) + u.size + int64(len(end)), open: func() (io.ReadCloser, error) {
		source, _, err := u.open()
		if err != nil {
			return nil, err
		}
		file := &exactReader{source, u.size}
		return formReader{io.MultiReader(bytes.NewReader(begin), file, bytes.NewReader(end)), source}, nil
	}}, w.FormDataContentType(), nil
}

// exactReader reads exactly so many bytes. Where there are fewer it fails before anything behind them is read: a form that ended
// there would be taken as whole.
type exactReader struct {
	source io.Reader
	left   int64
}

func (e *exactReader) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.source.Read(p[:min(int64(len(p)), e.left)])
	e.left -= int64(n)
	if err == io.EOF && e.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// formReader reads a form and closes the file in it.
type formReader struct {
	io.Reader
	io.Closer
}

// head writes all that comes before the file's bytes. Values that are no strings are JSON: so the API reads them in a form.
func (u *upload) head(w *multipart.Writer, params []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(params, &values); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := string(values[name])
		if value[0] == '"' {
			value = field[string](values, name)
		}
		if err := w.WriteField(name, value); err != nil {
			return err
		}
	}
	_, err := w.CreateFormFile(u.part, u.name)
	return err
}
