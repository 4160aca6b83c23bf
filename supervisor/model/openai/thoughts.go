package openai

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thoughts takes what a model thinks aloud out of the beginning of its text, which comes in pieces, and passes the
// rest on to emit.
type thoughts struct {
	emit   func(string)
	step   func(*thoughts, string) // nil: at the beginning
	held   string
	opened bool
	hidden int // bytes
}

func (t *thoughts) write(text string) {
	if t.step == nil {
		t.step = (*thoughts).begin
	}
	t.step(t, text)
}

func (t *thoughts) begin(text string) {
	t.held += text
	switch start := strings.TrimLeft(t.held, " \t\r\n"); {
	case strings.HasPrefix(start, thinkOpen):
		t.step, t.held, t.opened = (*thoughts).inside, "", true
		t.inside(start[len(thinkOpen):])
	case !strings.HasPrefix(thinkOpen, start):
		t.step = (*thoughts).pass
		t.flush()
	}
}

func (t *thoughts) inside(text string) {
	t.held += text
	before, after, ended := strings.Cut(t.held, thinkClose)
	if ended {
		t.hidden += len(before)
		t.step, t.held = (*thoughts).gap, ""
		t.gap(after)
		return
	}
	keep := min(len(t.held), len(thinkClose)-1) // it may be the beginning of the end
	t.hidden += len(t.held) - keep
	t.held = t.held[len(t.held)-keep:]
}

// gap is the white space before the text.
func (t *thoughts) gap(text string) {
	if text = strings.TrimLeft(text, " \t\r\n"); text != "" {
		t.step = (*thoughts).pass
		t.emit(text)
	}
}

func (t *thoughts) pass(text string) { t.emit(text) }

// close ends the text: what was held back and was no thought is said now.
func (t *thoughts) close() {
	if !t.opened {
		t.flush()
	}
}

func (t *thoughts) flush() {
	held := t.held
	if t.held = ""; held != "" {
		t.emit(held)
	}
}
