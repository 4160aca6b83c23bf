package markdown

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"mews/supervisor"
)

// A message ends in the last half of its room, at the end of a paragraph, a line or a word. Where
// none ends there, it ends at an earlier end of one, as long as an eighth of the room is used. In
// code it ends where the next line has no indentation, or else where any line ends. Where there is
// nothing of all that, it ends within a word.
const (
	preferredPart = 2
	leastPart     = 8
)

// breakPoints are where a message may end, the best kind first: the last place of each kind, 0 for
// none.
type breakPoints struct {
	paragraph, line, word int
	indented              int // a line of code ends, and the next one is indented
}

// messageEnd is the end of the message that begins at at.
func (c *cutter) messageEnd(at int) int {
	end := c.room(at)
	if end == len(c.text) {
		return end
	}
	half := at + (end-at)/preferredPart
	found := c.findBreaks(half, end, at)
	if best := cmp.Or(found.paragraph, found.line, found.word); best > 0 {
		return best
	}
	lowest := at + (end-at)/leastPart
	if in, ok := c.codeAt(end - 1); ok {
		lowest = min(lowest, max(at, in.start))
	}
	earlier := c.findBreaks(lowest, half, at)
	return cmp.Or(max(earlier.paragraph, earlier.line, earlier.word), found.indented, earlier.indented, end)
}

// findBreaks finds the last break point of each kind behind from and up to end, in the room that
// begins at at.
func (c *cutter) findBreaks(from, end, at int) breakPoints {
	var found breakPoints
	for i := end; i > max(from, at) && found.paragraph == 0; i-- {
		if i >= len(c.text) || !c.bounds[i-at] {
			continue
		}
		_, code := c.codeAt(i)
		switch {
		case c.text[i] == '\n' && !code && c.endsParagraph(i):
			found.paragraph = i
		case c.text[i] == '\n' && code && strings.HasPrefix(c.text[i+1:], " "):
			found.indented = cmp.Or(found.indented, c.betweenCharacters(i, true))
		case c.text[i] == '\n' && found.line == 0:
			found.line = c.betweenCharacters(i, code)
		case found.word == 0 && !code && c.text[i] != '\n':
			found.word = c.endsWord(i)
		}
	}
	return found
}

// endsParagraph says whether a paragraph ends at i.
func (c *cutter) endsParagraph(i int) bool {
	return strings.HasPrefix(c.text[i:], "\n\n") && c.text[i-1] != '\n' && c.betweenCharacters(i, false) > 0
}

// endsWord is i where a word ends at i, or a sentence of a script that has no spaces; else 0.
func (c *cutter) endsWord(i int) int {
	if c.text[i] == ' ' {
		return c.betweenCharacters(i, false)
	}
	if c.text[i-1] < utf8.RuneSelf {
		return 0
	}
	if r, _ := utf8.DecodeLastRuneInString(c.text[:i]); strings.ContainsRune("。！？；，、", r) {
		return i
	}
	return 0
}

// betweenCharacters is i where dropping the white space behind i cuts no character; else 0. In code
// only the line's end is dropped.
func (c *cutter) betweenCharacters(i int, code bool) int {
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

// room is how far a message that begins at at may reach. It leaves in bounds where characters begin
// in it.
func (c *cutter) room(at int) int {
	within := c.text[at:runeStart(c.text, min(len(c.text), at+utf8.UTFMax*(c.limit+1)))]
	c.bounds = append(c.bounds[:0], make([]bool, len(within)+1)...)
	entities, next := c.countOpen(at), c.next
	i, used := 0, 0
	for i < len(within) {
		for ; next < len(c.marks) && c.marks[next].start <= at+i; next++ {
			entities++
		}
		if entities > MaxEntities && i > 0 {
			break
		}
		n := cluster(within[i:])
		if used += supervisor.Units(within[i : i+n]); used > c.limit {
			break
		}
		c.bounds[i] = true
		i += n
	}
	if i == 0 {
		i = c.partOfCharacter(within)
	}
	c.bounds[i] = true
	return at + i
}

// countOpen is how many of the marks that began before the last cut go on behind at.
func (c *cutter) countOpen(at int) int {
	n := 0
	for _, s := range c.open {
		if s.end > at {
			n++
		}
	}
	return n
}

// partOfCharacter is how much of a character fits into a message that is too small for the whole.
func (c *cutter) partOfCharacter(s string) int {
	used := 0
	for i, r := range s {
		if used += utf16.RuneLen(r); used > c.limit {
			return i
		}
	}
	return len(s)
}

// cluster is the length of the first character of s, as a person sees characters.
func cluster(s string) int {
	if s[0] < utf8.RuneSelf && s[0] != '\r' && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1
	}
	first, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return len(first)
}

// space is the length of the first character of s where that is white space, else 0.
func space(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || !unicode.IsSpace(r) {
		return 0
	}
	return n
}

// runeStart is the beginning of the rune that i is in.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}
