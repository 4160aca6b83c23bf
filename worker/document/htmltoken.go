package document

import (
	"bufio"
	"bytes"
	"html"
	"io"
	"strings"

	"mews/worker/parse"
)

// htmlToken is a piece of text or a tag of a page.
type htmlToken struct {
	kind       tokenKind
	text       string            // the text, with its character references replaced
	name       string            // name of the element, in lower case
	attributes map[string]string // attributes by their names in lower case; of equal names the first counts
}

type tokenKind string

const (
	tokenText  tokenKind = "text"
	tokenStart tokenKind = "start"
	tokenEnd   tokenKind = "end"
	tokenAlone tokenKind = "alone" // a start tag that ends with a slash
)

// maxHTMLToken bounds one tag or one piece of text, in bytes. Both are held in memory.
const maxHTMLToken = 1 << 20

// htmlTokenizer splits a page into tokens, as browsers do. (HTML, 13.2.5, without the states that
// only matter for scripts.) Comments and declarations are left out.
type htmlTokenizer struct {
	in  *bufio.Reader
	raw string // name of an element whose contents have no tags, such as script; "" means no element
}

// next returns the next token. The error is io.EOF at the end.
func (z *htmlTokenizer) next() (htmlToken, error) {
	if z.raw != "" {
		return z.rawText()
	}
	for {
		c, err := z.in.ReadByte()
		if err != nil {
			return htmlToken{}, err
		}
		if c != '<' {
			_ = z.in.UnreadByte() // cannot fail after ReadByte
			return z.plainText()
		}
		following, _ := z.in.Peek(3) // at the end of the page there are fewer bytes
		switch {
		case len(following) == 0:
		case isLetter(following[0]):
			return z.tag(tokenStart)
		case following[0] == '/' && len(following) > 1 && isLetter(following[1]):
			_, _ = z.in.Discard(1) // cannot fail after Peek
			return z.tag(tokenEnd)
		case string(following) == "!--":
			if err := z.skipTo("-->", 3); err != nil {
				return htmlToken{}, err
			}
			continue
		case following[0] == '!' || following[0] == '?' || following[0] == '/':
			if err := z.skipTo(">", 0); err != nil {
				return htmlToken{}, err
			}
			continue
		}
		return htmlToken{kind: tokenText, text: "<"}, nil
	}
}

// skipTo skips the first bytes, and then all bytes up to and including the text end.
func (z *htmlTokenizer) skipTo(end string, first int) error {
	_, _ = z.in.Discard(first) // cannot fail after Peek
	matched := 0
	for matched < len(end) {
		c, err := z.in.ReadByte()
		if err != nil {
			return err
		}
		switch {
		case c == end[matched]:
			matched++
		case matched == 2 && c == '-': // in "--->" the last two dashes count
		case c == end[0]:
			matched = 1
		default:
			matched = 0
		}
	}
	return nil
}

// plainText returns the text up to the next tag.
func (z *htmlTokenizer) plainText() (htmlToken, error) {
	var text []byte
	for len(text) < maxHTMLToken {
		c, err := z.in.ReadByte()
		if err != nil {
			break // the next call returns the error
		}
		if c == '<' {
			_ = z.in.UnreadByte() // cannot fail after ReadByte
			break
		}
		text = append(text, c)
	}
	return htmlToken{kind: tokenText, text: html.UnescapeString(string(text))}, nil
}

// rawText returns the contents of an element that can't have tags in it, up to its end tag. If the
// contents exceed the limit, it returns their beginning.
func (z *htmlTokenizer) rawText() (htmlToken, error) {
	end, kept := []byte("</"+z.raw), []byte(nil)
	for {
		head, err := z.in.Peek(len(end))
		if bytes.EqualFold(head, end) || err != nil && len(head) == 0 {
			break
		}
		c, err := z.in.ReadByte()
		if err != nil {
			break
		}
		if len(kept) < maxHTMLToken {
			kept = append(kept, c)
		}
	}
	text := string(kept)
	if z.raw == "title" || z.raw == "textarea" {
		text = html.UnescapeString(text)
	}
	z.raw = ""
	return htmlToken{kind: tokenText, text: text}, nil
}

// tag reads a tag from its name on.
func (z *htmlTokenizer) tag(kind tokenKind) (htmlToken, error) {
	var source []byte
	quote := byte(0)
	for {
		c, err := z.in.ReadByte()
		if err != nil {
			return htmlToken{}, err // a tag without an end is no part of the page
		}
		if quote == 0 && c == '>' {
			break
		}
		switch {
		case quote == c:
			quote = 0
		case quote == 0 && (c == '"' || c == '\'') && endsWithEquals(source):
			quote = c
		}
		if source = append(source, c); len(source) > maxHTMLToken {
			return htmlToken{}, parse.NewFailure(parse.ReasonDamaged)
		}
	}
	text := string(source)
	end := strings.IndexAny(text+" ", " \t\r\n\f/")
	t := htmlToken{kind: kind, name: strings.ToLower(text[:end])}
	if kind == tokenStart {
		t.attributes = attributesOf(text[end:])
		switch {
		case strings.HasSuffix(text, "/"):
			t.kind = tokenAlone
		case isRaw(t.name):
			z.raw = t.name
		}
	}
	return t, nil
}

// endsWithEquals reports whether a quote after source begins the value of an attribute.
func endsWithEquals(source []byte) bool {
	return bytes.HasSuffix(bytes.TrimRight(source, " \t\r\n\f"), []byte("="))
}

// isRaw reports whether an element's contents have no tags. (HTML, 13.1.2: raw text, escapable raw
// text)
func isRaw(name string) bool {
	switch name {
	case "script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp":
		return true
	}
	return false
}

// maxAttributes bounds the attributes of a tag that are read.
const maxAttributes = 100

// attributesOf reads the attributes of a tag.
func attributesOf(text string) map[string]string {
	all := map[string]string{}
	const white = " \t\r\n\f/"
	for len(all) < maxAttributes {
		text = strings.TrimLeft(text, white)
		end := strings.IndexAny(text, white+"=")
		if end < 0 {
			end = len(text)
		}
		name := strings.ToLower(text[:end])
		rest := strings.TrimLeft(text[end:], " \t\r\n\f")
		value := ""
		if after, has := strings.CutPrefix(rest, "="); has {
			value, rest = attributeValue(strings.TrimLeft(after, " \t\r\n\f"))
		}
		if _, known := all[name]; name != "" && !known {
			all[name] = html.UnescapeString(value)
		}
		if rest == "" || rest == text {
			break
		}
		text = rest
	}
	return all
}

// attributeValue splits a text into a value, with or without quotes, and the text after it.
func attributeValue(text string) (value, rest string) {
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		value, rest, _ = strings.Cut(text[1:], text[:1])
		return value, rest
	}
	end := strings.IndexAny(text, " \t\r\n\f")
	if end < 0 {
		return text, ""
	}
	return text[:end], text[end:]
}

// newHTMLTokenizer returns a tokenizer of a page in UTF-8.
func newHTMLTokenizer(from io.Reader) *htmlTokenizer {
	z := &htmlTokenizer{in: bufio.NewReader(from)}
	if mark, _ := z.in.Peek(3); string(mark) == "\ufeff" {
		_, _ = z.in.Discard(len(mark)) // cannot fail after Peek
	}
	return z
}
