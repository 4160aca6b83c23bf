package shell

import (
	"strings"

	"github.com/rivo/uniseg"
)

// maxHistory is how many lines that went over the top are kept.
const maxHistory = 1000

// maxFresh bounds what was written since a wait began, in bytes.
const maxFresh = 64 << 10

// cursor is where the next character goes.
type cursor struct {
	row, col   int
	lastColumn bool // the last column was written: the next character begins the next row
	boxLines   bool // letters stand for the lines of boxes (ESC ( 0)
}

// screen is what a terminal shows, in the manner of an xterm without colours (invisible-island.net, ctlseqs). Its zero
// value will not do; one goroutine uses it at a time.
type screen struct {
	parser
	*grid                     // what is shown
	other               *grid // while the alternate screen is shown, the main one; nil else
	cursor, savedCursor cursor
	mainCursor          cursor // where the main screen was left
	top, bottom         int    // the rows that scroll; bottom is not among them
	noWrap              bool
	originMode          bool // rows are counted from top
	insertMode          bool
	appKeys             bool // arrows are sent as an application wants them
	lastPrinted         string
	history             []string // what went over the top of the main screen
	out                 written
}

// written is what a screen has to tell others than the person.
type written struct {
	fresh  []byte // text as it came, without regard to where it went
	answer []byte // for the program
}

func newScreen(rows, cols int) *screen {
	return &screen{grid: newGrid(rows, cols), bottom: rows}
}

// Write takes what a program wrote. It always takes all of it.
func (s *screen) Write(p []byte) (int, error) {
	s.parse(s, p)
	return len(p), nil
}

// width is how many places a character takes: 0 for a mark, 1 or 2.
func width(r rune) int {
	if r < 0x300 {
		return 1
	}
	return min(uniseg.StringWidth(string(r)), 2)
}

// print shows a character.
func (s *screen) print(r rune) {
	if r < 0xa0 && r > 0x7e {
		return // control characters of eight bits, which UTF-8 has no use for
	}
	if s.cursor.boxLines && r < 0x7f {
		r = boxLine(r)
	}
	text := string(r)
	s.tell(text)
	w := width(r)
	if w == 0 {
		s.mark(s.cursor.row, max(0, s.before()), text)
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

// before is the column of the newest character of the row.
func (s *screen) before() int {
	if s.cursor.lastColumn {
		return s.cursor.col
	}
	return s.cursor.col - 1
}

// tell adds to the text as it came.
func (s *screen) tell(text string) {
	if len(s.out.fresh) >= maxFresh {
		s.out.fresh = append(s.out.fresh[:0], s.out.fresh[maxFresh/2:]...)
	}
	s.out.fresh = append(s.out.fresh, text...)
}

// lineFeed goes down a row, and scrolls where that is the region's last.
func (s *screen) lineFeed() {
	s.cursor.lastColumn = false
	switch {
	case s.cursor.row == s.bottom-1:
		s.scroll(1)
	case s.cursor.row < s.rows-1:
		s.cursor.row++
	}
}

// scroll moves the region up. What goes over the top of the main screen is kept.
func (s *screen) scroll(n int) {
	n = min(n, s.bottom-s.top)
	if s.top == 0 && s.other == nil {
		s.remember(n)
	}
	s.up(s.top, s.bottom, n)
}

// remember keeps the first n rows.
func (s *screen) remember(n int) {
	for row := range n {
		s.history = append(s.history, s.text(row))
	}
	if over := len(s.history) - maxHistory; over > maxHistory/10 {
		s.history = append(s.history[:0], s.history[over:]...)
	}
}

// move goes to a place, as near as there is one.
func (s *screen) move(row, col int) {
	s.cursor.row, s.cursor.col, s.cursor.lastColumn = min(max(row, 0), s.rows-1), min(max(col, 0), s.cols-1), false
}

// alternate shows the second screen, which is empty, or the main one again.
func (s *screen) alternate(on bool) {
	if on == (s.other != nil) {
		return
	}
	if on {
		s.other, s.mainCursor = s.grid, s.cursor
		s.grid = newGrid(s.rows, s.cols)
	} else {
		s.grid, s.other = s.other, nil
		s.move(s.mainCursor.row, s.mainCursor.col)
	}
	s.top, s.bottom = 0, s.rows
}

// resizeTo changes the number of rows and columns. Lines are not broken anew. Where the cursor would be below the last
// row, the first ones go over the top.
func (s *screen) resizeTo(rows, cols int) {
	at := &s.cursor
	main := s.grid
	if s.other != nil {
		main, at = s.other, &s.mainCursor
	}
	if over := min(at.row-rows+1, main.rows); over > 0 {
		shown := s.grid
		s.grid = main
		s.remember(over)
		s.grid = shown
		main.up(0, main.rows, over)
		at.row -= over
	}
	main.resize(rows, cols)
	if s.other != nil {
		s.grid.resize(rows, cols)
	}
	s.top, s.bottom = 0, rows
	s.move(s.cursor.row, s.cursor.col)
	s.savedCursor = cursor{boxLines: s.savedCursor.boxLines}
}

// shown is the screen as text, with at most so many lines of what went over the top. Blank rows at the end are left out.
func (s *screen) shown(above int) string {
	lines := append([]string{}, s.history[max(0, len(s.history)-min(above, maxHistory)):]...)
	for row := range s.rows {
		lines = append(lines, s.text(row))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
