package files

import (
	"fmt"
	"io"
	"os"

	"mews/protocol/amount"
	"mews/worker/workspace"
)

// textFile is an open file that is read as UTF-8 text.
type textFile struct {
	file *os.File
	textDecoder
}

// openText opens the file at path if it is text. The caller closes it.
func (t *fileTools) openText(path string) (*textFile, error) {
	f, err := t.ws.Open(path)
	if err != nil {
		return nil, err
	}
	x := &textFile{file: f}
	if err := x.start(path); err != nil {
		_ = f.Close() // the file was only read, so an error of Close loses nothing
		return nil, err
	}
	return x, nil
}

// start reads the head of the file, and refuses a binary file.
func (x *textFile) start(path string) error {
	info, err := x.file.Stat()
	if err != nil {
		return readFault(path, err)
	}
	head, err := readHead(x.file, make([]byte, headSize))
	if err != nil {
		return readFault(path, err)
	}
	enc, binary := sniff(head)
	if binary != "" {
		return fmt.Errorf("read %s: it is not text but %s, %s%s", workspace.QuotePath(path), binary,
			amount.FormatBytes(info.Size()), viewHints[binary])
	}
	x.reset(head, x.file, enc)
	return nil
}

// viewHints are the hints for file types that view_image can show.
var viewHints = map[string]string{
	"a PNG image": viewHint, "a JPEG image": viewHint, "a GIF image": viewHint, "a WebP image": viewHint,
}

const viewHint = "; look at it with view_image"

// encodingNote names the encoding of the text read so far; "" for UTF-8.
func (x *textFile) encodingNote() string {
	switch {
	case x.odd:
		return string(encoding1252)
	case x.enc == encodingUTF16LE, x.enc == encodingUTF16BE:
		return string(x.enc)
	}
	return ""
}

// readHead fills head from the beginning of a file, as far as the file goes.
func readHead(r io.Reader, head []byte) ([]byte, error) {
	n, err := io.ReadFull(r, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return head[:n], err
}

// readFault describes an error of reading an open file.
func readFault(path string, err error) error {
	return fmt.Errorf("read %s: %w", workspace.QuotePath(path), err)
}
