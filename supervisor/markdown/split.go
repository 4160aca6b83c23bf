package markdown

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"mews/supervisor"
)

// SplitMessage cuts t into messages of at most limit UTF-16 units and MaxEntities entities.
// Entities that cross a cut continue in the next message. Only white space at a cut is dropped, and
// within code only the line's end. If t grows, the messages before the last one stay the same. An
// empty text gives no message.
func SplitMessage(t supervisor.RichText, limit int) []supervisor.RichText {
	c := &cutter{text: t.Text, marks: marksOf(t), limit: max(limit, 2)}
	for _, s := range c.marks {
		if s.kind == supervisor.EntityPre {
			c.codes = append(c.codes, s)
		}
	}
	var parts []supervisor.RichText
	for at := c.skip(0); at < len(c.text); at = c.skip(at) {
		end := c.messageEnd(at)
		if part := c.part(at, end); !invisible(part.Text) {
			parts = append(parts, part)
		}
		at = end
	}
	return parts
}

// cutter cuts a text from its beginning.
type cutter struct {
	text   string
	limit  int
	marks  []mark // all marks, sorted by start, longer marks first
	codes  []mark // marks of code
	next   int    // index of the first mark at or after the last cut
	open   []mark // earlier marks that continue after the last cut
	bounds []bool // starts of characters in the last measured range
}

// marksOf returns a text's entities in bytes. Entities outside the text are left out.
func marksOf(t supervisor.RichText) []mark {
	offsets := make([]int, 0, 2*len(t.Entities))
	for _, e := range t.Entities {
		offsets = append(offsets, e.Offset, e.Offset+e.Length)
	}
	at := byteOffsets(t.Text, offsets)
	var all []mark
	for _, e := range t.Entities {
		m := mark{kind: e.Type, start: at[e.Offset], end: at[e.Offset+e.Length], url: e.URL, language: e.Language}
		if m.start < m.end {
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, byOffset)
	return all
}

// byteOffsets converts positions in UTF-16 units to bytes.
func byteOffsets(text string, offsets []int) map[int]int {
	slices.Sort(offsets)
	at := make(map[int]int, len(offsets))
	i, n := 0, 0
	for _, p := range offsets {
		for n < p && i < len(text) {
			r, size := utf8.DecodeRuneInString(text[i:])
			i, n = i+size, n+utf16.RuneLen(r)
		}
		at[p] = i
	}
	return at
}

// codeAt returns the block of code at the position at. The block's beginning belongs to it.
func (c *cutter) codeAt(at int) (mark, bool) {
	i, _ := slices.BinarySearchFunc(c.codes, at, func(s mark, at int) int { return cmp.Compare(s.end, at+1) })
	if i < len(c.codes) && c.codes[i].start <= at {
		return c.codes[i], true
	}
	return mark{}, false
}

// skip returns the start of the message after a message that ended at the position at. The start is
// after the white space, but in code before the line's indentation. A space with a combining mark
// is no white space.
func (c *cutter) skip(at int) int {
	seen := at
	for seen < len(c.text) && space(c.text[seen:]) > 0 {
		n := cluster(c.text[seen:])
		if strings.TrimSpace(c.text[seen:seen+n]) != "" {
			break
		}
		seen += n
	}
	in, ok := c.codeAt(seen)
	if !ok || seen-at >= c.limit { // the white space is too long for an indentation
		return seen
	}
	for i := seen; i > max(at, in.start); i-- {
		if c.text[i-1] == '\n' {
			return i
		}
	}
	return max(at, in.start)
}

// part returns the message from the position at to the position end.
func (c *cutter) part(at, end int) supervisor.RichText {
	_, end = trimSpace(c.text, at, end, true)
	c.advance(at, end)
	inside := make([]mark, 0, len(c.open))
	for _, m := range c.open {
		m.start, m.end = c.edges(m, at, end)
		if m.start < m.end && len(inside) < MaxEntities {
			inside = append(inside, m)
		}
	}
	slices.SortStableFunc(inside, byOffset)
	return indented(marked(c.text[at:end], inside, at))
}

// indented replaces the leading indentation of code by no-break spaces. Telegram moves other spaces
// out of the code, and drops them at a message's beginning.
func indented(t supervisor.RichText) supervisor.RichText {
	code := slices.ContainsFunc(t.Entities, func(e supervisor.RichTextEntity) bool { return e.Type == supervisor.EntityPre && e.Offset == 0 })
	if rest := strings.TrimLeft(t.Text, " "); code {
		t.Text = strings.Repeat("\u00a0", len(t.Text)-len(rest)) + rest
	}
	return t
}

// edges returns the range of the mark s between at and end, without the white space around it. A
// mark that begins with code begins at the beginning of the code.
func (c *cutter) edges(s mark, at, end int) (start, stop int) {
	from := max(s.start, at)
	start, stop = trimSpace(c.text, from, min(s.end, end), s.kind == supervisor.EntityPre)
	if in, ok := c.codeAt(start); ok && start < stop {
		start, stop = trimSpace(c.text, max(in.start, from), stop, true)
	}
	return start, stop
}

// advance sets open to the marks that cover text between at and end. Marks that began earlier are
// in open already.
func (c *cutter) advance(at, end int) {
	c.open = slices.DeleteFunc(c.open, func(s mark) bool { return s.end <= at })
	for ; c.next < len(c.marks) && c.marks[c.next].start < end; c.next++ {
		if c.marks[c.next].end > at {
			c.open = append(c.open, c.marks[c.next])
		}
	}
}
