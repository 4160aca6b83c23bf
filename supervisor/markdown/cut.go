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

// A message ends in the last half of its space, at the end of a paragraph, a line or a word. If its
// last half has no such end, the message ends at an earlier end that uses at least an eighth of the
// space. In code, the message ends before a line without indentation, or at the end of any line. If
// there is no end of these kinds, the message ends within a word.
const (
	preferredPart = 2
	leastPart     = 8
)

// breakPoints are positions where a message may end, best kind first: the last position of each
// kind, or 0.
type breakPoints struct {
	paragraph, line, word int
	indented              int // end of a line of code whose next line is indented
}

// messageEnd returns the end of the message that begins at the position at.
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

// findBreaks returns the last break point of each kind after from and up to end, for a message that
// begins at the position at.
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

// endsParagraph reports whether a paragraph ends at i.
func (c *cutter) endsParagraph(i int) bool {
	return strings.HasPrefix(c.text[i:], "\n\n") && c.text[i-1] != '\n' && c.betweenCharacters(i, false) > 0
}

// endsWord returns i if a word ends at i, or a sentence of a script without spaces; otherwise 0.
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

// betweenCharacters returns i if a cut at i splits no character; otherwise 0. The cut drops white
// space after i; in code it drops only the line's end.
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

// room returns the last position that a message from the position at may reach. It stores the
// starts of the message's characters in bounds.
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
		if used += supervisor.UTF16Length(within[i : i+n]); used > c.limit {
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

// countOpen returns how many marks from before the last cut continue after the position at.
func (c *cutter) countOpen(at int) int {
	n := 0
	for _, s := range c.open {
		if s.end > at {
			n++
		}
	}
	return n
}

// partOfCharacter returns how much of a character fits into a message that is too small for the
// whole character.
func (c *cutter) partOfCharacter(s string) int {
	used := 0
	for i, r := range s {
		if used += utf16.RuneLen(r); used > c.limit {
			return i
		}
	}
	return len(s)
}

// cluster returns the length of the first character of s, as users see characters.
func cluster(s string) int {
	if s[0] < utf8.RuneSelf && s[0] != '\r' && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1
	}
	first, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return len(first)
}

// space returns the length of the first character of s if it is white space; otherwise 0.
func space(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || !unicode.IsSpace(r) {
		return 0
	}
	return n
}

// runeStart returns the start of the rune at i.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}
