package spawnwire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrMalformed is wrapped by every error of Decode: the other side is broken, and the connection must end.
var ErrMalformed = errors.New("malformed message")

// Encode gives the packet for m. It refuses what Decode would refuse.
func Encode(m Message) ([]byte, error) {
	w := &writer{buf: []byte{byte(m.kind())}}
	m.append(w)
	if w.err != nil {
		return nil, fmt.Errorf("encode %T: %w", m, w.err)
	}
	return w.buf, nil
}

// Decode reads one packet. Nothing may be missing and nothing left over.
func Decode(packet []byte) (Message, error) {
	if len(packet) == 0 {
		return nil, fmt.Errorf("%w: empty", ErrMalformed)
	}
	decode, ok := decoders[kind(packet[0])]
	if !ok {
		return nil, fmt.Errorf("%w: kind %d is unknown", ErrMalformed, packet[0])
	}
	r := &reader{rest: packet[1:]}
	m := decode(r)
	if r.err == nil && len(r.rest) > 0 {
		r.err = fmt.Errorf("%d bytes left over", len(r.rest))
	}
	if r.err != nil {
		return nil, fmt.Errorf("%w: %T: %w", ErrMalformed, m, r.err)
	}
	return m, nil
}

// writer appends fields; the first error stays.
type writer struct {
	buf []byte
	err error
}

func (w *writer) uint32(v uint32) { w.buf = binary.LittleEndian.AppendUint32(w.buf, v) }
func (w *writer) uint64(v uint64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, v) }

func (w *writer) flag(v bool) {
	b := byte(0)
	if v {
		b = 1
	}
	w.buf = append(w.buf, b)
}

func (w *writer) text(name, v string, limit int) {
	if err := checkText(v, limit); err != nil && w.err == nil {
		w.err = fmt.Errorf("%s: %w", name, err)
	}
	if w.err != nil {
		return
	}
	w.buf = binary.LittleEndian.AppendUint16(w.buf, uint16(len(v)))
	w.buf = append(w.buf, v...)
}

// reader takes fields off the front; after the first error it gives zeros.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) take(n int) []byte {
	if r.err == nil && len(r.rest) < n {
		r.err = errors.New("cut short")
	}
	if r.err != nil {
		return make([]byte, n)
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) uint32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *reader) uint64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }

func (r *reader) flag() bool {
	b := r.take(1)[0]
	if b > 1 && r.err == nil {
		r.err = fmt.Errorf("a yes or no of %d", b)
	}
	return b == 1
}

func (r *reader) text(limit int) string {
	n := int(binary.LittleEndian.Uint16(r.take(2)))
	if r.err == nil && n > limit {
		r.err = fmt.Errorf("a text of %d bytes, at most %d are allowed", n, limit)
	}
	if r.err != nil {
		return ""
	}
	v := string(r.take(n))
	if r.err == nil {
		r.err = checkText(v, limit)
	}
	return v
}

// checkText is the rule for every string: bounded, UTF-8, and no zero byte, because paths end at one.
func checkText(v string, limit int) error {
	switch {
	case len(v) > limit:
		return fmt.Errorf("a text of %d bytes, at most %d are allowed", len(v), limit)
	case !utf8.ValidString(v):
		return errors.New("a text that is not UTF-8")
	case strings.ContainsRune(v, 0):
		return errors.New("a text with a zero byte")
	}
	return nil
}

// Clip makes any text for people sendable: UTF-8, without zero bytes, and its middle left out where it is longer than
// MaxText. (An error names what was tried at its beginning and the cause at its end.)
func Clip(v string) string {
	v = strings.ReplaceAll(strings.ToValidUTF8(v, "?"), "\x00", "?")
	if len(v) <= MaxText {
		return v
	}
	const gap = "..."
	half := (MaxText - len(gap)) / 2
	return strings.ToValidUTF8(v[:half], "") + gap + strings.ToValidUTF8(v[len(v)-half:], "")
}
