package shell

import (
	"fmt"
	"slices"
)

// controlActions are the actions of control characters.
var controlActions = [0x20]func(*screen){
	'\b': func(s *screen) { s.moveCursor(s.cursor.row, s.cursor.col-1) },
	'\t': func(s *screen) { s.moveCursor(s.cursor.row, (s.cursor.col/8+1)*8) },
	'\n': newLine, '\v': newLine, '\f': newLine,
	'\r': func(s *screen) { s.moveCursor(s.cursor.row, 0) },
	0x18: func(s *screen) { s.mode = modeGround },
	0x1a: func(s *screen) { s.mode = modeGround },
	0x1b: func(s *screen) { s.mode = modeEscape },
}

// escapeActions are the actions of ESC and one byte.
var escapeActions = map[byte]func(*screen){
	'7': save,
	'8': restore,
	'D': newLine,
	'E': func(s *screen) { newLine(s); s.cursor.col = 0 },
	'M': reverseFeed,
	'c': fullReset,
}

// sequence is a sequence that begins with ESC [: its private mark and its last byte.
type sequence struct{ private, final byte }

// sequenceActions are the actions of sequences that begin with ESC [. They get the sequence's
// numbers.
var sequenceActions = map[sequence]func(*screen, []int){
	{0, '@'}: func(s *screen, n []int) { s.insert(s.cursor.row, s.cursor.col, numberAt(n, 0, 1)) },
	{0, 'A'}: func(s *screen, n []int) { s.moveCursor(s.rowWithin(s.cursor.row, -numberAt(n, 0, 1)), s.cursor.col) },
	{0, 'B'}: func(s *screen, n []int) { s.moveCursor(s.rowWithin(s.cursor.row, numberAt(n, 0, 1)), s.cursor.col) },
	{0, 'C'}: func(s *screen, n []int) { s.moveCursor(s.cursor.row, s.cursor.col+numberAt(n, 0, 1)) },
	{0, 'D'}: func(s *screen, n []int) { s.moveCursor(s.cursor.row, s.cursor.col-numberAt(n, 0, 1)) },
	{0, 'E'}: func(s *screen, n []int) { s.moveCursor(s.rowWithin(s.cursor.row, numberAt(n, 0, 1)), 0) },
	{0, 'F'}: func(s *screen, n []int) { s.moveCursor(s.rowWithin(s.cursor.row, -numberAt(n, 0, 1)), 0) },
	{0, 'G'}: func(s *screen, n []int) { s.moveCursor(s.cursor.row, numberAt(n, 0, 1)-1) },
	{0, 'H'}: position,
	{0, 'I'}: func(s *screen, n []int) { s.moveCursor(s.cursor.row, (s.cursor.col/8+numberAt(n, 0, 1))*8) },
	{0, 'J'}: eraseScreen,
	{0, 'K'}: eraseLine,
	{0, 'L'}: func(s *screen, n []int) { s.moveRows(s.scrollDown, n) },
	{0, 'M'}: func(s *screen, n []int) { s.moveRows(s.scrollUp, n) },
	{0, 'P'}: func(s *screen, n []int) { s.remove(s.cursor.row, s.cursor.col, numberAt(n, 0, 1)) },
	{0, 'S'}: func(s *screen, n []int) { s.scroll(numberAt(n, 0, 1)) },
	{0, 'T'}: func(s *screen, n []int) { s.scrollDown(s.top, s.bottom, numberAt(n, 0, 1)) },
	{0, 'X'}: func(s *screen, n []int) {
		s.erase(s.cursor.row, s.cursor.col, min(s.cursor.col+numberAt(n, 0, 1), s.cols))
	},
	{0, 'Z'}: func(s *screen, n []int) { s.moveCursor(s.cursor.row, ((s.cursor.col+7)/8-numberAt(n, 0, 1))*8) },
	{0, '`'}: func(s *screen, n []int) { s.moveCursor(s.cursor.row, numberAt(n, 0, 1)-1) },
	{0, 'a'}: func(s *screen, n []int) { s.moveCursor(s.cursor.row, s.cursor.col+numberAt(n, 0, 1)) },
	{0, 'b'}: repeat,
	{0, 'c'}: func(s *screen, _ []int) { s.reply("\x1b[?6c") }, // the terminal identifies itself as a VT102
	{0, 'd'}: func(s *screen, n []int) { s.moveCursor(s.row(numberAt(n, 0, 1)-1), s.cursor.col) },
	{0, 'e'}: func(s *screen, n []int) { s.moveCursor(s.cursor.row+numberAt(n, 0, 1), s.cursor.col) },
	{0, 'f'}: position,
	{0, 'h'}: func(s *screen, n []int) { s.insertMode = s.insertMode || slices.Contains(n, 4) },
	{0, 'l'}: func(s *screen, n []int) { s.insertMode = s.insertMode && !slices.Contains(n, 4) },
	{0, 'n'}: reportStatus,
	{0, 'r'}: region,
	{0, 's'}: func(s *screen, _ []int) { save(s) },
	{0, 'u'}: func(s *screen, _ []int) { restore(s) },

	{'?', 'h'}: func(s *screen, n []int) { setPrivateModes(s, n, true) },
	{'?', 'l'}: func(s *screen, n []int) { setPrivateModes(s, n, false) },
	{'!', 'p'}: func(s *screen, _ []int) { softReset(s) },
}

