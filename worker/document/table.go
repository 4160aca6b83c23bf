package document

import (
	"strconv"
	"strings"
)

// tablePart is an element of a table.
type tablePart string

const (
	partTable tablePart = "table"
	partRow   tablePart = "row"
	partCell  tablePart = "cell"
)

// Bounds of a table.
const (
	maxTables = 200  // maximum depth of nested tables
	maxCells  = 1000 // maximum cells of a row
	maxSpan   = 100  // maximum columns that one cell may span
)

// tables writes text, and tables as in Markdown.
type tables struct {
	out  *lines
	open []*table // open tables, the innermost last
}

// table is a table that is being written.
type table struct {
	rows    int      // number of rows that were written
	columns int      // number of columns in the first row
	cells   []string // cells of the open row
	cell    *strings.Builder
	span    int // number of columns that the open cell spans
	repeat  int // how often the open cell appears in the row
	// a cell has a table in it, so this table only places things: its cells are written as text
	layout bool
}

// add adds text to the open cell, or to the output. Text between cells is left out.
func (t *tables) add(text string) {
	switch inner := t.inner(); {
	case inner == nil || inner.layout:
		t.out.add(text)
	case inner.cell != nil:
		inner.cell.WriteString(text)
	}
}

// inner returns the innermost open table; nil if no table is open.
func (t *tables) inner() *table {
	if len(t.open) == 0 {
		return nil
	}
	return t.open[len(t.open)-1]
}

// beginTable begins a table. If maxTables tables are already open, the output ends.
func (t *tables) beginTable() {
	if len(t.open) == maxTables {
		t.out.err = errFull
		return
	}
	if outer := t.inner(); outer != nil && !outer.layout {
		outer.layout = true
		for _, text := range append(outer.cells, outer.takeCell()...) {
			t.out.add(strings.TrimSpace(text) + "\n")
		}
		outer.cells = nil
	}
	t.open = append(t.open, &table{})
}

// begin begins a row or a cell. It ends a row or cell that was left open.
func (t *tables) begin(part tablePart) {
	inner := t.inner()
	if inner == nil || inner.layout {
		return
	}
	if part == partRow {
		t.end(partRow)
		return
	}
	t.end(partCell)
	inner.cell, inner.span, inner.repeat = &strings.Builder{}, 1, 1
}

// widen makes the open cell span a number of columns.
func (t *tables) widen(columns string) {
	if inner := t.inner(); inner != nil {
		inner.span = spanOf(columns)
	}
}

// repeat makes the open cell appear several times in its row.
func (t *tables) repeat(times string) {
	if inner := t.inner(); inner != nil {
		inner.repeat = spanOf(times)
	}
}

// spanOf reads a number of columns. It returns 1 for anything else.
func spanOf(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxSpan {
		return 1
	}
	return n
}

// end ends a part of the innermost table.
func (t *tables) end(part tablePart) {
	inner := t.inner()
	if inner == nil {
		return
	}
	if inner.layout && part != partTable {
		t.out.add("\n")
		return
	}
	inner.cells = append(inner.cells, inner.takeCell()...)
	inner.cells = inner.cells[:min(len(inner.cells), maxCells)]
	if part != partCell {
		t.writeRow(inner)
	}
	if part == partTable {
		t.open = t.open[:len(t.open)-1]
		t.add("\n")
	}
}

// takeCell ends the open cell and returns it as cells of the row.
func (t *table) takeCell() (cells []string) {
	if t.cell == nil {
		return nil
	}
	text := t.cell.String()
	for range t.repeat {
		cells = append(append(cells, text), make([]string, t.span-1)...)
	}
	t.cell = nil
	return cells
}

// writeRow writes the open row. A row of a single column is written as text.
func (t *tables) writeRow(inner *table) {
	cells := inner.cells
	inner.cells = nil
	for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) == 0 {
		return
	}
	if len(cells) == 1 && inner.columns <= 1 {
		t.out.add(strings.TrimSpace(cells[0]) + "\n")
		return
	}
	for i, text := range cells {
		cells[i] = oneCell(text)
	}
	for len(cells) < inner.columns {
		cells = append(cells, "")
	}
	t.out.add("| " + strings.Join(cells, " | ") + " |\n")
	if inner.rows++; inner.rows == 1 {
		inner.columns = len(cells)
		t.out.add(strings.Repeat("| --- ", inner.columns) + "|\n")
	}
}

// oneCell writes the lines of a cell as one line of a Markdown table.
func oneCell(text string) string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return strings.NewReplacer("|", `\|`, "\t", " ").Replace(strings.Join(list, " / "))
}
