package diff

import (
	"regexp"
	"slices"
	"strings"
)

// Side is the side of a diff for a comment, in the words of GitHub's API. Removed lines are on the
// left. Added lines and context lines are on the right. The API promises no other combination.
type Side string

const (
	LeftSide  Side = "LEFT"
	RightSide Side = "RIGHT"
)

// Position is the position of a comment: one line, or the lines from Start to Line. GitHub requires
// that both are in one hunk and that Start is before Line. GitHub refuses the whole review because
// of one wrong position.
type Position struct {
	Path  string
	Side  Side
	Start int // first line of a range of lines; 0 means that the position is the one line Line
	Line  int
}

// PositionMatch is the result of the search for a comment's position.
type PositionMatch int

const (
	NoMatch    PositionMatch = iota // no position was found
	ExactMatch                      // the given position is right
	MovedMatch                      // the given position is wrong, but the quote was found in its file
)

// maxQuote is how many lines of a quote are compared. minFragment is how many bytes a quote must
// have to match a part of a line outside of its hunk.
const (
	maxQuote    = 50
	minFragment = 8
)

// marks matches the prefixes that NumberedLines adds to lines, because quotes may contain these
// prefixes.
var marks = regexp.MustCompile(`(?m)^\s*(?:[RL]\d+ [-+ ]|[-+])`)

// FindPosition finds the position of a comment in a diff. The arguments at and quote usually come
// from a model, and may be wrong. The position at is right if its lines contain the quote, or if
// the quote is empty. Otherwise FindPosition takes the nearest lines of the same hunk that match
// the quote. If that hunk has no match, the quote must match exactly once in the file's other
// hunks.
func FindPosition(files []File, at Position, quote string) (Position, PositionMatch) {
	found, fit := anchor(files, at, quoteOf(quote))
	if fit != NoMatch || !marks.MatchString(quote) {
		return found, fit
	}
	bare := quoteOf(marks.ReplaceAllString(quote, ""))
	if len(bare) == 0 {
		return found, fit
	}
	return anchor(files, at, bare)
}

func anchor(files []File, at Position, q []string) (Position, PositionMatch) {
	named := at
	if at.Start == 0 {
		at.Start = at.Line
	}
	at.Start, at.Line = min(at.Start, at.Line), max(at.Start, at.Line)
	// at may have the old name of a renamed file
	before := !slices.ContainsFunc(files, func(f File) bool { return f.Path() == at.Path })
	var elsewhere []Position
	for i := range files {
		f := &files[i]
		if f.Path() != at.Path && (!before || f.Status != FileRenamed || f.Old != at.Path) {
			continue
		}
		for j := range f.Hunks {
			v := viewOf(&f.Hunks[j])
			found, home := v.anchor(at, q)
			for k := range found {
				found[k].Path = f.Path()
			}
			if home && len(found) > 0 {
				return fitOf(found, named)
			}
			elsewhere = append(elsewhere, found...)
		}
	}
	if len(elsewhere) > 1 {
		return named, NoMatch
	}
	return fitOf(elsewhere, named)
}

func fitOf(found []Position, named Position) (Position, PositionMatch) {
	if len(found) == 0 {
		return named, NoMatch
	}
	if named.Start == named.Line {
		named.Start = 0
	}
	if found[0] == named {
		return named, ExactMatch
	}
	return found[0], MovedMatch
}