// privateModeActions are the actions of private modes.
var privateModeActions = map[int]func(*screen, bool){
	1:    func(s *screen, on bool) { s.appKeys = on },
	6:    func(s *screen, on bool) { s.originMode = on; s.moveCursor(s.row(0), 0) },
	7:    func(s *screen, on bool) { s.noWrap = !on },
	47:   (*screen).alternate,
	1047: (*screen).alternate,
	1049: (*screen).alternate,
}

// numberAt returns the number at i. If that number is missing or 0, it returns otherwise.
func numberAt(numbers []int, i, otherwise int) int {
	if i < len(numbers) && numbers[i] > 0 {
		return numbers[i]
	}
	return otherwise
}

func setPrivateModes(s *screen, numbers []int, on bool) {
	for _, n := range numbers {
		if do := privateModeActions[n]; do != nil {
			do(s, on)
		}
	}
}

// row converts a row number of a program to an index of the screen. In origin mode the number
// counts from top.
func (s *screen) row(n int) int {
	if s.originMode {
		return min(s.top+n, s.bottom-1)
	}
	return n
}

// rowWithin returns row plus by. It stays in the scrolling region if row is in it.
func (s *screen) rowWithin(row, by int) int {
	switch {
	case by < 0 && row >= s.top:
		return max(row+by, s.top)
	case by > 0 && row < s.bottom:
		return min(row+by, s.bottom-1)
	}
	return row + by
}

// moveRows moves the rows of the scrolling region from the cursor's row on.
func (s *screen) moveRows(move func(top, bottom, n int), n []int) {
	if s.cursor.row >= s.top && s.cursor.row < s.bottom {
		move(s.cursor.row, s.bottom, numberAt(n, 0, 1))
	}
}

func newLine(s *screen) {
	s.addFresh("\n")
	s.lineFeed()
}

func reverseFeed(s *screen) {
	if s.cursor.row == s.top {
		s.scrollDown(s.top, s.bottom, 1)
		return
	}
	s.moveCursor(s.cursor.row-1, s.cursor.col)
}

func save(s *screen) { s.savedCursor = s.cursor }

func restore(s *screen) {
	s.cursor = s.savedCursor
	s.moveCursor(s.cursor.row, s.cursor.col)
}

// fullReset resets the screen. It keeps history, and text that waits to be read or sent.
func fullReset(s *screen) {
	first := newScreen(s.rows, s.cols)
	first.history, first.fresh, first.answer = s.history, s.fresh, s.answer
	*s = *first
}

// softReset resets the modes.
func softReset(s *screen) {
	s.noWrap, s.originMode, s.insertMode, s.appKeys, s.cursor.boxLines = false, false, false, false, false
	s.top, s.bottom = 0, s.rows
}

func position(s *screen, n []int) { s.moveCursor(s.row(numberAt(n, 0, 1)-1), numberAt(n, 1, 1)-1) }

func eraseScreen(s *screen, n []int) {
	switch numberAt(n, 0, 0) {
	case 0:
		s.erase(s.cursor.row, s.cursor.col, s.cols)
		s.eraseRows(s.cursor.row+1, s.rows)
	case 1:
		s.eraseRows(0, s.cursor.row)
		s.erase(s.cursor.row, 0, s.cursor.col+1)
	case 2:
		s.eraseRows(0, s.rows)
	case 3:
		s.history = nil
	}
}

func eraseLine(s *screen, n []int) {
	switch numberAt(n, 0, 0) {
	case 0:
		s.erase(s.cursor.row, s.cursor.col, s.cols)
	case 1:
		s.erase(s.cursor.row, 0, s.cursor.col+1)
	case 2:
		s.erase(s.cursor.row, 0, s.cols)
	}
}

// repeat shows the newest character again, n times, but at most as often as a row has columns.
func repeat(s *screen, n []int) {
	for range min(numberAt(n, 0, 1), s.cols) {
		for _, r := range s.lastPrinted {
			s.print(r)
		}
	}
}

// region sets the scrolling region.
func region(s *screen, n []int) {
	top, bottom := numberAt(n, 0, 1)-1, min(numberAt(n, 1, s.rows), s.rows)
	if top < bottom-1 {
		s.top, s.bottom = top, bottom
		s.moveCursor(s.row(0), 0)
	}
}

// reportStatus answers with the cursor's position, or with the code for a working terminal.
func reportStatus(s *screen, n []int) {
	switch numberAt(n, 0, 0) {
	case 5:
		s.reply("\x1b[0n")
	case 6:
		s.reply(fmt.Sprintf("\x1b[%d;%dR", s.cursor.row+1, s.cursor.col+1))
	}
}

// maxAnswer bounds the answers that wait to be sent to a program, in bytes.
const maxAnswer = 256

func (s *screen) reply(text string) {
	if len(s.answer)+len(text) <= maxAnswer {
		s.answer = append(s.answer, text...)
	}
}

// boxLines are the characters from ` to ~ in the character set for lines (VT100 user guide, table
// 3-9).
var boxLines = []rune("◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")

func boxLine(r rune) rune {
	if i := int(r - '`'); i >= 0 && i < len(boxLines) {
		return boxLines[i]
	}
	return r
}
