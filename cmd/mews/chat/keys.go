package chat

import (
	"bufio"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

const (
	ctrlC = "\x03"
	ctrlD = "\x04"
	enter = "\r"

	// Sequences for bracketed paste: a sequence that turns the mode on, and the marks around a
	// pasted text (invisible-island.net, ctlseqs: bracketed paste mode).
	markPastes = "\x1b[?2004h"
	noMarks    = "\x1b[?2004l"
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// key is one input from a keyboard: a named key, or typed or pasted text.
type key struct {
	name, text string
	pasted     bool
}

// keyActions are the keys that edit the line or move in it, as in GNU readline.
var keyActions = map[string]func(*lineEditor){
	ctrlC:       func(e *lineEditor) { e.before, e.after, e.recalled = "", "", 0 },
	ctrlD:       (*lineEditor).deleteForward,
	"\x1b[3~":   (*lineEditor).deleteForward, // Delete
	"\x7f":      func(e *lineEditor) { e.before = e.before[:lastCluster(e.before)] },
	"\b":        func(e *lineEditor) { e.before = e.before[:lastCluster(e.before)] },
	"\x0b":      func(e *lineEditor) { e.after = "" },                              // Ctrl-K
	"\x15":      func(e *lineEditor) { e.before = "" },                             // Ctrl-U
	"\x17":      func(e *lineEditor) { e.before = e.before[:wordBegin(e.before)] }, // Ctrl-W
	"\x1b\x7f":  func(e *lineEditor) { e.before = e.before[:wordBegin(e.before)] }, // Alt-Backspace
	"\x1bd":     func(e *lineEditor) { e.after = e.after[wordEnd(e.after):] },      // Alt-D
	"\t":        (*lineEditor).complete,
	"\x0c":      (*lineEditor).clearScreen, // Ctrl-L
	"\x01":      (*lineEditor).toBegin,
	"\x1b[H":    (*lineEditor).toBegin,
	"\x1bOH":    (*lineEditor).toBegin,
	"\x1b[1~":   (*lineEditor).toBegin,
	"\x05":      (*lineEditor).toEnd,
	"\x1b[F":    (*lineEditor).toEnd,
	"\x1bOF":    (*lineEditor).toEnd,
	"\x1b[4~":   (*lineEditor).toEnd,
	"\x02":      (*lineEditor).left,
	"\x1b[D":    (*lineEditor).left,
	"\x1bOD":    (*lineEditor).left,
	"\x06":      (*lineEditor).right,
	"\x1b[C":    (*lineEditor).right,
	"\x1bOC":    (*lineEditor).right,
	"\x1bb":     (*lineEditor).wordLeft,
	"\x1b[1;3D": (*lineEditor).wordLeft, // Alt-Left
	"\x1b[1;5D": (*lineEditor).wordLeft, // Ctrl-Left
	"\x1bf":     (*lineEditor).wordRight,
	"\x1b[1;3C": (*lineEditor).wordRight,
	"\x1b[1;5C": (*lineEditor).wordRight,
	"\x10":      (*lineEditor).earlier,
	"\x1b[A":    (*lineEditor).earlier,
	"\x1bOA":    (*lineEditor).earlier,
	"\x0e":      (*lineEditor).later,
	"\x1b[B":    (*lineEditor).later,
	"\x1bOB":    (*lineEditor).later,
}

func (e *lineEditor) toBegin()       { e.moveTo(0) }
func (e *lineEditor) toEnd()         { e.moveTo(len(e.before + e.after)) }
func (e *lineEditor) left()          { e.moveTo(lastCluster(e.before)) }
func (e *lineEditor) right()         { e.moveTo(len(e.before) + firstCluster(e.after)) }
func (e *lineEditor) wordLeft()      { e.moveTo(wordBegin(e.before)) }
func (e *lineEditor) wordRight()     { e.moveTo(len(e.before) + wordEnd(e.after)) }
func (e *lineEditor) earlier()       { e.recall(e.recalled + 1) }
func (e *lineEditor) later()         { e.recall(e.recalled - 1) }
func (e *lineEditor) deleteForward() { e.after = e.after[firstCluster(e.after):] }

// clearScreen clears the screen except the line and the changing rows above it.
func (e *lineEditor) clearScreen() {
	e.write("\x1b[H\x1b[2J")
	above := e.above
	e.above, e.drawn = nil, false
	e.draw(nil, above)
}

// moveTo puts the cursor before byte n of the line.
func (e *lineEditor) moveTo(n int) {
	text := e.before + e.after
	e.before, e.after = text[:n], text[n:]
}

// recall shows a line of the history. 1 is the newest, and 0 is the typed line.
func (e *lineEditor) recall(n int) {
	if n < 0 || n > e.history.Len() {
		return
	}
	if e.recalled == 0 {
		e.unsent = e.before + e.after
	}
	e.recalled, e.before, e.after = n, e.unsent, ""
	if n > 0 {
		e.before = e.history.At(n - 1)
	}
}

// lastCluster returns the index of the last character of a text.
func lastCluster(text string) (begin int) {
	for n := 0; n < len(text); n += firstCluster(text[n:]) {
		begin = n
	}
	return begin
}

// firstCluster returns the size of the first character of a text, in bytes.
func firstCluster(text string) int {
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(text, -1)
	return len(cluster)
}

// wordBegin returns the index of the last word of a text. wordEnd returns the end of the first
// word.
func wordBegin(text string) int {
	return len(strings.TrimRightFunc(strings.TrimRightFunc(text, unicode.IsSpace), noSpace))
}

func wordEnd(text string) int {
	return len(text) - len(strings.TrimLeftFunc(strings.TrimLeftFunc(text, unicode.IsSpace), noSpace))
}

func noSpace(r rune) bool { return !unicode.IsSpace(r) }

// readKey waits for a key.
func readKey(in *bufio.Reader) (key, error) {
	r, _, err := in.ReadRune()
	switch {
	case err != nil:
		return key{}, err
	case r == '\n':
		return key{name: enter}, nil
	case r == '\x1b':
		return readSequence(in)
	case unicode.IsControl(r):
		return key{name: string(r)}, nil
	}
	return key{text: string(r)}, nil
}

// readSequence reads the rest after an ESC: a key with Alt, or a sequence (ECMA-48, 5.4).
func readSequence(in *bufio.Reader) (key, error) {
	name := "\x1b"
	for {
		r, _, err := in.ReadRune()
		if err != nil {
			return key{}, err
		}
		begins := name == "\x1b" && (r == '[' || r == 'O')
		switch name += string(r); {
		case name == pasteBegin:
			return readPaste(in)
		case r == '\x1b':
			name = "\x1b"
		case !begins && (r >= '@' || len(name) == len("\x1b ")):
			return key{name: name}, nil
		}
	}
}

// readPaste reads a pasted text.
func readPaste(in *bufio.Reader) (key, error) {
	var text strings.Builder
	for !strings.HasSuffix(text.String(), pasteEnd) {
		b, err := in.ReadByte()
		if err != nil {
			return key{}, err
		}
		text.WriteByte(b)
	}
	lines := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimSuffix(text.String(), pasteEnd))
	return key{text: stripControls(strings.ToValidUTF8(lines, "\ufffd")), pasted: true}, nil
}
