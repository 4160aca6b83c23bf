package files

import (
	"fmt"
	"io"
	"os"

	"mews/protocol/amount"
	"mews/worker/workspace"
)

// textFile is an open file whose text is being read as UTF-8.
type textFile struct {
	file *os.File
	size int64 // bytes, when it was opened
	textDecoder
}

// openText opens the file at path when it is text. The caller closes it.
func (t *fileTools) openText(path string) (*textFile, error) {
	f, err := t.ws.Open(path)
	if err != nil {
		return nil, err
	}
	x := &textFile{file: f}
	if err := x.begin(path); err != nil {
		return nil, withClose(err, f)
	}
	return x, nil
}

func (x *textFile) begin(path string) error {
	info, err := x.file.Stat()
	if err != nil {
		return readFault(path, err)
	}
	x.size = info.Size()
	head, err := readHead(x.file, make([]byte, headSize))
	if err != nil {
		return readFault(path, err)
	}
	enc, binary := sniff(head)
	if binary != "" {
		return fmt.Errorf("read %s: it is not text but %s, %s%s", workspace.Show(path), binary, amount.Bytes(x.size), viewHints[binary])
	}
	x.reset(head, x.file, enc)
	return nil
}

// viewHints says of what kinds of pictures there is a way to look at.
var viewHints = map[string]string{
	"a PNG image": viewHint, "a JPEG image": viewHint, "a GIF image": viewHint, "a WebP image": viewHint,
}

const viewHint = "; look at it with view_image"

// encodingNote names the file's encoding when it is not UTF-8, as far as it was read.
func (x *textFile) encodingNote() string {
	switch {
	case x.odd:
		return string(encoding1252)
	case x.enc == encodingUTF16LE, x.enc == encodingUTF16BE:
		return string(x.enc)
	}
	return ""
}

// readHead fills head from the front of a file, as far as the file goes.
func readHead(r io.Reader, head []byte) ([]byte, error) {
	n, err := io.ReadFull(r, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return head[:n], err
}

// readFault is an error of reading, not of opening.
func readFault(path string, err error) error {
	return fmt.Errorf("read %s: %w", workspace.Show(path), err)
}

// withClose closes a file that was of no use. What goes wrong in closing a file that was only read means nothing.
func withClose(err error, f *os.File) error {
	_ = f.Close()
	return err
}
