package files

import (
	"bytes"
	"io"
)

// blockSize is the number of bytes of a file that are searched at once. A longer line is searched
// in pieces.
const blockSize = 256 << 10

// blockReader cuts a text into runs of whole lines, in constant memory. A line longer than a block
// comes in pieces.
type blockReader struct {
	src        io.Reader
	buf        []byte
	start, end int
	err        error
}

func (b *blockReader) reset(src io.Reader) {
	b.src, b.start, b.end, b.err = src, 0, 0, nil
	if b.buf == nil {
		b.buf = make([]byte, blockSize)
	}
}

// next returns the next run, which is valid until the following call. After the last run the error
// is io.EOF.
func (b *blockReader) next() ([]byte, error) {
	b.end = copy(b.buf, b.buf[b.start:b.end])
	b.start = 0
	for b.end < len(b.buf) && b.err == nil {
		var n int
		n, b.err = b.src.Read(b.buf[b.end:])
		b.end += n
	}
	if b.end == 0 {
		return nil, b.err
	}
	cut := b.end
	if b.err == nil {
		if i := bytes.LastIndexByte(b.buf[:b.end], '\n'); i >= 0 {
			cut = i + 1
		}
	}
	b.start = cut
	return b.buf[:cut], nil
}
