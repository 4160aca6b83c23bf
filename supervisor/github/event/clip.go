package event

import (
	"errors"
	"io"
	"strings"
	"unicode"
)

// maxString is how much of a string is read, in bytes of JSON. The longest text that is wanted fits into it, however it is escaped.
const maxString = 16 << 10

// maxWord is longer than any number.
const maxWord = 64

var errWord = errors.New("a number or a word without end")

// clipper hands on JSON without the ends of its long strings, and without spaces that mean nothing. So a decoder behind it never holds
// more than a string of maxString.
type clipper struct {
	from   io.Reader
	quoted bool // within a string
	n      int  // bytes of the string, of the word or of the space
	escape int  // bytes that are yet to come of what a backslash has begun
	drop   bool // the rest of the string
	space  bool
}

// Read is an io.Reader's.
func (c *clipper) Read(p []byte) (kept int, err error) {
	for kept == 0 && err == nil {
		var n int
		n, err = c.from.Read(p)
		for _, b := range p[:n] {
			if c.keeps(b) {
				p[kept] = b
				kept++
			}
		}
		if c.n > maxWord && !c.quoted {
			return kept, errWord
		}
	}
	return kept, err
}

func (c *clipper) keeps(b byte) bool {
	switch {
	case c.quoted:
		return c.keepsQuoted(b)
	case b == '"':
		c.quoted, c.drop, c.n = true, false, 0
	case strings.IndexByte(" \t\r\n", b) >= 0:
		again := c.space
		c.space, c.n = true, 0
		return !again
	case strings.IndexByte("{}[],:", b) >= 0:
		c.n = 0
	default:
		c.n++
	}
	c.space = false
	return true
}

// keepsQuoted cuts a string between two characters of it.
func (c *clipper) keepsQuoted(b byte) bool {
	switch whole := c.escape == 0 && b&0xC0 != 0x80; { // a character begins (RFC 3629: others are 10xxxxxx)
	case whole && b == '"':
		c.quoted, c.n = false, 0
		return true
	case whole:
		c.drop = c.n >= maxString
		if b == '\\' {
			c.escape = 1
		}
	case c.escape == 1 && b == 'u':
		c.escape = 4
	case c.escape > 0:
		c.escape--
	}
	c.n++
	return !c.drop
}

// clip is the beginning of a text, of at most so many bytes. It has no control characters but ends of lines and tabs.
func clip(text string, most int) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			continue
		}
		if b.Len()+len(string(r)) > most {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
