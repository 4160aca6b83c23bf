package shell

import (
	"strings"

	"github.com/rivo/uniseg"
)

// maxHistory bounds the lines kept above the screen.
const maxHistory = 1000

// maxFresh bounds the text kept since a wait began, in bytes.
const maxFresh = 64 << 10

// cursor is the position of the next character.
type cursor struct {
	row, col   int
	lastColumn bool // a character was written into the last column, so the next one starts the next row
	boxLines   bool // letters mean box-drawing lines (ESC ( 0)
}

// screen is the display of a terminal: an xterm without colours (invisible-island.net, ctlseqs).
// Make it with newScreen. One goroutine at a time uses it.
type screen struct {
	parser
	*grid                     // cells of the visible screen
	other               *grid // the main screen while the alternate screen is visible, otherwise nil
	cursor, savedCursor cursor
	mainCursor          cursor // cursor of the main screen while the alternate screen is visible
	top, bottom         int    // the rows from top to bottom-1 scroll
	noWrap              bool
	originMode          bool // the program counts rows from the top of the scrolling region
	insertMode          bool
	appKeys             bool // arrow keys are sent in application mode
	lastPrinted         string
	history             []string // lines that scrolled off the top of the main screen
	fresh               []byte   // raw text since the newest wait began
	answer              []byte   // answers to questions that the program has asked the terminal
}

func newScreen(rows, cols int) *screen {
	return &screen{grid: newGrid(rows, cols), bottom: rows}
}

// Write processes a program's output. It always processes all bytes.
func (s *screen) Write(p []byte) (int, error) {
	s.parse(s, p)
	return len(p), nil
}

// width returns the number of cells of a character: 0 for a combining mark, 1 or 2.
func width(r rune) int {
	if r < 0x300 {
		return 1
	}
	return min(uniseg.StringWidth(string(r)), 2)
}

// print shows a character.
func (s *screen) print(r rune) {
	if r < 0xa0 && r > 0x7e {
		return // 8-bit control characters have no meaning in UTF-8
	}
	if s.cursor.boxLines && r < 0x7f {
		r = boxLine(r)
	}
	text := string(r)
	s.addFresh(text)
	w := width(r)
	if w == 0 {
		s.addMark(s.cursor.row, max(0, s.lastPrintedColumn()), text)
		return
	}
	w = min(w, s.cols)
	if (s.cursor.lastColumn || s.cursor.col+w > s.cols) && !s.noWrap {
		s.cursor.col = 0
		s.lineFeed()
	}
	s.cursor.col = min(s.cursor.col, s.cols-w)
	if s.insertMode {
		s.insert(s.cursor.row, s.cursor.col, w)
	}
	s.put(s.cursor.row, s.cursor.col, cell(text), w)
	s.lastPrinted = text
	s.cursor.col += w
	s.cursor.lastColumn = s.cursor.col >= s.cols
	s.cursor.col = min(s.cursor.col, s.cols-1)
}

// lastPrintedColumn returns the column of the newest character of the row.
func (s *screen) lastPrintedColumn() int {
	if s.cursor.lastColumn {
		return s.cursor.col
	}
	return s.cursor.col - 1
}

// addFresh adds raw text to the text since the newest wait began.
func (s *screen) addFresh(text string) {
	if len(s.fresh) >= maxFresh {
		s.fresh = append(s.fresh[:0], s.fresh[maxFresh/2:]...)
	}
	s.fresh = append(s.fresh, text...)
}

// lineFeed moves down one row. In the last row of the scrolling region it scrolls.
func (s *screen) lineFeed() {
	s.cursor.lastColumn = false
	switch {
	case s.cursor.row == s.bottom-1:
		s.scroll(1)
	case s.cursor.row < s.rows-1:
		s.cursor.row++
	}
}

// scroll moves the scrolling region up. Lines that leave the top of the main screen go to history.
func (s *screen) scroll(n int) {
	n = min(n, s.bottom-s.top)
	if s.top == 0 && s.other == nil {
		s.addHistory(n)
	}
	s.scrollUp(s.top, s.bottom, n)
}

// addHistory adds the first n rows to history.
func (s *screen) addHistory(n int) {
	for row := range n {
		s.history = append(s.history, s.rowText(row))
	}
	if over := len(s.history) - maxHistory; over > maxHistory/10 {
		s.history = append(s.history[:0], s.history[over:]...)
	}
}

// moveCursor moves the cursor to a cell, or to the nearest cell on the screen.
func (s *screen) moveCursor(row, col int) {
	s.cursor.row, s.cursor.col, s.cursor.lastColumn = min(max(row, 0), s.rows-1), min(max(col, 0), s.cols-1), false
}

// alternate shows the alternate screen, which is empty, or the main screen again.
func (s *screen) alternate(on bool) {
	if on == (s.other != nil) {
		return
	}
	if on {
		s.other, s.mainCursor = s.grid, s.cursor
		s.grid = newGrid(s.rows, s.cols)
	} else {
		s.grid, s.other = s.other, nil
		s.moveCursor(s.mainCursor.row, s.mainCursor.col)
	}
	s.top, s.bottom = 0, s.rows
}

// resizeTo changes the number of rows and columns. It does not wrap lines again. If the cursor
// would be below the last row, the screen scrolls.
func (s *screen) resizeTo(rows, cols int) {
	at := &s.cursor
	main := s.grid
	if s.other != nil {
		main, at = s.other, &s.mainCursor
	}
	if over := min(at.row-rows+1, main.rows); over > 0 {
		shown := s.grid
		s.grid = main
		s.addHistory(over)
		s.grid = shown
		main.scrollUp(0, main.rows, over)
		at.row -= over
	}
	main.resize(rows, cols)
	if s.other != nil {
		s.grid.resize(rows, cols)
	}
	s.top, s.bottom = 0, rows
	s.moveCursor(s.cursor.row, s.cursor.col)
	s.savedCursor = cursor{boxLines: s.savedCursor.boxLines}
}

// shown returns the screen as text without blank rows at the end, after at most above lines of
// history.
func (s *screen) shown(above int) string {
	lines := append([]string{}, s.history[max(0, len(s.history)-min(above, maxHistory)):]...)
	for row := range s.rows {
		lines = append(lines, s.rowText(row))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
