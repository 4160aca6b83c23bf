package shell

import (
	"strings"

	"github.com/rivo/uniseg"
)

// maxHistory is how many lines that have scrolled off the top are kept.
const maxHistory = 1000

// maxFresh bounds the text that is kept since a wait began, in bytes.
const maxFresh = 64 << 10

// cursor is where the next character goes.
type cursor struct {
	row, col   int
	lastColumn bool // the last column was written, so the next character begins the next row
	boxLines   bool // letters stand for the lines of boxes (ESC ( 0)
}

// screen is what a terminal shows: an xterm without colours (invisible-island.net, ctlseqs).
// newScreen makes one. One goroutine at a time uses it.
type screen struct {
	parser
	*grid                     // what is shown
	other               *grid // the main screen while the alternate one is shown, else nil
	cursor, savedCursor cursor
	mainCursor          cursor // of the main screen while the alternate one is shown
	top, bottom         int    // the rows from top to before bottom scroll
	noWrap              bool
	originMode          bool // rows are counted from top
	insertMode          bool
	appKeys             bool // arrow keys are sent as an application wants them
	lastPrinted         string
	history             []string // lines that have scrolled off the top of the main screen
	fresh               []byte   // text since the newest wait began, as it came
	answer              []byte   // for the program, which has asked the terminal for something
}

func newScreen(rows, cols int) *screen {
	return &screen{grid: newGrid(rows, cols), bottom: rows}
}

// Write takes output of a program. It always takes all of it.
func (s *screen) Write(p []byte) (int, error) {
	s.parse(s, p)
	return len(p), nil
}

// width is how many places a character takes: 0 for a combining mark, 1 or 2.
func width(r rune) int {
	if r < 0x300 {
		return 1
	}
	return min(uniseg.StringWidth(string(r)), 2)
}

// print shows a character.
func (s *screen) print(r rune) {
	if r < 0xa0 && r > 0x7e {
		return // control characters of eight bits mean nothing in UTF-8
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

// lastPrintedColumn is the column of the newest character of the row.
func (s *screen) lastPrintedColumn() int {
	if s.cursor.lastColumn {
		return s.cursor.col
	}
	return s.cursor.col - 1
}

// addFresh adds to the text as it came.
func (s *screen) addFresh(text string) {
	if len(s.fresh) >= maxFresh {
		s.fresh = append(s.fresh[:0], s.fresh[maxFresh/2:]...)
	}
	s.fresh = append(s.fresh, text...)
}

// lineFeed goes down a row. In the last row of the scrolling region it scrolls.
func (s *screen) lineFeed() {
	s.cursor.lastColumn = false
	switch {
	case s.cursor.row == s.bottom-1:
		s.scroll(1)
	case s.cursor.row < s.rows-1:
		s.cursor.row++
	}
}

// scroll moves the scrolling region up. Lines that leave the top of the main screen are kept in
// history.
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

// moveCursor moves the cursor to a place, or to the nearest one on the screen.
func (s *screen) moveCursor(row, col int) {
	s.cursor.row, s.cursor.col, s.cursor.lastColumn = min(max(row, 0), s.rows-1), min(max(col, 0), s.cols-1), false
}

// alternate shows the alternate screen, which is empty, or the main one again.
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

// resizeTo changes the number of rows and columns. Lines are not wrapped anew. If the cursor would
// be below the last row, the screen scrolls.
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

// shown is the screen as text without blank rows at the end, after at most so many lines of
// history.
func (s *screen) shown(above int) string {
	lines := append([]string{}, s.history[max(0, len(s.history)-min(above, maxHistory)):]...)
	for row := range s.rows {
		lines = append(lines, s.rowText(row))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
