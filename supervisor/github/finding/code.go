package finding

import (
	"strings"

	"mews/supervisor/github/diff"
)

// CodeExcerpt is the code of a finding, with single spaces. The lines around it belong to the same
// block, the nearest first. Blank lines are left out.
type CodeExcerpt struct {
	Lines  []string `json:"lines,omitempty"` // empty if the finding is in no hunk, but only in a whole file
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

// maxBlock is the number of lines before and after a finding that count as its block.
const maxBlock = 10

// codeAt returns the code from texts[first] to texts[last].
func codeAt(texts []string, first, last int) (c CodeExcerpt) {
	for _, text := range texts[first : last+1] {
		c.Lines = append(c.Lines, squeezed(text))
	}
	own := indentation(texts[first])
	if own > 0 {
		c.Before = block(texts, first-1, -1, own)
	}
	c.After = block(texts, last+1, 1, own)
	return c
}

// block returns the lines of a block from index i, upwards or downwards. The first line with less
// indentation ends the block, and belongs to the block.
func block(texts []string, i, step, own int) (lines []string) {
	for ; i >= 0 && i < len(texts) && len(lines) < maxBlock; i += step {
		line := squeezed(texts[i])
		depth := indentation(texts[i])
		switch {
		case line == "":
			continue
		case own == 0 && depth == 0 && len(lines) == 0: // the line begins the next declaration
			return nil
		}
		if lines = append(lines, line); depth < own || depth == 0 {
			break
		}
	}
	return lines
}

// indentation returns the number of white space characters before a line.
func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// codeMatch tells whether a head still has the code of a finding.
type codeMatch int

const (
	codeUnknown codeMatch = iota // the file was not read
	codeGone
	codeChanged // the lines are there, but their block has changed
	codeSame
)

// side has the lines of one side of a hunk, or of a whole file.
type side struct {
	numbers []int
	texts   []string
	ends    []bool // for each line of the left side, whether a comment may be there; nil means at all lines
}

// sideOf returns the lines of a hunk on a side.
func sideOf(h *diff.Hunk, of diff.Side) (s side) {
	for line := range h.Lines() {
		n := line.New
		if of == diff.LeftSide {
			n = line.Old
		}
		if n > 0 {
			s.numbers, s.texts = append(s.numbers, n), append(s.texts, line.Text)
			s.ends = append(s.ends, of == diff.RightSide || line.Kind == diff.LineRemoved)
		}
	}
	return s
}

// fileSide returns the lines of a whole file.
func fileSide(text string) (s side) {
	for line := range strings.Lines(text) {
		s.numbers, s.texts = append(s.numbers, len(s.numbers)+1), append(s.texts, strings.TrimRight(line, "\r\n"))
	}
	return s
}

// find returns the position of a finding's code. If the code occurs more than once, find prefers
// the position with the most equal lines around it.
func (s side) find(c CodeExcerpt) (start, line int, fit codeMatch) {
	fit = codeGone
	squeezedTexts := make([]string, len(s.texts))
	for i, text := range s.texts {
		squeezedTexts[i] = squeezed(text)
	}
	most := -1
	for i := 0; i+len(c.Lines) <= len(s.texts); i++ {
		last := i + len(c.Lines) - 1
		if s.ends != nil && !s.ends[last] || !equalLines(squeezedTexts[i:last+1], c.Lines) {
			continue
		}
		here := codeAt(s.texts, i, last)
		before, allBefore := equalPrefix(here.Before, c.Before)
		after, allAfter := equalPrefix(here.After, c.After)
		match := codeChanged
		if allBefore && allAfter {
			match = codeSame
		}
		if match > fit || match == fit && before+after > most {
			start, line, fit, most = s.numbers[i], s.numbers[last], match, before+after
		}
	}
	return start, line, fit
}

func equalLines(a, b []string) bool {
	n, all := equalPrefix(a, b)
	return all && n == len(b)
}

// equalPrefix returns how many lines are equal from the start. all is true if no line differs; the
// longer list may have more lines.
func equalPrefix(a, b []string) (n int, all bool) {
	most := min(len(a), len(b))
	for n < most && a[n] == b[n] {
		n++
	}
	return n, n == most
}
