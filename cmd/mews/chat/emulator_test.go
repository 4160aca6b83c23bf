package chat

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// emulator is a terminal's screen. It knows the sequences that the chat may send and no others: any
// other is an error.
type emulator struct {
	testing.TB
	cols, rows int
	// it shows a character that is made of several as these, side by side, as older terminals do
	apart    bool
	lines    [][]string
	gone     []string // the lines that have left the screen
	row, col int
	wrapped  bool // the last column was written, and the next character begins a row
	noWrap   bool
	rest     string // of a sequence or a character that has not come whole
}

func newEmulator(t testing.TB, cols, rows int) *emulator {
	e := &emulator{TB: t, cols: cols, rows: rows}
	e.clear()
	return e
}

func (e *emulator) clear() {
	e.lines, e.row, e.col = make([][]string, e.rows), 0, 0
	for i := range e.lines {
		e.lines[i] = make([]string, e.cols)
	}
}

// resize cuts or adds at the right and at the bottom, as xterm does.
func (e *emulator) resize(cols, rows int) {
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

func (e *emulator) Write(p []byte) (int, error) {
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

// obey does a sequence.
func (e *emulator) obey(name, number string) {
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
	case name == "m", n == 2004, n == 2026:
	case n == 7 && (name == "?l" || name == "?h"):
		e.noWrap = name == "?l"
	default:
		e.Errorf("the terminal gets ESC [ %s %s", number, name)
	}
}

func (e *emulator) print(r rune) {
	switch {
	case r == '\r':
		e.col, e.wrapped = 0, false
		return
	case r == '\n':
		e.wrapped = false
		if e.row++; e.row == e.rows {
			e.gone = append(e.gone, lineText(e.lines[0]))
			e.lines = append(e.lines[1:], make([]string, e.cols))
			e.row--
		}
		return
	case r < ' ':
		e.Errorf("the terminal gets %q", r)
	}
	width := uniseg.StringWidth(string(r))
	if cell := e.before(); cell != nil {
		joined := *cell + string(r)
		one := uniseg.GraphemeClusterCount(joined) == 1
		if one && (!e.apart || width == 0) {
			*cell = joined
			return
		}
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
		e.lines[e.row][e.col+i] = "\x00"[:i]
	}
	e.lines[e.row][e.col] = string(r)
	e.col += width
	if e.wrapped = e.col == e.cols; e.wrapped {
		e.col--
	}
}

// before is the character before the cursor, nil where there is none.
func (e *emulator) before() *string {
	col := e.col
	if !e.wrapped {
		col--
	}
	for ; col >= 0; col-- {
		if c := &e.lines[e.row][col]; *c != "\x00" {
			if *c == "" {
				return nil
			}
			return c
		}
	}
	return nil
}

// lineText is a line of the screen.
func lineText(cells []string) (text string) {
	for _, cell := range cells {
		switch cell {
		case "\x00":
		case "":
			text += " "
		default:
			text += cell
		}
	}
	return strings.TrimRight(text, " ")
}

// everything is all that the terminal has, with what has left the screen.
func (e *emulator) everything() string {
	all := e.gone
	for _, line := range e.lines {
		all = append(all[:len(all):len(all)], lineText(line))
	}
	return strings.TrimRight(strings.Join(all, "\n"), "\n")
}

// text is the screen, with | where the cursor is.
func (e *emulator) text() string {
	var all []string
	for row, line := range e.lines {
		text := ""
		for col, cell := range line {
			if row == e.row && col == e.col && !e.wrapped {
				text += "|"
			}
			switch cell {
			case "\x00":
			case "":
				text += " "
			default:
				text += cell
			}
		}
		if row == e.row && e.wrapped {
			text += "|"
		}
		all = append(all, strings.TrimRight(text, " "))
	}
	return strings.TrimRight(strings.Join(all, "\n"), "\n")
}
