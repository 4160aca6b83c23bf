package egress

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// A server must send rateBytes in each rateTime, or the rest of the body. That is 1 KiB a second.
const (
	rateTime  = 5 * time.Second
	rateBytes = 5 << 10
)

// sentBody is a body as the server sends it. It limits its size, and watches its rate while a Read
// waits.
type sentBody struct {
	fetch *fetch
	body  io.Reader
	read  int64
	timer *time.Timer   // cancels the fetch
	left  time.Duration // time that is left for the next bytes
	due   int           // bytes that must come in the time left
}

func (b *sentBody) Read(p []byte) (int, error) {
	b.timer.Reset(b.left)
	began := b.fetch.client.now()
	n, err := b.body.Read(p)
	b.timer.Stop()
	b.left -= b.fetch.client.now().Sub(began)
	if b.due -= n; b.due <= 0 {
		b.left, b.due = rateTime, rateBytes
	}
	if b.read += int64(n); b.read > b.fetch.route.maxWire {
		return 0, faultTooLarge
	}
	return n, err
}

// unpackedBody is a body as the caller reads it. Its errors are those of package egress, except
// io.EOF.
type unpackedBody struct {
	fetch    *fetch
	closer   io.Closer
	sent     *sentBody
	packed   bool
	unpacker *gzip.Reader // nil before the first Read
	read     int64
	err      error // error of every further Read
}

// newBody returns the body of an answer, or why it is refused. It removes headers that are true
// only of the packed body.
func (x *fetch) newBody(answer *http.Response) (*unpackedBody, *fault) {
	packed := false
	switch strings.ToLower(strings.TrimSpace(strings.Join(answer.Header.Values("Content-Encoding"), ","))) {
	case "", "identity":
	case "gzip", "x-gzip":
		packed = answer.Body != http.NoBody
	default:
		return nil, faultEncoding
	}
	if answer.ContentLength > x.route.maxWire && answer.Body != http.NoBody {
		return nil, faultTooLarge
	}
	if packed {
		answer.Header.Del("Content-Encoding")
		answer.Header.Del("Content-Length")
	}
	timer := time.AfterFunc(rateTime, func() { x.cancel(faultSlow) })
	timer.Stop() // it runs only while a Read waits
	sent := &sentBody{fetch: x, body: answer.Body, timer: timer, left: rateTime, due: rateBytes}
	return &unpackedBody{fetch: x, closer: answer.Body, sent: sent, packed: packed}, nil
}

func (b *unpackedBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.unpack(p)
	b.read += int64(n)
	switch {
	case b.read > b.fetch.route.maxUnpacked:
		n, err = 0, faultTooLarge
	case b.packed && b.read > maxRatio*b.sent.read:
		n, err = 0, faultPacked
	}
	if err == nil {
		return n, nil
	}
	if b.err = err; err != io.EOF {
		b.err = b.fetch.failure(bodyFault(err))
	}
	b.fetch.end()
	return n, b.err
}

// unpack reads unpacked bytes. An empty body is empty, even if its header says that it is packed.
func (b *unpackedBody) unpack(p []byte) (int, error) {
	if !b.packed {
		return b.sent.Read(p)
	}
	if b.unpacker == nil {
		unpacker, err := gzip.NewReader(b.sent)
		if err != nil {
			return 0, err
		}
		b.unpacker = unpacker
	}
	return b.unpacker.Read(p)
}

// Close ends the fetch. It drops the rest of the body.
func (b *unpackedBody) Close() error {
	b.fetch.end()
	return b.closer.Close()
}

// bodyFault returns the fault of an error in the middle of a body.
func bodyFault(err error) error {
	var (
		known   *fault
		corrupt flate.CorruptInputError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return faultEncoding
	}
	return faultCut
}
