package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"syscall"
)

const (
	bufferStart = 4 << 10 // bytes of the first buffer; a connection that only pings needs no more
	// bytes of the largest buffer that is kept between lines; a blob chunk in base64 fits
	bufferKept = 128 << 10
	// number of short lines in a row after which a buffer larger than the first one is freed
	shortLines = 8
	// number of empty reads in a row after which next fails, as in bufio
	emptyReads = 100
)

// frameReader cuts a stream into lines. It holds at most one line of the longest size and the bytes
// read along with it. It looks at each byte once. One goroutine at a time may use it.
type frameReader struct {
	r          io.Reader
	limit      int // bytes of the longest line, without its newline
	buf        []byte
	start, end int // range of the bytes that were read and not yet returned
	scanned    int // the bytes from start to scanned have no newline
	short      int // number of lines in a row that half of the first buffer can hold
}

func newFrameReader(r io.Reader, limit int) *frameReader {
	return &frameReader{r: r, limit: limit}
}

// next returns the next line without its newline. The line is valid until the following call. If
// the stream ends between two lines the error is io.EOF itself. If it ends within a line the error
// wraps io.ErrUnexpectedEOF, and the half line is dropped.
func (f *frameReader) next() ([]byte, error) {
	f.shrink()
	for {
		if i := bytes.IndexByte(f.buf[f.scanned:f.end], '\n'); i >= 0 {
			return f.cut(f.scanned + i)
		}
		f.scanned = f.end
		if f.end-f.start > f.limit {
			return nil, fmt.Errorf("%w: %w: more than %d bytes", ErrProtocolBroken, ErrLineTooLong, f.limit)
		}
		if err := f.fill(); err != nil {
			return nil, err
		}
	}
}

// cut returns the line whose newline is at position at.
func (f *frameReader) cut(at int) ([]byte, error) {
	line := f.buf[f.start:at]
	f.start = at + 1
	f.scanned = f.start
	if f.short++; len(line) > bufferStart/2 {
		f.short = 0
	}
	if len(line) > f.limit {
		return nil, fmt.Errorf("%w: %w: %d bytes, at most %d", ErrProtocolBroken, ErrLineTooLong, len(line), f.limit)
	}
	return line, nil
}

// fill makes room, and reads until there are new bytes.
func (f *frameReader) fill() error {
	f.makeRoom()
	for range emptyReads {
		n, err := f.r.Read(f.buf[f.end:])
		f.end += n
		if n > 0 {
			return nil // the next read returns an error that came together with bytes
		}
		if err != nil {
			return f.endError(err)
		}
	}
	return fmt.Errorf("read: %w", io.ErrNoProgress)
}

func (f *frameReader) makeRoom() {
	if f.end < len(f.buf) {
		return
	}
	size := len(f.buf)
	if f.start == 0 {
		size = min(max(2*size, bufferStart), f.limit+1)
	}
	to := f.buf
	if size > len(f.buf) {
		to = make([]byte, size)
	}
	copy(to, f.buf[f.start:f.end])
	f.buf, f.scanned, f.end, f.start = to, f.scanned-f.start, f.end-f.start, 0
}

// shrink frees a large buffer once it is empty. An idle connection keeps only a small buffer.
func (f *frameReader) shrink() {
	if f.start < f.end {
		return
	}
	f.start, f.end, f.scanned = 0, 0, 0
	if len(f.buf) > bufferKept || len(f.buf) > bufferStart && f.short >= shortLines {
		f.buf = nil
	}
}

// endError returns the error for the end of the stream. If a peer goes before it has read all our
// lines, the system reports a reset after the peer's last line. endError treats a reset like a
// normal end.
func (f *frameReader) endError(err error) error {
	gone := errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
	switch {
	case gone && f.start == f.end:
		return io.EOF
	case gone:
		return fmt.Errorf("read: half a line of %d bytes: %w", f.end-f.start, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("read: %w", err)
}
