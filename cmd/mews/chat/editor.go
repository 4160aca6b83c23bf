package chat

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// prompt stands before a line that is being typed.
const prompt = "> "

// lineEditor is the line that a person types on a terminal in raw mode, below what is written meanwhile. What they see as one character
// is one, whatever it is made of, and takes as many columns as Unicode says (UAX #29 and #11). Rows are broken here and not by the
// terminal, and the cursor is brought to its column by writing what is before it: so a terminal that gives a character another width
// shows it in its own way, and nothing else is out of place.
type lineEditor struct {
	keys      *bufio.Reader
	out       io.Writer
	interrupt func() // Ctrl-C where nothing is typed
	history   *history
	style     style

	mu            sync.Mutex // guards what follows; before and after are changed by ReadLine alone
	width, height int
	before, after string // what is typed, on both sides of the cursor
	recalled      int    // the line of the history that is shown, from 1; 0 for what is being typed
	unsent        string // what was being typed when a line of the history was shown
	prompted      bool   // the prompt is shown also where nothing is typed
	column        int    // where what was written has ended
	drawn         bool   // the line is on the screen
	row           int    // of the cursor, within the line
	rowsBelow     int    // of the line, below the cursor's
	below         bool   // the line is on the row below an unfinished one
}

// ReadLine is what a person types until Enter. It returns io.EOF for Ctrl-D where nothing is typed.
func (e *lineEditor) ReadLine() (string, error) {
	for {
		k, err := readKey(e.keys)
		empty := e.before+e.after == ""
		switch {
		case err != nil:
			return "", err
		case k.name == ctrlD && empty:
			return "", io.EOF
		case k.name == ctrlC && empty:
			e.interrupt()
		case k.name == enter:
			return e.accept(), nil
		default:
			e.edit(k)
		}
	}
}

// accept takes the line. It stays on the screen, and what is written next begins below it.
func (e *lineEditor) accept() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	text, height := e.before+e.after, e.height
	e.before, e.after, e.height = text, "", math.MaxInt // all of it, also of a line that is higher than the screen
	e.draw("")
	e.height = height
	e.write("\r\n")
	e.history.Add(text)
	e.before, e.recalled = "", 0
	e.prompted, e.drawn, e.column = false, false, 0
	return text
}

// edit does what a key is for. What follows at once is drawn with it.
func (e *lineEditor) edit(k key) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if do := keyActions[k.name]; do != nil {
		do(e)
	}
	e.before += k.text
	if e.keys.Buffered() == 0 {
		e.draw("")
	}
}

// print writes above the line, behind what was written before. It shows the prompt, or takes it away where nothing is typed.
func (e *lineEditor) print(text string, prompted bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.prompted = prompted
	e.draw(text)
}

// midLine says whether what was written has not ended with a line.
func (e *lineEditor) midLine() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.column > 0
}

// resize follows the terminal's size. Whether the terminal has wrapped its rows anew is not known: nothing above the line is touched.
func (e *lineEditor) resize(width, height int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.width, e.height = width, height
	if e.drawn {
		e.below, e.column = false, 0
		e.draw("")
	}
}

// leave puts the cursor below all that is shown.
func (e *lineEditor) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.write(strings.Repeat("\n", e.rowsBelow) + e.style.reset + "\r\n")
}

// draw writes a text above the line, and the line as it is now. The caller holds mu.
func (e *lineEditor) draw(text string) {
	var b strings.Builder
	if e.drawn {
		b.WriteString(up(e.row) + "\r\x1b[J")
		if e.below {
			fmt.Fprintf(&b, "%s\x1b[%dC", up(1), e.column)
		}
	}
	b.WriteString(strings.ReplaceAll(text, "\n", "\r\n"))
	e.column, e.rowsBelow = columnAfter(e.column, text, e.width), 0
	if e.drawn = e.prompted || e.before+e.after != ""; e.drawn {
		if e.column > 0 {
			b.WriteString("\r\n")
		}
		if e.below = e.column > 0 && e.column < e.width; !e.below {
			e.column = 0
		}
		b.WriteString(e.line())
	}
	e.write(b.String())
}

// line draws the line from the beginning of a row, and notes the cursor's row. Of a line that is higher than the screen it draws what
// is around the cursor. The caller holds mu.
func (e *lineEditor) line() string {
	l := layout{width: e.width, rows: []string{e.style.prompt + prompt + e.style.reset}, column: len(prompt)}
	l.add(e.before)
	if l.column >= l.width {
		l.newRow() // for the cursor
	}
	e.row = len(l.rows) - 1
	left := l.rows[e.row]
	l.add(e.after)
	most := max(1, e.height-1)
	first := min(e.row, max(0, len(l.rows)-most))
	rows := l.rows[first:min(first+most, len(l.rows))]
	e.row -= first
	e.rowsBelow = len(rows) - 1 - e.row
	text := strings.Join(rows, "\r\n")
	if e.after != "" {
		text += up(e.rowsBelow) + "\r" + left
	}
	if l.composed {
		text = "\x1b[?7l" + text + "\x1b[?7h" // no row is longer than the screen, whatever width the terminal gives them
	}
	return text
}

// write writes to the terminal. One that can't be written is noticed when it is read.
func (e *lineEditor) write(text string) { _, _ = io.WriteString(e.out, text) }

// layout breaks text into rows.
type layout struct {
	width    int
	rows     []string
	column   int  // where the last row ends
	composed bool // there are characters that are made of several
}

// add adds text behind what there is.
func (l *layout) add(text string) {
	for text != "" {
		cluster, rest, width, _ := uniseg.FirstGraphemeClusterInString(text, -1)
		text = rest
		l.composed = l.composed || utf8.RuneCountInString(cluster) > 1
		if cluster == "\n" {
			l.newRow()
			continue
		}
		if cluster == "\t" {
			width = 8 - l.column%8
			cluster = strings.Repeat(" ", width)
		}
		if l.column+width > l.width {
			l.newRow()
		}
		l.rows[len(l.rows)-1] += cluster
		l.column += width
	}
}

func (l *layout) newRow() { l.rows, l.column = append(l.rows, ""), 0 }

// looks are the colours that this program gives to text.
var looks = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// columnAfter is where text ends that begins at a column.
func columnAfter(column int, text string, width int) int {
	l := layout{width: width, rows: []string{""}, column: column}
	l.add(looks.ReplaceAllString(text, ""))
	return l.column
}

// up moves the cursor up.
func up(rows int) string {
	if rows <= 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA", rows)
}
