package chat

import (
	"strings"

	"mews/supervisor"
	"mews/supervisor/markdown"
)

// growing is an answer while it comes, in Markdown. What can't change any more is written once. The
// rest, which is its last block, is written anew as it grows, as far as the screen reaches: rows
// that have left the screen stay as they were. The zero value is an answer that has not begun.
type growing struct {
	source  string // that is not settled
	left    string // what was read in those of its rows that can't be written anew
	begun   bool   // something was written before source
	clipped bool   // of its rows, some that are not on the screen were never written
	shown   []row  // of it, on the screen
}

// view is what a screen shows of Markdown.
type view struct {
	style
	base          string // the look of all of it
	width, height int
}

// render is a text in rows.
func (v view) render(t supervisor.RichText) []row {
	if t.Text == "" {
		return nil
	}
	return v.rows(t, v.base, v.width)
}

// add has the answer grow. settled are rows to be written for good; shown are those below them, in
// place of those before.
func (g *growing) add(text string, v view) (settled, shown []row) {
	g.source += text
	n, steady := markdown.Settled(g.source)
	settled = g.settle(n, v)
	rows := g.separated(v.render(markdown.Columns(v.width).Growing(g.source)))
	known := covered(rows, g.left)
	g.left, rows = reading("", rows[:known]), rows[known:]
	over := max(0, len(rows)-v.height)
	if g.clipped = over > 0 && !steady; over > 0 && steady {
		settled = append(settled, rows[:over]...)
		g.left = reading(g.left, rows[:over])
	}
	g.shown = rows[over:]
	return settled, g.shown
}

// settle are the rows of the source's first bytes that were not written for good.
func (g *growing) settle(n int, v view) []row {
	rows := v.render(markdown.Columns(v.width).Render(g.source[:n]))
	if g.source = g.source[n:]; n == 0 || len(rows) == 0 {
		return nil
	}
	rows = g.separated(rows)
	rows = rows[covered(rows, g.left):]
	g.left, g.begun = "", true
	return rows
}

// separated has an empty row before what is not the first.
func (g *growing) separated(rows []row) []row {
	if g.begun && len(rows) > 0 {
		return append([]row{{}}, rows...)
	}
	return rows
}

// keep has what is shown stay as it is, whatever comes. Where only a part of it is, it will be
// written again.
func (g *growing) keep() {
	if !g.clipped {
		g.left = reading(g.left, g.shown)
	}
	g.shown, g.clipped = nil, false
}

// finish are the last rows of the answer.
func (g *growing) finish(v view) []row {
	rows := g.settle(len(g.source), v)
	*g = growing{}
	return rows
}

// reading is what was read when some more rows are: their letters, and behind these a newline for
// each empty row at the end.
func reading(read string, rows []row) string {
	for _, r := range rows {
		if l := letters(r); l != "" {
			read = strings.TrimRight(read, "\n") + l
		} else {
			read += "\n"
		}
	}
	return read
}

// covered is how many rows have nothing but what was read. It does not matter how that was broken.
func covered(rows []row, read string) int {
	for i, r := range rows {
		l := letters(r)
		if l == "" {
			l = read[:min(1, len(read)-len(strings.TrimLeft(read, "\n")))]
		}
		if read == "" || !strings.HasPrefix(read, l) {
			return i
		}
		read = read[len(l):]
	}
	return len(rows)
}
