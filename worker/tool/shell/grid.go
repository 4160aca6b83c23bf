package shell

import (
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// cell is one cell of a screen: a character with its combining marks, "" for an empty cell, or
// wideHalf.
type cell string

// wideHalf marks the second cell of a wide character.
const wideHalf cell = "\x00"

// maxCell bounds a character with its marks, in bytes.
const maxCell = 32

// grid holds all cells of a screen. Rows and columns given to its methods must be within it.
type grid struct {
	rows, cols int
	lines      [][]cell
}

func newGrid(rows, cols int) *grid {
	g := &grid{rows: rows, cols: cols, lines: make([][]cell, rows)}
	for i := range g.lines {
		g.lines[i] = make([]cell, cols)
	}
	return g
}

// put sets a character. If the character covers half of a wide character, put removes the wide
// character.
func (g *grid) put(row, col int, c cell, width int) {
	line := g.lines[row]
	if line[col] == wideHalf && col > 0 {
		line[col-1] = ""
	}
	if end := col + width; end < g.cols && line[end] == wideHalf {
		line[end] = ""
	}
	line[col] = c
	if width == 2 {
		line[col+1] = wideHalf
	}
}

// addMark adds a combining mark to a character.
func (g *grid) addMark(row, col int, r string) {
	if g.lines[row][col] == wideHalf && col > 0 {
		col--
	}
	if c := g.lines[row][col]; c != "" && len(c)+len(r) <= maxCell {
		g.lines[row][col] = c + cell(r)
	}
}

// erase empties the cells from one column up to another.
func (g *grid) erase(row, from, to int) { clear(g.lines[row][from:to]) }

// eraseRows empties whole rows.
func (g *grid) eraseRows(from, to int) {
	for row := from; row < to; row++ {
		g.erase(row, 0, g.cols)
	}
}

// insert makes n empty cells at col. Cells that are pushed over the edge are lost.
func (g *grid) insert(row, col, n int) {
	rest := g.lines[row][col:]
	n = min(n, len(rest))
	copy(rest[n:], rest)
	clear(rest[:n])
}

// remove removes n cells at col.
func (g *grid) remove(row, col, n int) {
	rest := g.lines[row][col:]
	n = min(n, len(rest))
	copy(rest, rest[n:])
	clear(rest[len(rest)-n:])
}

// scrollUp moves the rows from top to bottom-1 up by n. Rows that go over the edge are lost.
func (g *grid) scrollUp(top, bottom, n int) {
	n = min(n, bottom-top)
	g.rotate(top, bottom, n)
	g.eraseRows(bottom-n, bottom)
}

// scrollDown moves the rows from top to bottom-1 down by n.
func (g *grid) scrollDown(top, bottom, n int) {
	n = min(n, bottom-top)
	g.rotate(top, bottom, bottom-top-n)
	g.eraseRows(top, top+n)
}

// rotate moves the first n rows of a region to the end of the region.
func (g *grid) rotate(top, bottom, n int) {
	region := g.lines[top:bottom]
	copy(region, slices.Concat(region[n:], region[:n]))
}

// rowText returns a row as text, without blanks at its end.
func (g *grid) rowText(row int) string {
	var b strings.Builder
	wide := false
	for _, c := range g.lines[row] {
		switch {
		case c == wideHalf && wide:
		case c == "" || c == wideHalf:
			b.WriteByte(' ')
		default:
			b.WriteString(string(c))
		}
		wide = len(c) > 1 && uniseg.StringWidth(string(c)) == 2
	}
	return strings.TrimRight(b.String(), " ")
}

// resize cuts or adds cells at the right and at the bottom.
func (g *grid) resize(rows, cols int) {
	old := g.lines
	*g = *newGrid(rows, cols)
	for i := range min(len(old), rows) {
		copy(g.lines[i], old[i])
	}
}