// quoteOf returns a quote's lines with normalized white space. It removes blank lines around the
// quote.
func quoteOf(quote string) []string {
	var lines []string
	for line := range strings.Lines(quote) {
		line = normal(line)
		if line != "" || lines != nil {
			lines = append(lines, line)
		}
		if len(lines) == maxQuote {
			break
		}
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// normal replaces white space in a text by single spaces, and trims it.
func normal(text string) string { return strings.Join(strings.Fields(text), " ") }

// view has the lines of a hunk, and their normalized texts. The texts are computed when they are
// needed.
type view struct {
	lines []Line
	texts []string
}

func viewOf(h *Hunk) *view { return &view{lines: slices.Collect(h.Lines())} }

// anchor returns the positions in the hunk that match a quote. If the hunk contains at, home is
// true, and anchor returns at most one position.
func (v *view) anchor(at Position, q []string) (found []Position, home bool) {
	first, last := v.index(at.Side, at.Start), v.index(at.Side, at.Line)
	if first >= 0 && last >= 0 && v.hasQuote(at.Side, first, last, q) {
		return []Position{v.positionOf(at.Side, first, last)}, true
	}
	spans, side := v.fits(at.Side, q)
	near := max(first, last)
	if near >= 0 && len(spans) > 0 {
		spans = []span{slices.MinFunc(spans, func(a, b span) int { return a.from(near) - b.from(near) })}
	}
	for _, s := range spans {
		found = append(found, v.positionOf(side, s.first, s.last))
	}
	return found, near >= 0
}

// index returns the index of the line with a number on a side; -1 if there is none.
func (v *view) index(side Side, number int) int {
	if number < 1 {
		return -1
	}
	return slices.IndexFunc(v.lines, func(l Line) bool { return l.number(side) == number })
}

// hasQuote reports whether lines of a side contain a quote.
func (v *view) hasQuote(side Side, first, last int, q []string) bool {
	return len(q) == 0 || len(v.find(side, first, last, q, fragment)) > 0
}

// fits returns all lines that match a quote. Whole lines are preferred to parts of lines, and the
// given side to the other side.
func (v *view) fits(side Side, q []string) ([]span, Side) {
	if len(q) == 0 {
		return nil, side
	}
	other := LeftSide
	if side == LeftSide {
		other = RightSide
	}
	for _, fits := range []func(text string, q []string, i int) bool{whole, fragment} {
		for _, side := range []Side{side, other} {
			if spans := v.find(side, 0, len(v.lines)-1, q, fits); len(spans) > 0 {
				return spans, side
			}
		}
		if len(strings.Join(q, "")) < minFragment {
			break
		}
	}
	return nil, side
}

// span is a range of lines of a hunk, by their indexes.
type span struct{ first, last int }

// from returns the distance of a span from the line with index i.
func (s span) from(i int) int { return max(s.first-i, i-s.last, 0) }

// find returns the ranges of lines on a side that match a quote. fits compares a line with the
// quote's line i.
func (v *view) find(side Side, first, last int, q []string, fits func(text string, q []string, i int) bool) (spans []span) {
	if v.texts == nil {
		for _, line := range v.lines {
			v.texts = append(v.texts, normal(line.Text))
		}
	}
	var on []int
	for i := first; i <= last; i++ {
		if v.lines[i].number(side) > 0 {
			on = append(on, i)
		}
	}
	for i := 0; i+len(q) <= len(on); i++ {
		n := 0
		for n < len(q) && fits(v.texts[on[i+n]], q, n) {
			n++
		}
		if n == len(q) {
			spans = append(spans, span{on[i], on[i+n-1]})
		}
	}
	return spans
}

// whole reports whether a line equals line i of a quote.
func whole(text string, q []string, i int) bool { return text == q[i] }

// fragment reports whether a line contains line i of a quote. The first line of a longer quote may
// begin within a line, and the last line may end within a line.
func fragment(text string, q []string, i int) bool {
	switch {
	case len(q) == 1:
		return strings.Contains(text, q[i])
	case i == 0:
		return strings.HasSuffix(text, q[i])
	case i == len(q)-1:
		return strings.HasPrefix(text, q[i])
	}
	return text == q[i]
}

// positionOf returns the position of a comment on a range of lines. A position on the left must
// begin and end with a removed line. Without a removed line, the position is on the right.
func (v *view) positionOf(side Side, first, last int) Position {
	if side == LeftSide {
		lines := v.lines[first : last+1]
		removed := func(l Line) bool { return l.Kind == LineRemoved }
		if from := slices.IndexFunc(lines, removed); from >= 0 {
			for lines[len(lines)-1].Kind != LineRemoved {
				lines = lines[:len(lines)-1]
			}
			return positionAt(LeftSide, lines[from].Old, lines[len(lines)-1].Old)
		}
	}
	return positionAt(RightSide, v.lines[first].New, v.lines[last].New)
}

func positionAt(side Side, start, line int) Position {
	if start == line {
		start = 0
	}
	return Position{Side: side, Start: start, Line: line}
}
