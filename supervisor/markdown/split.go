package markdown

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"mews/supervisor"
)

// Split cuts t into messages of at most limit UTF-16 units and MaxEntities entities. Entities that cross a cut go on behind
// it. White space at a cut is dropped, and nothing else; within code only what ends its line. What the first messages are
// does not change when t grows. Of an empty text there is none.
func Split(t supervisor.RichText, limit int) []supervisor.RichText {
	c := &cutter{text: t.Text, spans: spans(t), limit: max(limit, 2)}
	for _, s := range c.spans {
		if s.Type == supervisor.EntityPre {
			c.pres = append(c.pres, s)
		}
	}
	var parts []supervisor.RichText
	for at := c.skip(0); at < len(c.text); at = c.skip(at) {
		end := c.cut(at)
		if part := c.part(at, end); !invisible(part.Text) {
			parts = append(parts, part)
		}
		at = end
	}
	return parts
}

// span is an entity in bytes.
type span struct {
	supervisor.Entity
	start, end int
}

// cutter cuts a text from its beginning.
type cutter struct {
	text   string
	limit  int
	spans  []span // by start, the longer one first
	pres   []span // those of code
	next   int    // of spans, the first that begins no earlier than the last cut
	open   []span // those before it that go on behind the last cut
	bounds []bool // of the room that was last measured, where a character begins
}

// spans are t's entities in bytes; what is not in the text is left out.
func spans(t supervisor.RichText) []span {
	places := make([]int, 0, 2*len(t.Entities))
	for _, e := range t.Entities {
		places = append(places, e.Offset, e.Offset+e.Length)
	}
	at := byteOffsets(t.Text, places)
	var all []span
	for _, e := range t.Entities {
		s := span{Entity: e, start: at[e.Offset], end: at[e.Offset+e.Length]}
		if s.start < s.end {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	return all
}

// byteOffsets are places in text in bytes, by those in UTF-16 units.
func byteOffsets(text string, places []int) map[int]int {
	slices.Sort(places)
	at := make(map[int]int, len(places))
	i, n := 0, 0
	for _, p := range places {
		for n < p && i < len(text) {
			r, size := utf8.DecodeRuneInString(text[i:])
			i, n = i+size, n+units(r)
		}
		at[p] = i
	}
	return at
}

// pre is the code that at is in: behind its beginning and before its end, or at its beginning.
func (c *cutter) pre(at int) (span, bool) {
	i, _ := slices.BinarySearchFunc(c.pres, at, func(s span, at int) int { return cmp.Compare(s.end, at+1) })
	if i < len(c.pres) && c.pres[i].start <= at {
		return c.pres[i], true
	}
	return span{}, false
}

// skip is where the next message begins, when the last one ended at at: behind the white space, but in code before the
// indentation of its line. A space that bears a mark is no white space.
func (c *cutter) skip(at int) int {
	seen := at
	for seen < len(c.text) && space(c.text[seen:]) > 0 {
		n := cluster(c.text[seen:])
		if strings.TrimSpace(c.text[seen:seen+n]) != "" {
			break
		}
		seen += n
	}
	in, ok := c.pre(seen)
	if !ok || seen-at >= c.limit { // so much of it is no indentation
		return seen
	}
	for i := seen; i > max(at, in.start); i-- {
		if c.text[i-1] == '\n' {
			return i
		}
	}
	return max(at, in.start)
}

// part is the message from at to end.
func (c *cutter) part(at, end int) supervisor.RichText {
	from, end := at, end
	_, end = shrink(c.text, at, end, true)
	part := supervisor.RichText{Text: c.text[from:end]}
	c.advance(at, end)
	inside := make([]mark, 0, len(c.open))
	for _, s := range c.open {
		start, stop := c.edges(s, at, end)
		if start < stop && len(inside) < MaxEntities {
			inside = append(inside, mark{kind: s.Type, start: start, end: stop, url: s.URL, language: s.Language})
		}
	}
	slices.SortStableFunc(inside, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	places := offsets(part.Text, inside, from)
	for _, m := range inside {
		part.Entities = append(part.Entities, supervisor.Entity{
			Type: m.kind, Offset: places[m.start], Length: places[m.end] - places[m.start], URL: m.url, Language: m.language,
		})
	}
	return part
}

// edges are where s begins and ends between at and end, without the white space around it. What begins with code begins
// where the code does.
func (c *cutter) edges(s span, at, end int) (start, stop int) {
	from := max(s.start, at)
	start, stop = shrink(c.text, from, min(s.end, end), s.Type == supervisor.EntityPre)
	if in, ok := c.pre(start); ok && start < stop {
		start, stop = shrink(c.text, max(in.start, from), stop, true)
	}
	return start, stop
}

// advance has in open the spans that are between at and end, of which the earlier ones are known.
func (c *cutter) advance(at, end int) {
	c.open = slices.DeleteFunc(c.open, func(s span) bool { return s.end <= at })
	for ; c.next < len(c.spans) && c.spans[c.next].start < end; c.next++ {
		if c.spans[c.next].end > at {
			c.open = append(c.open, c.spans[c.next])
		}
	}
}
