package openai

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thinkFilter removes tagged thinking from the beginning of a text that comes in pieces. It passes
// all other text to emit.
type thinkFilter struct {
	emit   func(string)
	state  func(*thinkFilter, string) // the current state; nil at the beginning
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
		t.state, t.held = (*thinkFilter).skipSpace, ""
		t.skipSpace(after)
		return
	}
	keep := min(len(t.held), len(thinkClose)-1) // the held bytes may begin the closing tag
	t.held = t.held[len(t.held)-keep:]
}

// skipSpace skips white space before the text.
func (t *thinkFilter) skipSpace(text string) {
	if text = strings.TrimLeft(text, " \t\r\n"); text != "" {
		t.state = (*thinkFilter).pass
		t.emit(text)
	}
}

func (t *thinkFilter) pass(text string) { t.emit(text) }

// close ends the text. It passes on the held text, because that was no thinking.
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
