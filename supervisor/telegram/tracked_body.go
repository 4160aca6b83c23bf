package telegram

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// errEnded is the error for a connection that reads the body of an abandoned request.
var errEnded = errors.New("the call has ended")

// trackedBody is a request's body that knows whether the server may have received all of it.
//
// The server only accepts a complete request. If the last byte was never given to a connection, the
// server has not accepted the request. This covers every failure of names, connections and TLS.
//
// Package httptrace can't tell as much: WroteRequest comes from another goroutine, perhaps after
// the call has failed.
//
// After stop, a trackedBody gives out no byte. Because the body is of our own type, net/http writes
// the head first. If the server has closed the connection meanwhile, the call mostly fails at the
// head.
type trackedBody struct {
	size int64
	open func() (io.ReadCloser, error) // opens the body at its beginning; may be called again

	mu sync.Mutex
	// readers is the number of readers. net/http makes another reader if a connection failed before
	// its first byte.
	readers   int
	sentWhole bool // whether the newest reader has given out the last byte
	ended     bool
	readErr   error // the error of the body itself
}

// bytesBody returns a body of bytes.
func bytesBody(body []byte) *trackedBody {
	return &trackedBody{size: int64(len(body)), open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(body)), nil
	}}
}

// reader starts the body again. The bytes of an earlier reader have then not reached the server.
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

// stop ends all readers after a failed call. It returns whether the whole body was given out, and
// the body's own error.
func (b *trackedBody) stop() (whole bool, broken error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	return b.sentWhole, b.readErr
}

// bodyReader gives the body to the connection that sends it.
type bodyReader struct {
	body   *trackedBody
	number int
	source io.ReadCloser
	left   int64 // bytes that were not given out yet
	closed bool  // whether the source is closed; body.mu guards this and the fields above
}

func (r *bodyReader) Read(buf []byte) (int, error) {
	r.body.mu.Lock()
	defer r.body.mu.Unlock()
	// Once all bytes are given out, an answer may be there already. An error would cut off that
	// answer.
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
		err = io.ErrUnexpectedEOF // the body is shorter than announced
	}
	if err != nil {
		r.body.readErr = fmt.Errorf("read what is to be sent: %w", err)
	}
	return n, err
}

// Close waits for a running Read, because net/http calls it from another goroutine.
func (r *bodyReader) Close() error {
	r.body.mu.Lock()
	defer r.body.mu.Unlock()
	r.closed = true
	return r.source.Close()
}
