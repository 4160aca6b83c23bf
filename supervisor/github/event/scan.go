package event

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// maxString is the part of a string that is kept, in bytes of JSON. The longest needed text fits
// even if every character is escaped.
const maxString = 16 << 10

// maxWord is the maximum size of a number, true, false or null.
const maxWord = 64

var (
	errSyntax = errors.New("it is no JSON")
	errMore   = errors.New("something follows the payload")
)

// scanner reads JSON byte by byte. It keeps at most one string of maxString bytes. In values to
// skip, it only looks for quotes and brackets. So skipping is fast, and nesting needs no memory.
type scanner struct{ *bufio.Reader }

// token returns the next byte that is not white space.
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

// end fails if anything except white space follows.
func (s scanner) end() error {
	_, err := s.token()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return errors.Join(errMore, err)
}

// skip skips the value that begins with the byte b.
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

// word reads a number, true, false or null that begins with the byte b.
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
		_, _ = s.ReadByte() // Peek has read this byte, so ReadByte cannot fail
	}
	if !json.Valid(word) {
		return "", errSyntax
	}
	return string(word), nil
}

// quoted reads a string after its opening quote. most is the maximum of bytes of JSON that it
// returns, cut between characters. If most is 0, it skips the string.
func (s scanner) quoted(most int) (text string, err error) {
	var raw []byte
	cut, escape := false, 0 // escape is the number of bytes that still belong to an escape
	for {
		b, err := s.ReadByte()
		if err != nil {
			return "", io.ErrUnexpectedEOF
		}
		// a byte that is not 10xxxxxx begins a character (RFC 3629)
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
