package chat

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// prompt stands before a line that is being typed.
const prompt = "> "

// lineEditor is the line that a person types on a terminal in raw mode, below what is written
// meanwhile. What they see as one character is one, whatever it is made of, and takes as many
// columns as Unicode says (UAX #29 and #11). Rows are broken here and not by the terminal, and the
// cursor is brought to its column by writing what is before it: so a terminal that gives a
// character another width shows it in its own way, and nothing else is out of place.
type lineEditor struct {
	keys      *bufio.Reader
	out       io.Writer
	interrupt func() // Ctrl-C where nothing is typed
	history   *history
	style     style
	// takes a text that is pasted where nothing is typed, if it is not for the line; nil takes none
	pasted func(text string) bool
	// the rows above stay as they are, whatever is printed next; called with mu held
	aboveKept func()

	// guards what follows, and all that is above the line; before and after are changed by ReadLine
	// alone
	mu            sync.Mutex
	width, height int
	before, after string // what is typed, on both sides of the cursor
	recalled      int    // the line of the history that is shown, from 1; 0 for what is being typed
	unsent        string // what was being typed when a line of the history was shown
	prompted      bool   // the prompt is shown also where nothing is typed
	above         []row  // the rows above the line that may still change
	drawn         bool   // the line is on the screen
	row           int    // of the cursor, within the line
	rowsBelow     int    // of the line, below the cursor's
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
		case k.pasted && empty && e.pasted != nil && e.pasted(k.text):
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
	// all of it, also of a line that is higher than the screen
	e.before, e.after, e.height = text, "", math.MaxInt
	e.draw(nil, e.above)
	e.height = height
	e.keepAbove()
	e.write("\r\n")
	e.history.Add(text)
	e.before, e.recalled = "", 0
	e.prompted, e.drawn = false, false
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
		e.draw(nil, e.above)
	}
}

// print writes rows above the line. Those at their end that may still change are written over by
// what is printed next. It shows the prompt, or takes it away where nothing is typed. The caller
// holds mu.
func (e *lineEditor) print(rows, changing []row, prompted bool) {
	e.prompted = prompted
	e.draw(rows, changing)
}

// resize follows the terminal's size. Whether the terminal has wrapped its rows anew is not known:
// nothing above the line is touched. The caller holds mu.
func (e *lineEditor) resize(width, height int) {
	e.width, e.height = width, height
	if e.keepAbove(); e.drawn {
		e.draw(nil, nil)
	}
}

// keepAbove has the rows above the line stay as they are.
func (e *lineEditor) keepAbove() {
	if len(e.above) == 0 {
		return
	}
	if !e.drawn {
		e.write("\r\n")
	}
	e.above = nil
	e.aboveKept()
}

// leave puts the cursor below all that is shown.
func (e *lineEditor) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.write(strings.Repeat("\n", e.rowsBelow) + e.style.reset + "\r\n")
}

// draw writes rows above the line, those that may change at their end, and the line as it is now.
// It begins with the first that is not on the screen already, and writes all at once, so that
// nothing flickers. The caller holds mu.
func (e *lineEditor) draw(rows, changing []row) {
	rows = slices.Concat(rows, changing)
	drawn := e.prompted || e.before+e.after != ""
	same := sameRows(rows, e.above, drawn || len(changing) == 0)
	at := max(0, len(e.above)-1) // the cursor's row
	if e.drawn {
		at = len(e.above) + e.row
	}
	var b strings.Builder
	newline := at < same // is owed before what comes next
	if !newline && (e.drawn || len(e.above) > 0) {
		b.WriteString(up(at-same) + "\r\x1b[J")
	}
	for _, r := range rows[same:] {
		b.WriteString(lineEnd[newline] + r.text)
		newline = !r.goesOn
	}
	e.above, e.rowsBelow, e.drawn = changing, 0, drawn
	if drawn || len(changing) == 0 {
		b.WriteString(lineEnd[newline])
	}
	if drawn {
		b.WriteString(e.line())
	}
	text := b.String()
	if at > same+1 {
		text = beginUpdate + text + endUpdate
	}
	e.write(text)
}

var lineEnd = map[bool]string{true: "\r\n"}

// What has a terminal show at once all that is between. One that does not know it shows it as ever.
// (gist.github.com/christianparpart, Terminal Spec: Synchronized Output)
const (
	beginUpdate = "\x1b[?2026h"
	endUpdate   = "\x1b[?2026l"
)

// sameRows is how many rows are on the screen as they are to be. Rows that go on are written with
// the next one, so that the terminal breaks them, and the last one where the cursor is to stand
// behind it.
func sameRows(rows, shown []row, behind bool) (n int) {
	for n < min(len(rows), len(shown)) && rows[n] == shown[n] {
		n++
	}
	if n == len(rows) && n > 0 && !behind {
		n--
	}
	for n > 0 && rows[n-1].goesOn {
		n--
	}
	return n
}

// line draws the line from the beginning of a row, and notes the cursor's row. Of a line that is
// higher than the screen it draws what is around the cursor. The caller holds mu.
func (e *lineEditor) line() string {
	l := layout{width: e.width, rows: []string{e.style.prompt + prompt + e.style.reset}, column: len(prompt)}
	l.add(e.before)
	if l.column >= l.width {
		l.newRow() // for the cursor
	}
	e.row = len(l.rows) - 1
	left := l.rows[e.row]
	l.add(e.after)
	most := max(1, e.height-1-len(e.above))
	first := min(e.row, max(0, len(l.rows)-most))
	rows := l.rows[first:min(first+most, len(l.rows))]
	e.row -= first
	e.rowsBelow = len(rows) - 1 - e.row
	text := strings.Join(rows, "\r\n")
	if e.after != "" {
		text += up(e.rowsBelow) + "\r" + left
	}
	if l.composed {
		// no row is longer than the screen, whatever width the terminal gives them
		text = "\x1b[?7l" + text + "\x1b[?7h"
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

// up moves the cursor up.
func up(rows int) string {
	if rows <= 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA", rows)
}
