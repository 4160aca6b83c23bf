package document

import (
	"bufio"
	"io"
	"strconv"
	"unicode/utf16"

	"mews/worker/parse"
)

// parseRTF writes the text of a rich text document. (Rich Text Format 1.9.1)
func parseRTF(f source, out *output) error {
	text, err := out.text(parse.FormatRTF)
	if err != nil {
		return err
	}
	r := &richText{in: bufio.NewReader(f.reader()), tables: tables{out: text}, fonts: map[int]int{}, page: 1252}
	r.group.skipped = 1
	for text.err == nil {
		switch err := r.next(); err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF: // a truncated document is read up to its end
			r.flush()
			r.endTable()
			return text.err
		default:
			return err
		}
	}
	return text.err
}

// maxGroups is the largest depth of nested groups.
const maxGroups = 10_000

// richText reads one document.
type richText struct {
	in       *bufio.Reader
	tables   tables
	group    richGroup
	outer    []richGroup // open groups around the current group
	fonts    map[int]int // code page by font
	page     int         // number of the document's code page
	bytes    []byte      // bytes of text, not decoded yet
	high     rune        // first half of a surrogate pair; 0 means none
	skip     int         // characters to skip, because a Unicode character before them replaces them
	rowEnded bool        // whether the open table's last row has ended
}

// richGroup is the state that ends with a group.
type richGroup struct {
	leftOut bool // whether the text in this group is no text of the document
	fonts   bool // whether this group is the table of fonts
	font    int
	skipped int // number of replacement characters after each Unicode character, for older readers
}

// next reads one character, control word or brace.
func (r *richText) next() error {
	c, err := r.in.ReadByte()
	if err != nil {
		return err
	}
	switch c {
	case '{':
		r.flush()
		if len(r.outer) == maxGroups {
			return parse.NewFailure(parse.ReasonDamaged)
		}
		r.outer, r.skip = append(r.outer, r.group), 0
	case '}':
		r.flush()
		if n := len(r.outer); n > 0 {
			r.group, r.outer = r.outer[n-1], r.outer[:n-1]
		}
		r.skip = 0
	case '\\':
		return r.control()
	case '\r', '\n', 0:
	default:
		r.byte(c)
	}
	return nil
}

// byte adds a byte to the text.
func (r *richText) byte(c byte) {
	if r.skip > 0 {
		r.skip--
		return
	}
	if r.group.leftOut || r.group.fonts {
		return
	}
	r.bytes = append(r.bytes, c)
}

// maxWord bounds the name of a control word, in letters. (RTF 1.9.1: 32)
const maxWord = 32

// control reads the characters after a backslash.
func (r *richText) control() error {
	c, err := r.in.ReadByte()
	if err != nil {
		return err
	}
	if c == '\'' {
		return r.hexByte()
	}
	if !isLetter(c) {
		r.symbol(c)
		return nil
	}
	word := []byte{c}
	for {
		if c, err = r.in.ReadByte(); err != nil || !isLetter(c) || len(word) > maxWord {
			break
		}
		word = append(word, c)
	}
	var digits []byte
	for err == nil && (c >= '0' && c <= '9' || c == '-' && len(digits) == 0) && len(digits) < 12 {
		digits = append(digits, c)
		c, err = r.in.ReadByte()
	}
	if err == nil && c != ' ' {
		err = r.in.UnreadByte()
	}
	if err != nil && err != io.EOF {
		return err
	}
	n, failed := strconv.Atoi(string(digits))
	return r.word(string(word), n, failed == nil)
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// hexByte reads a byte of text in hexadecimal.
func (r *richText) hexByte() error {
	var digits [2]byte
	if _, err := io.ReadFull(r.in, digits[:]); err != nil {
		return err
	}
	if n, err := strconv.ParseUint(string(digits[:]), 16, 8); err == nil {
		r.byte(byte(n))
	}
	return nil
}

// symbol handles a control symbol.
func (r *richText) symbol(c byte) {
	switch c {
	case '\\', '{', '}':
		r.byte(c)
	case '*': // the group is only for readers that know its control word
		r.group.leftOut = true
	case '~':
		r.write("\u00a0")
	case '_':
		r.write("-")
	case '\r', '\n':
		r.write("\n")
	}
}

// unicode writes a character by its number. Replacement characters for older readers follow.
func (r *richText) unicode(n int) {
	unit := rune(uint16(n))
	r.flush()
	r.skip = r.group.skipped
	switch {
	case utf16.IsSurrogate(unit) && r.high == 0:
		r.high = unit
	case r.high != 0:
		r.writeNow(string(utf16.DecodeRune(r.high, unit)))
		r.high = 0
	default:
		r.writeNow(string(unit))
	}
}

// write writes a text after the bytes before it.
func (r *richText) write(text string) {
	r.flush()
	r.writeNow(text)
}

func (r *richText) writeNow(text string) {
	if r.group.leftOut || r.group.fonts {
		return
	}
	if r.rowEnded && text != "\n" {
		r.endTable()
		r.rowEnded = false
	}
	r.tables.add(text)
}

// flush decodes and writes the bytes of text that were read.
func (r *richText) flush() {
	if len(r.bytes) == 0 {
		return
	}
	page := r.page
	if ofFont := r.fonts[r.group.font]; ofFont != 0 {
		page = ofFont
	}
	text, err := encodingOfPage(page).NewDecoder().Bytes(r.bytes)
	if err != nil {
		text = r.bytes
	}
	r.bytes = r.bytes[:0]
	r.writeNow(string(text))
}
