// Package chattest has the screen of a terminal, for tests of the chat's output.
package chattest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Screen is a terminal's screen. It knows only the escape sequences that the chat may send. Any
// other escape sequence is an error. One goroutine uses the screen at a time.
type Screen struct {
	testing.TB
	// Apart shows the code points of a composed character side by side, as older terminals do.
	Apart bool

	cols, rows int
	lines      []Line
	gone       []Line // lines that have scrolled off the screen
	look       Style  // style of the text that follows
	row, col   int
	wrapped    bool // whether the last column of a row is filled, so the next character begins a new row
	noWrap     bool
	rest       string // received bytes of an incomplete escape sequence or character
}

// Line is a line of a screen, with a cell for each column.
type Line []Cell

// Cell is a column of a line. Text is one character; "" if the cell was never written, and "\x00"
// in the second column of a wide character.
type Cell struct {
	Text  string
	Style Style
}

// NewScreen returns an empty screen.
func NewScreen(t testing.TB, cols, rows int) *Screen {
	e := &Screen{TB: t, cols: cols, rows: rows}
	e.clear()
	return e
}

func (e *Screen) clear() {
	e.lines, e.row, e.col = make([]Line, e.rows), 0, 0
	for i := range e.lines {
		e.lines[i] = make(Line, e.cols)
	}
}

// Resize changes the size of the screen at its right and lower edges, like xterm.
func (e *Screen) Resize(cols, rows int) {
	old := e.lines
	row := min(e.row, rows-1)
	e.cols, e.rows = cols, rows
	e.clear()
	for i, line := range old[:min(len(old), rows)] {
		copy(e.lines[i], line)
	}
	e.row = row
}

var (
	sequence = regexp.MustCompile(`^\x1b\[(\??)([0-9;]*)([A-Za-z])`)
	link     = regexp.MustCompile(`^\x1b\]8;;[!-~]*\x1b\\`)
)

// Write takes the output of a program.
func (e *Screen) Write(p []byte) (int, error) {
	text := e.rest + string(p)
	for text != "" {
		if at := link.FindStringIndex(text); at != nil {
			text = text[at[1]:]
			continue
		}
		if text[0] == '\x1b' {
			m := sequence.FindStringSubmatch(text)
			if m == nil && (len(text) < 10 || strings.HasPrefix(text, "\x1b]8;;") && len(text) < 1000) {
				break
			}
			if m == nil {
				e.Errorf("the terminal gets %q", text)
				break
			}
			e.obey(m[1]+m[3], m[2])
			text = text[len(m[0]):]
			continue
		}
		if !utf8.FullRuneInString(text) {
			break
		}
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		e.print(r)
	}
	e.rest = text
	return len(p), nil
}

// obey carries out an escape sequence.
func (e *Screen) obey(name, number string) {
	n, _ := strconv.Atoi(number)
	e.wrapped = e.wrapped && (name == "m" || name[0] == '?')
	switch {
	case name == "A":
		e.row = max(0, e.row-max(n, 1))
	case name == "C":
		e.col = min(e.cols-1, e.col+max(n, 1))
	case name == "H" && number == "":
		e.row, e.col = 0, 0
	case name == "J" && n == 2:
		row, col := e.row, e.col
		e.clear()
		e.row, e.col = row, col
	case name == "J" && n == 0:
		clear(e.lines[e.row][e.col:])
		for _, line := range e.lines[e.row+1:] {
			clear(line)
		}
	case name == "m":
		e.dress(number)
	case n == 2004, n == 2026:
	case n == 7 && (name == "?l" || name == "?h"):
		e.noWrap = name == "?l"
	default:
		e.Errorf("the terminal gets ESC [ %s %s", number, name)
	}
}

func (e *Screen) print(r rune) {
	switch {
	case r == '\r':
		e.col, e.wrapped = 0, false
		return
	case r == '\n':
		e.wrapped = false
		if e.row++; e.row == e.rows {
			e.gone = append(e.gone, e.lines[0])
			e.lines = append(e.lines[1:], make(Line, e.cols))
			e.row--
		}
		return
	case r < ' ':
		e.Errorf("the terminal gets %q", r)
	}
	width := uniseg.StringWidth(string(r))
	if cell := e.before(); cell != nil {
		joined := cell.Text + string(r)
		one := uniseg.GraphemeClusterCount(joined) == 1
		if one && (!e.Apart || width == 0) {
			cell.Text = joined
			return
		}
	}
	if width == 0 {
		return // a terminal drops a mark that joins no character
	}
	if e.wrapped || e.col+width > e.cols {
		if e.noWrap {
			e.col = e.cols - width
		} else {
			e.print('\r')
			e.print('\n')
		}
	}
	for i := range width {
		e.lines[e.row][e.col+i] = Cell{"\x00"[:i], e.look}
	}
	e.lines[e.row][e.col].Text = string(r)
	e.col += width
	if e.wrapped = e.col == e.cols; e.wrapped {
		e.col--
	}
}

// before returns the character before the cursor; nil if there is none.
func (e *Screen) before() *Cell {
	col := e.col
	if !e.wrapped {
		col--
	}
	for ; col >= 0; col-- {
		if c := &e.lines[e.row][col]; c.Text != "\x00" {
			if c.Text == "" {
				return nil
			}
			return c
		}
	}
	return nil
}

// Text returns the text of a line, without spaces at its end.
func (l Line) Text() string { return strings.TrimRight(l.PaddedText(), " ") }

// PaddedText returns the text of a line, with a space for each empty cell.
func (l Line) PaddedText() string {
	var text strings.Builder
	for _, cell := range l {
		switch cell.Text {
		case "\x00":
		case "":
			text.WriteByte(' ')
		default:
			text.WriteString(cell.Text)
		}
	}
	return text.String()
}

// Lines returns all lines, those that have scrolled off first. It drops empty lines at the end.
func (e *Screen) Lines() []Line {
	all := slices.Concat(e.gone, e.lines)
	for len(all) > 0 && all[len(all)-1].Text() == "" {
		all = all[:len(all)-1]
	}
	return all
}

// AllText returns the text of all lines that Lines returns, with line ends between them.
func (e *Screen) AllText() string {
	var all []string
	for _, line := range e.Lines() {
		all = append(all, line.Text())
	}
	return strings.Join(all, "\n")
}

// TextWithCursor returns the screen as text, with | at the cursor.
func (e *Screen) TextWithCursor() string {
	var all []string
	for row, line := range e.lines {
		if row != e.row {
			all = append(all, line.Text())
			continue
		}
		at := e.col
		if e.wrapped {
			at = len(line)
		}
		all = append(all, line[:at].PaddedText()+"|"+line[at:].Text())
	}
	return strings.TrimRight(strings.Join(all, "\n"), "\n")
}
