package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"

	"mews/supervisor"
)

// cellGap separates a table's cells. crossingGap separates the parts of the line under the head.
const (
	cellGap     = " | "
	crossingGap = "-+-"
)

// table renders a table: as a grid if it is narrow and plain, and otherwise row by row.
func (p *page) table(n *extended.Table) {
	p.keepExcess(n)
	cells := tableCells(n)
	words, plain := p.tableWords(cells)
	widths := tableWidths(words)
	if plain && totalWidth(widths) <= int(p.columns) {
		p.w.pre(grid(words, widths, n.Alignments), "")
		return
	}
	p.rows(cells, words)
}

// keepExcess appends surplus cells to the last cell of each row. The parser would drop these cells.
// Models forget that a bar within a cell needs a backslash.
func (p *page) keepExcess(n ast.Node) {
	for row := range children(n) {
		last := row.LastChild()
		if last == nil || last.Lines().Len() == 0 {
			continue
		}
		rest := p.src[last.Lines().At(0).Stop:]
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			rest = rest[:end]
		}
		if rest = bytes.Trim(rest, " \t|"); len(rest) > 0 {
			last.AppendChild(last, ast.NewString(append([]byte(" | "), rest...)))
		}
	}
}

// tableCells returns a table's cells row by row, the head first.
func tableCells(n ast.Node) [][]ast.Node {
	var all [][]ast.Node
	for row := range children(n) {
		var cells []ast.Node
		for c := range children(row) {
			cells = append(cells, c)
		}
		all = append(all, cells)
	}
	return all
}

// tableWords returns the text of the cells. plain reports whether that text is enough for a grid. A
// grid is code, so it would reveal a spoiler and lose a link's address.
func (p *page) tableWords(cells [][]ast.Node) (words [][]string, plain bool) {
	plain = true
	for _, row := range cells {
		line := make([]string, len(row))
		for i, c := range row {
			t := p.plain(c)
			line[i] = t.Text
			plain = plain && !strings.Contains(t.Text, "\n") && !hasHiddenParts(t)
		}
		words = append(words, line)
	}
	return words, plain
}

func hasHiddenParts(t supervisor.RichText) bool {
	return slices.ContainsFunc(t.Entities, func(e supervisor.RichTextEntity) bool {
		return e.Type == supervisor.EntityLink || e.Type == supervisor.EntitySpoiler
	})
}

// tableWidths returns the displayed widths of the columns.
func tableWidths(words [][]string) []int {
	var widths []int
	for _, row := range words {
		for i, w := range row {
			if i == len(widths) {
				widths = append(widths, 1)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(w))
		}
	}
	return widths
}

func totalWidth(widths []int) int {
	n := -len(cellGap)
	for _, w := range widths {
		n += w + len(cellGap)
	}
	return n
}

// grid returns a table in monospaced text.
func grid(words [][]string, widths []int, alignments []extended.Alignment) string {
	var b strings.Builder
	for i, row := range words {
		cells := make([]string, len(row))
		for j, w := range row {
			cells[j] = aligned(w, widths[j], alignments[min(j, len(alignments)-1)])
		}
		b.WriteString(strings.TrimRight(strings.Join(cells, cellGap), " ") + "\n")
		if i > 0 {
			continue
		}
		lines := make([]string, len(widths))
		for j, w := range widths {
			lines[j] = strings.Repeat("-", w)
		}
		b.WriteString(strings.Join(lines, crossingGap) + "\n")
	}
	return b.String()
}

func aligned(s string, width int, how extended.Alignment) string {
	room := max(0, width-uniseg.StringWidth(s))
	left := map[extended.Alignment]int{extended.AlignRight: room, extended.AlignCenter: room / 2}[how]
	return strings.Repeat(" ", left) + s + strings.Repeat(" ", room-left)
}

// rows renders a table row by row: the heads, then the first cell of each row, and under it the
// other cells with their heads.
func (p *page) rows(cells [][]ast.Node, words [][]string) {
	p.w.push(mark{kind: supervisor.EntityItalic})
	for i, c := range cells[0] {
		if i > 0 && words[0][i] != "" {
			p.w.put(" · ")
		}
		p.inlines(c)
	}
	p.w.pop()
	for i, row := range cells[1:] {
		p.w.gap(2)
		for j, c := range row {
			p.cell(c, j, words[0], words[i+1][j])
		}
	}
}

// cell renders the cell of a row in a column.
func (p *page) cell(c ast.Node, column int, heads []string, words string) {
	if words == "" {
		return
	}
	if column == 0 {
		p.marked(c, supervisor.EntityBold)
		return
	}
	p.w.gap(1)
	if column < len(heads) && heads[column] != "" {
		p.w.put(strings.ReplaceAll(heads[column], "\n", " ") + ": ")
	}
	p.inlines(c)
}
