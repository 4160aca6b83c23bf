package diff

import (
	"regexp"
	"slices"
	"strings"
)

// Side is the side of a diff that a comment is on, in the words of GitHub's API. Removed lines are
// on the left. Added lines and context lines are on the right. The API makes no other promise.
type Side string

const (
	Left  Side = "LEFT"
	Right Side = "RIGHT"
)

// Place is the position of a comment: a line, or the lines from Start to Line. GitHub accepts the
// position if both are in one hunk and Start is before Line. For one wrong position, GitHub refuses
// the whole review.
type Place struct {
	Path  string
	Side  Side
	Start int // 0 means one line
	Line  int
}

// Placement is the outcome of the search for a position.
type Placement int

const (
	Nowhere Placement = iota // no position fits
	Exact                    // the named position is right
	Moved                    // the named position is wrong, but the quote is in its hunk
)

// maxQuote limits the compared lines of a quote. minFragment is the shortest quote that may match
// only a part of a line elsewhere.
const (
	maxQuote    = 50
	minFragment = 8
)

// marks matches all or part of the line prefixes of Numbered, which a quote may contain.
var marks = regexp.MustCompile(`(?m)^\s*(?:[RL]\d+ [-+ ]|[-+])`)

// Anchor finds the position of a comment in the diff. The author of at and quote, usually a model,
// may be wrong about anything. If the quote is within at's lines, or there is no quote, at is
// right. Otherwise Anchor takes the nearest lines of the same hunk that fit the quote. If no hunk
// has the line, the quote must fit exactly once in the file.
func Anchor(files []File, at Place, quote string) (Place, Placement) {
	found, fit := anchor(files, at, quoteOf(quote))
	if fit != Nowhere || !marks.MatchString(quote) {
		return found, fit
	}
	bare := quoteOf(marks.ReplaceAllString(quote, ""))
	if len(bare) == 0 {
		return found, fit
	}
	return anchor(files, at, bare)
}

func anchor(files []File, at Place, q []string) (Place, Placement) {
	named := at
	if at.Start == 0 {
		at.Start = at.Line
	}
	at.Start, at.Line = min(at.Start, at.Line), max(at.Start, at.Line)
	// the path may be a file's old name
	before := !slices.ContainsFunc(files, func(f File) bool { return f.Path() == at.Path })
	var elsewhere []Place
	for i := range files {
		f := &files[i]
		if f.Path() != at.Path && (!before || f.Status != Renamed || f.Old != at.Path) {
			continue
		}
		for j := range f.Hunks {
			v := viewOf(&f.Hunks[j])
			found, home := v.anchor(at, q)
			for k := range found {
				found[k].Path = f.Path()
			}
			if home {
				return fitOf(found, named)
			}
			elsewhere = append(elsewhere, found...)
		}
	}
	if len(elsewhere) > 1 {
		return named, Nowhere
	}
	return fitOf(elsewhere, named)
}

func fitOf(found []Place, named Place) (Place, Placement) {
	if len(found) == 0 {
		return named, Nowhere
	}
	if named.Start == named.Line {
		named.Start = 0
	}
	if found[0] == named {
		return named, Exact
	}
	return found[0], Moved
}

// quoteOf returns a quote's lines in normal form, without blank lines around them.
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

// normal returns a text with single spaces for white space, and without white space around it.
func normal(text string) string { return strings.Join(strings.Fields(text), " ") }

// view has a hunk's lines, and their normalized texts, which are made when first needed.
type view struct {
	lines []Line
	texts []string
}

func viewOf(h *Hunk) *view { return &view{lines: slices.Collect(h.Lines())} }

// anchor finds positions in the hunk. If the hunk has the line, home is true, and there is at most
// one position. Otherwise anchor returns all positions that fit.
func (v *view) anchor(at Place, q []string) (found []Place, home bool) {
	first, last := v.index(at.Side, at.Start), v.index(at.Side, at.Line)
	if first >= 0 && last >= 0 && v.hasQuote(at.Side, first, last, q) {
		return []Place{v.place(at.Side, first, last)}, true
	}
	spans, side := v.fits(at.Side, q)
	near := max(first, last)
	if near >= 0 && len(spans) > 0 {
		spans = []span{slices.MinFunc(spans, func(a, b span) int { return a.from(near) - b.from(near) })}
	}
	for _, s := range spans {
		found = append(found, v.place(side, s.first, s.last))
	}
	return found, near >= 0
}

// index returns the index of a line by its side and number; -1 if there is none.
func (v *view) index(side Side, number int) int {
	if number < 1 {
		return -1
	}
	return slices.IndexFunc(v.lines, func(l Line) bool { return l.number(side) == number })
}

// hasQuote reports whether a quote is within lines of a side, at least as parts of lines.
func (v *view) hasQuote(side Side, first, last int, q []string) bool {
	return len(q) == 0 || len(v.find(side, first, last, q, fragment)) > 0
}

// fits finds all lines that a quote fits. It prefers whole lines to parts of lines, and the given
// side to the other side.
func (v *view) fits(side Side, q []string) ([]span, Side) {
	if len(q) == 0 {
		return nil, side
	}
	other := Left
	if side == Left {
		other = Right
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

// span is a range of a hunk's lines, by index.
type span struct{ first, last int }

// from returns the distance to a line.
func (s span) from(i int) int { return max(s.first-i, i-s.last, 0) }

// find returns the ranges of lines of a side, between first and last, that fit a quote's lines.
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

// whole reports whether a line equals the quote's line i.
func whole(text string, q []string, i int) bool { return text == q[i] }

// fragment reports whether the quote's line i is in a line. The first of several quoted lines may
// begin within a line, and the last may end within a line.
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

// place returns the position of a comment on lines. On the left, the position begins and ends with
// a removed line. If no line was removed, the position is on the right.
func (v *view) place(side Side, first, last int) Place {
	if side == Left {
		lines := v.lines[first : last+1]
		removed := func(l Line) bool { return l.Kind == LineRemoved }
		if from := slices.IndexFunc(lines, removed); from >= 0 {
			for lines[len(lines)-1].Kind != LineRemoved {
				lines = lines[:len(lines)-1]
			}
			return placeOf(Left, lines[from].Old, lines[len(lines)-1].Old)
		}
	}
	return placeOf(Right, v.lines[first].New, v.lines[last].New)
}

func placeOf(side Side, start, line int) Place {
	if start == line {
		start = 0
	}
	return Place{Side: side, Start: start, Line: line}
}
