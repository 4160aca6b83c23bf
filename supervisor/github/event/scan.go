package event

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// maxString is the part of a string that is read, in bytes of JSON. The longest wanted text fits
// into it, even if every character is escaped.
const maxString = 16 << 10

// maxWord is the longest number, true, false or null.
const maxWord = 64

var (
	errSyntax = errors.New("it is no JSON")
	errMore   = errors.New("something follows the payload")
)

// scanner reads JSON byte by byte, and keeps at most one string of maxString. In skipped values it
// only looks at quotes and brackets. So skipping is fast, and depth costs no memory.
type scanner struct{ *bufio.Reader }

// token returns the next byte that is no space.
func (s scanner) token() (byte, error) {
	for {
		switch b, err := s.ReadByte(); {
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case err != nil || b != ' ' && b != '\n' && b != '\r' && b != '\t':
			return b, err
		}
	}
}

// end fails if any text except spaces follows.
func (s scanner) end() error {
	_, err := s.token()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return errors.Join(errMore, err)
}

// skip skips the value that begins with b.
func (s scanner) skip(b byte) (err error) {
	for depth := 0; ; {
		switch b {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			_, err = s.quoted(0)
		case ',', ':':
		default:
			_, err = s.word(b)
		}
		if err != nil || depth == 0 {
			return err
		}
		if b, err = s.token(); err != nil {
			return err
		}
	}
}

// word reads a number, true, false or null that begins with b.
func (s scanner) word(b byte) (string, error) {
	word := []byte{b}
	for {
		next, err := s.Peek(1)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		if err != nil || next[0] <= ' ' || next[0] == ',' || next[0] == '}' || next[0] == ']' {
			break
		}
		if word = append(word, next[0]); len(word) > maxWord {
			return "", errSyntax
		}
		_, _ = s.ReadByte() // peeked at before, so it cannot fail
	}
	if !json.Valid(word) {
		return "", errSyntax
	}
	return string(word), nil
}

// quoted reads the beginning of a string after its quote. It reads at most most bytes of JSON, cut
// between characters. If most is 0, it skips the string.
func (s scanner) quoted(most int) (text string, err error) {
	var raw []byte
	cut, escape := false, 0 // escape: bytes of an escape that are still to come
	for {
		b, err := s.ReadByte()
		if err != nil {
			return "", io.ErrUnexpectedEOF
		}
		// the first byte of a character (RFC 3629: its other bytes are 10xxxxxx)
		switch whole := escape == 0 && b&0xC0 != 0x80; {
		case whole && b == '"':
			if most > 0 && json.Unmarshal([]byte(`"`+string(raw)+`"`), &text) != nil {
				err = errSyntax
			}
			return text, err
		case whole:
			cut = len(raw) >= most
			if b == '\\' {
				escape = 1
			}
		case escape == 1 && b == 'u':
			escape = 4
		case escape > 0:
			escape--
		}
		if !cut {
			raw = append(raw, b)
		}
	}
}
