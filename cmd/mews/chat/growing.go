package chat

import (
	"strings"

	"mews/supervisor"
	"mews/supervisor/markdown"
)

// growing is a Markdown answer while it arrives. Text that can't change is written once. The last
// block is rewritten as it grows. Only the block's rows on the screen change, not rows that have
// scrolled off. The zero value is an empty answer.
type growing struct {
	source    string // the part of the answer's text that may still change
	offScreen string // the part of source in screen rows that have scrolled off and can't be rewritten
	begun     bool   // text of this answer was written to the screen before source
	clipped   bool   // some rows of source were never written, because the screen was too low for them
	shown     []row  // the rows of source on the screen
}

// view is the appearance of Markdown on a screen.
type view struct {
	style
	base          string // sequence of the style of the whole text; "" means no style
	width, height int
}

// render breaks a text into rows.
func (v view) render(t supervisor.RichText) []row {
	if t.Text == "" {
		return nil
	}
	return v.rows(t, v.base, v.width)
}

// add appends text to the answer. settled are final rows to write. shown are the rows below
// settled, which replace the rows shown before.
func (g *growing) add(text string, v view) (settled, shown []row) {
	g.source += text
	n, steady := markdown.FinalPrefixLength(g.source)
	settled = g.renderFinal(n, v)
	rows := g.separated(v.render(markdown.RendererForWidth(v.width).RenderGrowing(g.source)))
	known := countCovered(rows, g.offScreen)
	g.offScreen, rows = appendLetters("", rows[:known]), rows[known:]
	over := max(0, len(rows)-v.height)
	if g.clipped = over > 0 && !steady; over > 0 && steady {
		settled = append(settled, rows[:over]...)
		g.offScreen = appendLetters(g.offScreen, rows[:over])
	}
	g.shown = rows[over:]
	return settled, g.shown
}

// renderFinal returns rows for the first n bytes of source, without the rows that are already
// final.
func (g *growing) renderFinal(n int, v view) []row {
	rows := v.render(markdown.RendererForWidth(v.width).Render(g.source[:n]))
	if g.source = g.source[n:]; n == 0 || len(rows) == 0 {
		return nil
	}
	rows = g.separated(rows)
	rows = rows[countCovered(rows, g.offScreen):]
	g.offScreen, g.begun = "", true
	return rows
}

// separated adds an empty row before rows that are not the first.
func (g *growing) separated(rows []row) []row {
	if g.begun && len(rows) > 0 {
		return append([]row{{}}, rows...)
	}
	return rows
}

// finishShown makes the shown rows final. If these rows show only a part of source, the whole
// source is written again later.
func (g *growing) finishShown() {
	if !g.clipped {
		g.offScreen = appendLetters(g.offScreen, g.shown)
	}
	g.shown, g.clipped = nil, false
}

// finish returns the last rows of the answer.
func (g *growing) finish(v view) []row {
	rows := g.renderFinal(len(g.source), v)
	*g = growing{}
	return rows
}

// appendLetters appends the letters of rows to read, the text so far, and a newline for each empty
// row at the end.
func appendLetters(read string, rows []row) string {
	for _, r := range rows {
		if l := letters(r); l != "" {
			read = strings.TrimRight(read, "\n") + l
		} else {
			read += "\n"
		}
	}
	return read
}

// countCovered returns how many of the first rows contain only text of read, the text that was
// shown before. That text may have been broken into other rows.
func countCovered(rows []row, read string) int {
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
