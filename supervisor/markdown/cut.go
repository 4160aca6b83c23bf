package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// A cut at the end of a paragraph, a line or a word is taken in the last half of the room; where there is none, one at
// the end of a line or a word is better than one within a word as long as a little of the room is used.
const (
	goodRoom = 2
	someRoom = 8
)

// breaks are the places where a message may end, from the best: the last of each kind, 0 for none.
type breaks struct {
	paragraph, line, word int
}

// cut is where the message ends that begins at at.
func (c *cutter) cut(at int) int {
	end := c.room(at)
	if end == len(c.text) {
		return end
	}
	half := at + (end-at)/goodRoom
	if found := c.breaks(half, end, at); found != (breaks{}) {
		return found.best()
	}
	lowest := at + (end-at)/someRoom
	if in, ok := c.pre(end - 1); ok {
		lowest = min(lowest, max(at, in.start))
	}
	if found := c.breaks(lowest, half, at); found != (breaks{}) {
		return max(found.paragraph, found.line, found.word)
	}
	return end
}

func (b breaks) best() int {
	for _, at := range []int{b.paragraph, b.line, b.word} {
		if at > 0 {
			return at
		}
	}
	return 0
}

// breaks finds the last of each kind behind from, up to end, in the room that begins at at.
func (c *cutter) breaks(from, end, at int) breaks {
	var found breaks
	for i := end; i > max(from, at) && found.paragraph == 0; i-- {
		if i >= len(c.text) || !c.bounds[i-at] {
			continue
		}
		_, code := c.pre(i)
		switch {
		case c.text[i] == '\n' && !code && c.paragraph(i):
			found.paragraph = i
		case c.text[i] == '\n' && found.line == 0:
			found.line = c.whole(i, code)
		case found.word == 0 && !code && c.text[i] != '\n':
			found.word = c.word(i)
		}
	}
	return found
}

// paragraph says whether a paragraph ends at i.
func (c *cutter) paragraph(i int) bool {
	return strings.HasPrefix(c.text[i:], "\n\n") && c.text[i-1] != '\n' && c.whole(i, false) > 0
}

// word is i where a word ends there, or a sentence of a script that has no spaces; else 0.
func (c *cutter) word(i int) int {
	if c.text[i] == ' ' {
		return c.whole(i, false)
	}
	if c.text[i-1] < utf8.RuneSelf {
		return 0
	}
	if r, _ := utf8.DecodeLastRuneInString(c.text[:i]); strings.ContainsRune("。！？；，、", r) {
		return i
	}
	return 0
}

// whole is i where no character is cut when the white space behind i is dropped; else 0. In code only the line's end is.
func (c *cutter) whole(i int, code bool) int {
	last := i
	for i := i; i < len(c.text); {
		n := space(c.text[i:])
		if n == 0 {
			break
		}
		last, i = i, i+n
		if code {
			break
		}
	}
	rest := c.text[last:min(len(c.text), last+64)]
	if first, _, _, _ := uniseg.FirstGraphemeClusterInString(rest, -1); space(first) < len(first) {
		return 0
	}
	return i
}

// room is how far a message may reach that begins at at, and leaves in bounds where in it a character begins.
func (c *cutter) room(at int) int {
	within := c.text[at:runeStart(c.text, min(len(c.text), at+utf8.UTFMax*(c.limit+1)))]
	c.bounds = append(c.bounds[:0], make([]bool, len(within)+1)...)
	entities, next := c.entities(at), c.next
	i, used := 0, 0
	for i < len(within) {
		for ; next < len(c.spans) && c.spans[next].start <= at+i; next++ {
			entities++
		}
		if entities > MaxEntities && i > 0 {
			break
		}
		n := cluster(within[i:])
		if used += Length(within[i : i+n]); used > c.limit {
			break
		}
		c.bounds[i] = true
		i += n
	}
	if i == 0 {
		i = c.runes(within)
	}
	c.bounds[i] = true
	return at + i
}

// entities is how many of those that began before the last cut go on behind at.
func (c *cutter) entities(at int) int {
	n := 0
	for _, s := range c.open {
		if s.end > at {
			n++
		}
	}
	return n
}

// runes is how much of a character may stand in a message that is too small for it.
func (c *cutter) runes(s string) int {
	used := 0
	for i, r := range s {
		if used += units(r); used > c.limit {
			return i
		}
	}
	return len(s)
}

// cluster is the length of the character that s begins with, as a person sees it.
func cluster(s string) int {
	if s[0] < utf8.RuneSelf && s[0] != '\r' && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1
	}
	first, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return len(first)
}

// space is the length of the white space that s begins with: one character, or 0.
func space(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || !unicode.IsSpace(r) {
		return 0
	}
	return n
}

// runeStart is the beginning of the character that i is in.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}
