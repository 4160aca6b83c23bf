package openai

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thinkFilter takes tagged thinking out of the beginning of a text that comes in pieces. It passes
// the rest on to emit.
type thinkFilter struct {
	emit   func(string)
	state  func(*thinkFilter, string) // nil: at the beginning
	held   string
	opened bool
}

func (t *thinkFilter) write(text string) {
	if t.state == nil {
		t.state = (*thinkFilter).begin
	}
	t.state(t, text)
}

func (t *thinkFilter) begin(text string) {
	t.held += text
	switch start := strings.TrimLeft(t.held, " \t\r\n"); {
	case strings.HasPrefix(start, thinkOpen):
		t.state, t.held, t.opened = (*thinkFilter).inside, "", true
		t.inside(start[len(thinkOpen):])
	case !strings.HasPrefix(thinkOpen, start):
		t.state = (*thinkFilter).pass
		t.flush()
	}
}

func (t *thinkFilter) inside(text string) {
	t.held += text
	_, after, ended := strings.Cut(t.held, thinkClose)
	if ended {
		t.state, t.held = (*thinkFilter).gap, ""
		t.gap(after)
		return
	}
	keep := min(len(t.held), len(thinkClose)-1) // it may be the beginning of the end
	t.held = t.held[len(t.held)-keep:]
}

// gap is the white space before the text.
func (t *thinkFilter) gap(text string) {
	if text = strings.TrimLeft(text, " \t\r\n"); text != "" {
		t.state = (*thinkFilter).pass
		t.emit(text)
	}
}

func (t *thinkFilter) pass(text string) { t.emit(text) }

// close ends the text. It passes on what was held back and was no thinking.
func (t *thinkFilter) close() {
	if !t.opened {
		t.flush()
	}
}

func (t *thinkFilter) flush() {
	held := t.held
	if t.held = ""; held != "" {
		t.emit(held)
	}
}
