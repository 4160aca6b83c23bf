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

// prompt precedes the line that is being typed.
const prompt = "> "

// lineEditor edits the line of a terminal in raw mode, below other output. A visible character
// counts as one character, even if it has several code points. Its width is the width that Unicode
// defines (UAX #29 and #11). The editor breaks rows itself, and moves the cursor by writing the
// text before it. So only the character itself looks wrong in a terminal that uses another width.
type lineEditor struct {
	keys        *bufio.Reader
	out         io.Writer
	onInterrupt func() // called for Ctrl-C in an empty line
	history     *lineHistory
	style       style
	// hook for a text pasted into an empty line; returns true if it has handled the text; may be
	// nil
	onPaste func(text string) bool
	// hook, called with mu held when the rows above become final
	onAboveFinal func()

	// mu guards the fields below, and the screen rows above the typed line. Only ReadLine changes
	// the fields before and after.
	mu            sync.Mutex
	commands      []string // names of commands for Tab, without slashes
	width, height int
	before, after string // typed text, on both sides of the cursor
	recalled      int    // number of the shown history line, from 1; 0 means the typed line
	unsent        string // the typed line, while a history line is shown
	prompted      bool   // the prompt is shown even in an empty line
	above         []row  // rows above the typed line that later output may still change
	drawn         bool   // the typed line is on the screen
	row           int    // row of the typed line that has the cursor
	rowsBelow     int    // rows of the typed line below the cursor
}

// ReadLine returns the line that a user types, at Enter. For Ctrl-D in an empty line it returns
// io.EOF.
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
			e.onInterrupt()
		case k.pasted && empty && e.onPaste != nil && e.onPaste(k.text):
		case k.name == enter:
			return e.accept(), nil
		default:
			e.edit(k)
		}
	}
}

// accept ends the line. The line stays on the screen, and the next output begins below it.
func (e *lineEditor) accept() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	text, height := e.before+e.after, e.height
	// draws all rows, even if the line is higher than the screen
	e.before, e.after, e.height = text, "", math.MaxInt
	e.draw(nil, e.above)
	e.height = height
	e.finishAbove()
	e.write("\r\n")
	e.history.Add(text)
	e.before, e.recalled = "", 0
	e.prompted, e.drawn = false, false
	return text
}

// edit handles a key. If more keys follow at once, the line is drawn only after the last key.
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

// print writes rows above the line. changing are further rows that the next call replaces. prompted
// shows the prompt even in an empty line. The caller holds mu.
func (e *lineEditor) print(rows, changing []row, prompted bool) {
	e.prompted = prompted
	e.draw(rows, changing)
}

// resize sets the terminal's size. Some terminals have rewrapped their rows by then, so resize
// changes nothing above the line. The caller holds mu.
func (e *lineEditor) resize(width, height int) {
	e.width, e.height = width, height
	if e.finishAbove(); e.drawn {
		e.draw(nil, nil)
	}
}

// finishAbove makes the rows above the typed line final: later output does not change them.
func (e *lineEditor) finishAbove() {
	if len(e.above) == 0 {
		return
	}
	if !e.drawn {
		e.write("\r\n")
	}
	e.above = nil
	e.onAboveFinal()
}

// leave puts the cursor below everything on the screen.
func (e *lineEditor) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.write(strings.Repeat("\n", e.rowsBelow) + e.style.reset + "\r\n")
}

// draw writes rows above the line, and the line. It begins with the first row that differs from the
// screen, and writes everything at once to avoid flicker. The caller holds mu.
func (e *lineEditor) draw(rows, changing []row) {
	rows = slices.Concat(rows, changing)
	drawn := e.prompted || e.before+e.after != ""
	same := sameRows(rows, e.above, drawn || len(changing) == 0)
	at := max(0, len(e.above)-1) // index of the cursor's row, counted from the first of the rows in above
	if e.drawn {
		at = len(e.above) + e.row
	}
	var b strings.Builder
	newline := at < same // a newline is needed before the next row
	if !newline && (e.drawn || len(e.above) > 0) {
		b.WriteString(up(at-same) + "\r\x1b[J")
	}
	for _, r := range rows[same:] {
		b.WriteString(lineEnd[newline] + r.text)
		newline = !r.continues
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

// Sequences around output that the terminal shows at once. Other terminals ignore these sequences.
// (gist.github.com/christianparpart, Terminal Spec: Synchronized Output)
const (
	beginUpdate = "\x1b[?2026h"
	endUpdate   = "\x1b[?2026l"
)

// sameRows returns how many rows are already right on the screen. A row that continues in the next
// row is written together with the next row, so that the terminal wraps both. If the cursor must be
// behind the last row, that row is written too.
func sameRows(rows, shown []row, behind bool) (n int) {
	for n < min(len(rows), len(shown)) && rows[n] == shown[n] {
		n++
	}
	if n == len(rows) && n > 0 && !behind {
		n--
	}
	for n > 0 && rows[n-1].continues {
		n--
	}
	return n
}

// line draws the line from the beginning of a row, and notes the cursor's row. If the line is
// higher than the screen, it draws the part around the cursor. The caller holds mu.
func (e *lineEditor) line() string {
	l := layout{width: e.width, rows: []string{e.style.prompt + prompt + e.style.reset}, column: len(prompt)}
	l.add(e.before)
	if l.column >= l.width {
		l.newRow() // the last row is full, so the cursor needs an empty row
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
		// Turn off the terminal's line wrapping, so that no row is longer than the screen, even if
		// the terminal uses other widths for characters.
		text = "\x1b[?7l" + text + "\x1b[?7h"
	}
	return text
}

// write writes to the terminal. Errors are ignored: reading from a broken terminal fails too.
func (e *lineEditor) write(text string) { _, _ = io.WriteString(e.out, text) }

// layout breaks text into rows.
type layout struct {
	width    int
	rows     []string
	column   int  // column at which the last row ends
	composed bool // some characters of the text have several code points
}

// add appends text.
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

// up returns the sequence that moves the cursor up.
func up(rows int) string {
	if rows <= 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA", rows)
}
