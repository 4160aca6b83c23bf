package telegram

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// errEnded is for a connection that asks for more of a request that was given up.
var errEnded = errors.New("the call has ended")

// trackedBody is a request's body that knows whether it may have reached the server whole. The
// server takes no request before its last byte, so a request whose last byte was never handed to a
// connection was not taken, for certain. That covers every failure of names, connecting and TLS.
// httptrace can't say as much: WroteRequest comes from another goroutine, and may still come when
// the call has already failed. Here nothing is handed out after stop.
//
// Where the body is of a type of our own, net/http writes the head first, so that a connection that
// the server has closed meanwhile mostly fails on the head.
type trackedBody struct {
	size int64
	open func() (io.ReadCloser, error) // the body from its beginning; it may be called again

	mu sync.Mutex
	// how many readers were made: net/http asks for another when a connection failed before its
	// first byte
	readers   int
	sentWhole bool // the newest reader has handed out the last byte
	ended     bool
	readErr   error // the body itself could not be read
}

// bytesBody is a body that is no file.
func bytesBody(body []byte) *trackedBody {
	return &trackedBody{size: int64(len(body)), open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(body)), nil
	}}
}

// reader begins the body anew. What an earlier reader has handed out has reached nobody then.
func (b *trackedBody) reader() (io.ReadCloser, error) {
	source, err := b.open()
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.readErr = err
		return nil, err
	}
	b.readers++
	b.sentWhole = false
	return &bodyReader{body: b, number: b.readers, source: source, left: b.size}, nil
}

// stop hands out nothing more. It tells whether everything was handed out, and what was wrong with
// the body itself. It is for a call that has failed.
func (b *trackedBody) stop() (whole bool, broken error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	return b.sentWhole, b.readErr
}

// bodyReader belongs to the connection that writes it.
type bodyReader struct {
	body   *trackedBody
	number int
	source io.ReadCloser
	left   int64 // bytes that are not handed out yet
	closed bool  // the source is. body.mu guards all of this
}

func (r *bodyReader) Read(buf []byte) (int, error) {
	r.body.mu.Lock()
	defer r.body.mu.Unlock()
	// asked for once more when an answer may be there already: an error would cut that off
	if r.left == 0 {
		return 0, io.EOF
	}
	if r.body.ended || r.closed || r.number != r.body.readers {
		return 0, errEnded
	}
	n, err := r.source.Read(buf[:min(int64(len(buf)), r.left)])
	if r.left -= int64(n); r.left == 0 {
		r.body.sentWhole = true
		return n, nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // the body is shorter than was said
	}
	if err != nil {
		r.body.readErr = fmt.Errorf("read what is to be sent: %w", err)
	}
	return n, err
}

// Close waits for a Read that is under way: net/http calls it from another goroutine.
func (r *bodyReader) Close() error {
	r.body.mu.Lock()
	defer r.body.mu.Unlock()
	r.closed = true
	return r.source.Close()
}
