package spawnwire

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// ErrMalformed is wrapped by every error of Decode. The other side is then broken, and the
// connection must end.
var ErrMalformed = errors.New("malformed message")

// Encode encodes m as a packet. It refuses messages that Decode would refuse.
func Encode(m Message) ([]byte, error) {
	packet, err := appendFields([]byte{byte(m.kind())}, reflect.ValueOf(m))
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", m, err)
	}
	return packet, nil
}

// Decode decodes one packet. It refuses packets that Encode would not make. From a ReadyMessage of
// another version it reads only the version. So the caller can tell another version from a broken
// spawner.
func Decode(packet []byte) (Message, error) {
	if len(packet) == 0 {
		return nil, fmt.Errorf("%w: empty", ErrMalformed)
	}
	empty, ok := messages[kind(packet[0])]
	if !ok {
		return nil, fmt.Errorf("%w: kind %d is unknown", ErrMalformed, packet[0])
	}
	r := &reader{rest: packet[1:]}
	fields := reflect.New(reflect.TypeOf(empty)).Elem()
	r.fields(fields)
	m := fields.Interface().(Message)
	if ready, ok := m.(ReadyMessage); ok && len(packet) >= 5 && ready.Version != Version {
		return ReadyMessage{Version: ready.Version}, nil // that version may have other fields after Version
	}
	again, err := Encode(m)
	if err == nil && !bytes.Equal(again, packet) {
		err = errors.New("it is not in the one form that is sent")
	}
	if err := cmp.Or(r.err, err); err != nil {
		return nil, fmt.Errorf("%w: %T: %w", ErrMalformed, m, err)
	}
	return m, nil
}

// limits maps the name in a field's limit tag to the maximum length of the field's text, in bytes.
var limits = map[string]int{"path": MaxPathBytes, "word": MaxWordBytes, "text": MaxTextBytes, "status": MaxStatusBytes}

// appendFields appends the fields of a message, or of a BindMount, in their order.
func appendFields(packet []byte, message reflect.Value) (_ []byte, err error) {
	for i := range message.NumField() {
		field := message.Type().Field(i)
		switch v := message.Field(i).Interface().(type) {
		case string:
			packet, err = appendText(packet, v, limits[field.Tag.Get("limit")])
		case []BindMount:
			packet, err = appendBinds(packet, v)
		default: // a number or a bool
			packet, err = binary.Append(packet, binary.LittleEndian, v)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field.Name, err)
		}
	}
	return packet, nil
}

func appendText(packet []byte, text string, limit int) ([]byte, error) {
	if err := checkText(text, limit); err != nil {
		return nil, err
	}
	return append(binary.LittleEndian.AppendUint16(packet, uint16(len(text))), text...), nil
}

func appendBinds(packet []byte, binds []BindMount) (_ []byte, err error) {
	if len(binds) > MaxBindMounts {
		return nil, fmt.Errorf("there are %d, at most %d are allowed", len(binds), MaxBindMounts)
	}
	packet = binary.LittleEndian.AppendUint32(packet, uint32(len(binds)))
	for _, b := range binds {
		if packet, err = appendFields(packet, reflect.ValueOf(b)); err != nil {
			return nil, err
		}
	}
	return packet, nil
}

// reader reads fields from the beginning of rest. It makes few checks, because Decode encodes the
// message again and compares. err keeps the first error.
type reader struct {
	rest []byte
	err  error
}

// fields reads the fields of a message, or of a BindMount.
func (r *reader) fields(message reflect.Value) {
	for i := range message.NumField() {
		switch v := message.Field(i).Addr().Interface().(type) {
		case *string:
			*v = r.text()
		case *[]BindMount:
			*v = r.binds()
		default:
			r.number(v)
		}
	}
}

// number reads a number or a bool into the target of v.
func (r *reader) number(v any) {
	n, err := binary.Decode(r.rest, binary.LittleEndian, v)
	r.rest, r.err = r.rest[n:], cmp.Or(r.err, err)
}

func (r *reader) text() string {
	var length uint16
	r.number(&length)
	text := r.rest[:min(int(length), len(r.rest))]
	r.rest = r.rest[len(text):]
	return string(text)
}

func (r *reader) binds() (binds []BindMount) {
	var count uint32
	r.number(&count)
	for range min(count, MaxBindMounts) {
		var b BindMount
		r.fields(reflect.ValueOf(&b).Elem())
		binds = append(binds, b)
	}
	return binds
}

// checkText is the rule for every string: bounded, UTF-8, and without a zero byte, because a zero
// byte ends a path.
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

// ClipText makes any text valid: UTF-8, without zero bytes, at most MaxTextBytes bytes. It cuts out
// the middle, because an error names the attempt at its beginning and the cause at its end.
func ClipText(v string) string { return clip(v, MaxTextBytes) }

// ClipStatus makes any text valid for an AliveRequest, as ClipText does.
func ClipStatus(v string) string { return clip(v, MaxStatusBytes) }

func clip(v string, limit int) string {
	v = strings.ReplaceAll(strings.ToValidUTF8(v, "?"), "\x00", "?")
	if len(v) <= limit {
		return v
	}
	const gap = "..."
	half := (limit - len(gap)) / 2
	return strings.ToValidUTF8(v[:half], "") + gap + strings.ToValidUTF8(v[len(v)-half:], "")
}
