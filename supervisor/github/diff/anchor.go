package diff

import (
	"regexp"
	"slices"
	"strings"
)

// Side is the side of a diff that a comment stands on, in the words of GitHub's API. A line that
// was removed is on the left; all others are on the right, context too: the API promises nothing
// else.
type Side string

const (
	Left  Side = "LEFT"
	Right Side = "RIGHT"
)

// Place is where a comment stands: at a line, or at the lines from Start to Line. GitHub takes it
// where both are in one hunk and Start is before Line; one wrong place makes it refuse the whole
// review.
type Place struct {
	Path  string
	Side  Side
	Start int // 0 for one line
	Line  int
}

// Placement is what has become of a place that somebody named.
type Placement int

const (
	Nowhere Placement = iota // nothing in the diff is meant by it
	Exact                    // it is right as it was named
	Moved                    // it is not, but what was quoted stands in its hunk
)

// maxQuote is how many lines of a quote are looked at, and minFragment how long a quote must be
// that is only a part of a line elsewhere.
const (
	maxQuote    = 50
	minFragment = 8
)

// marks are what Numbered puts before lines, or a part of that. Who quotes a line may have taken it
// along.
var marks = regexp.MustCompile(`(?m)^\s*(?:[RL]\d+ [-+ ]|[-+])`)

// Anchor finds where in the diff a comment can stand that somebody, who may be wrong about
// anything, has put to a place with a quote of what stands there. The place is right where the
// quote stands in it; it need not be quoted. Otherwise it is the lines of its hunk that the quote
// fits and that are nearest to it. Where no hunk has the line, the quote must fit just once in the
// file.
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
	// it may be a name that a file had
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

// quoteOf is a quote's lines in normal form, without blank ones around them.
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

// normal is a text with one space for any white space, and none around it.
func normal(text string) string { return strings.Join(strings.Fields(text), " ") }

// view is a hunk's lines, and their texts in normal form, which are made when a quote is looked
// for.
type view struct {
	lines []Line
	texts []string
}

func viewOf(h *Hunk) *view { return &view{lines: slices.Collect(h.Lines())} }

// anchor is where in the hunk a place is meant, at most one where the hunk has the line (it is at
// home there), and all where it has not.
func (v *view) anchor(at Place, q []string) (found []Place, home bool) {
	first, last := v.index(at.Side, at.Start), v.index(at.Side, at.Line)
	if first >= 0 && last >= 0 && v.stands(at.Side, first, last, q) {
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

// index is where the line with a number on a side is, -1 for none.
func (v *view) index(side Side, number int) int {
	if number < 1 {
		return -1
	}
	return slices.IndexFunc(v.lines, func(l Line) bool { return l.number(side) == number })
}

// stands says whether a quote stands within lines of a side, at least as parts of them.
func (v *view) stands(side Side, first, last int, q []string) bool {
	return len(q) == 0 || len(v.find(side, first, last, q, fragment)) > 0
}

// fits finds all lines that a quote fits, rather whole lines than parts of them, and rather on the
// side than on the other.
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

// span is some lines of a hunk, by their indexes.
type span struct{ first, last int }

// from is how far it is from a line.
func (s span) from(i int) int { return max(s.first-i, i-s.last, 0) }

// find is where a quote's lines fit lines of a side that follow one another, from first to last.
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

// whole says whether a line is the quote's line i.
func whole(text string, q []string, i int) bool { return text == q[i] }

// fragment says whether the quote's line i is in a line: of several, the first may begin within it
// and the last end within it.
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

// place is where a comment on the lines stands. On the left they begin and end with one that was
// removed; where none was, they are on the right.
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
