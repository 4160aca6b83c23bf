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

// Encode makes the packet of m. It refuses what Decode would refuse.
func Encode(m Message) ([]byte, error) {
	w := &writer{buf: []byte{byte(m.kind())}}
	m.code(w)
	if w.err != nil {
		return nil, fmt.Errorf("encode %T: %w", m, w.err)
	}
	return w.buf, nil
}

// Decode reads one packet. Nothing may be missing and nothing left over. Of a Ready of another version it reads the version alone,
// so that the other side can be told apart from a broken one.
func Decode(packet []byte) (Message, error) {
	if len(packet) == 0 {
		return nil, fmt.Errorf("%w: empty", ErrMalformed)
	}
	m, ok := messages[kind(packet[0])]
	if !ok {
		return nil, fmt.Errorf("%w: kind %d is unknown", ErrMalformed, packet[0])
	}
	r := &reader{rest: packet[1:]}
	m = m.code(r)
	if ready, ok := m.(Ready); ok && len(packet) >= 5 && ready.Version != Version {
		return Ready{Version: ready.Version}, nil // what follows is that version's own
	}
	if r.err == nil && len(r.rest) > 0 {
		r.err = fmt.Errorf("%d bytes left over", len(r.rest))
	}
	if r.err != nil {
		return nil, fmt.Errorf("%w: %T: %w", ErrMalformed, m, r.err)
	}
	return m, nil
}

// coder writes the fields of a message, or reads into them. The first error stays.
type coder interface {
	uint32(v *uint32)
	uint64(v *uint64)
	flag(v *bool)
	text(name string, v *string, limit int)
	fail(err error)
}

// writer appends fields to buf.
type writer struct {
	buf []byte
	err error
}

func (w *writer) uint32(v *uint32) { w.buf = binary.LittleEndian.AppendUint32(w.buf, *v) }
func (w *writer) uint64(v *uint64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, *v) }

func (w *writer) flag(v *bool) {
	b := byte(0)
	if *v {
		b = 1
	}
	w.buf = append(w.buf, b)
}

func (w *writer) text(name string, v *string, limit int) {
	if err := checkText(*v, limit); err != nil {
		w.fail(fmt.Errorf("%s: %w", name, err))
		return
	}
	w.buf = binary.LittleEndian.AppendUint16(w.buf, uint16(len(*v)))
	w.buf = append(w.buf, *v...)
}

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// reader takes fields off the front of rest. After the first error it gives zeros.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) take(n int) []byte {
	if len(r.rest) < n {
		r.fail(errors.New("cut short"))
	}
	if r.err != nil {
		return make([]byte, n)
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) uint32(v *uint32) { *v = binary.LittleEndian.Uint32(r.take(4)) }
func (r *reader) uint64(v *uint64) { *v = binary.LittleEndian.Uint64(r.take(8)) }

func (r *reader) flag(v *bool) {
	b := r.take(1)[0]
	if b > 1 {
		r.fail(fmt.Errorf("a yes or no of %d", b))
	}
	*v = b == 1
}

func (r *reader) text(_ string, v *string, limit int) {
	n := int(binary.LittleEndian.Uint16(r.take(2)))
	if n > limit {
		r.fail(fmt.Errorf("a text of %d bytes, at most %d are allowed", n, limit))
	}
	if r.err != nil {
		return
	}
	*v = string(r.take(n))
	if err := checkText(*v, limit); err != nil {
		r.fail(err)
	}
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// checkText is the rule for every string: bounded, UTF-8, and without a zero byte, because paths end at one.
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

// Clip makes any text for people sendable: UTF-8, without zero bytes, and without its middle where it is longer than
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
