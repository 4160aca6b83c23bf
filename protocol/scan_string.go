package protocol

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// stringValue scans a string and returns it with its quotes.
func (s *scanner) stringValue() ([]byte, *decodeError) {
	from := s.pos
	s.pos++ // skip the opening quote
	for {
		s.skipPlain()
		if s.pos >= len(s.data) {
			return nil, decodeErrorf("string without an end at byte %d", from)
		}
		c := s.data[s.pos]
		switch {
		case c == '"':
			s.pos++
			return s.data[from:s.pos], nil
		case c < ' ':
			return nil, decodeErrorf("control character %#02x in a string at byte %d", c, s.pos)
		case c == '\\':
			if f := s.escape(); f != nil {
				return nil, f
			}
		default:
			if f := s.skipRunes(); f != nil {
				return nil, f
			}
		}
	}
}

// skipPlain skips printable ASCII other than quote and backslash, eight bytes at a time.
func (s *scanner) skipPlain() {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i, d := s.pos, s.data
	for ; i+8 <= len(d); i += 8 {
		w := binary.LittleEndian.Uint64(d[i:])
		quotes, slashes := w^(ones*'"'), w^(ones*'\\')
		// The high bit of a byte ends up set if the byte is below space, zero after the xor, or not
		// ASCII. A borrow may also set it in the byte above. The loop below then reads the eight
		// bytes one by one.
		if ((w-ones*' ')|(quotes-ones)|(slashes-ones)|w)&highs != 0 {
			break
		}
	}
	for i < len(d) && d[i] >= ' ' && d[i] < utf8.RuneSelf && d[i] != '"' && d[i] != '\\' {
		i++
	}
	s.pos = i
}

// skipRunes skips characters beyond ASCII.
func (s *scanner) skipRunes() *decodeError {
	for s.pos < len(s.data) && s.data[s.pos] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(s.data[s.pos:])
		if r == utf8.RuneError && size == 1 {
			return decodeErrorf("invalid UTF-8 at byte %d", s.pos)
		}
		s.pos += size
	}
	return nil
}

func (s *scanner) escape() *decodeError {
	rest := s.data[s.pos:]
	if len(rest) < 2 || bytes.IndexByte([]byte(`"\/bfnrtu`), rest[1]) < 0 {
		return decodeErrorf("invalid escape at byte %d", s.pos)
	}
	if rest[1] != 'u' {
		s.pos += 2
		return nil
	}
	unit, ok := utf16Unit(rest)
	size := 6
	if ok && unit >= 0xD800 && unit < 0xDC00 { // the first half of a pair: the second must follow
		var low uint64
		low, ok = utf16Unit(rest[6:])
		ok = ok && low >= 0xDC00 && low < 0xE000
		size = 12
	} else if unit >= 0xDC00 && unit < 0xE000 {
		ok = false
	}
	if !ok {
		return decodeErrorf("invalid or unpaired \\u escape at byte %d", s.pos)
	}
	s.pos += size
	return nil
}

// utf16Unit reads \uXXXX at the front of b.
func utf16Unit(b []byte) (uint64, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var unit uint64
	for _, c := range b[2:6] {
		digit := bytes.IndexByte([]byte("0123456789abcdef"), c|0x20)
		if digit < 0 || c < '0' {
			return 0, false
		}
		unit = unit<<4 | uint64(digit)
	}
	return unit, true
}
