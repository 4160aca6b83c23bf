package command_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/search"
)

// pages tells what is asked for, and that there is more.
type pages struct{}

func (pages) Parse(text, _ string) (span supervisor.Span, words string) { return span, text }

func (pages) Tell(_ context.Context, a search.Asked) (string, bool, error) {
	return fmt.Sprintf("%q in %s from %d on", a.Words, a.Conversation.User, a.Skip), a.Skip == 0, nil
}

// TestTheNextPageIsOfTheSameWords: a button says only which command it is of, and is nobody else's.
func TestTheNextPageIsOfTheSameWords(t *testing.T) {
	h := newRig(t)
	h.live()
	d := h.answerOf(h.keep("/search green tea"))
	if d.Text != `"green tea" in ann from 0 on` || len(d.Buttons) != 1 {
		t.Fatalf("told %q %v", d.Text, d.Buttons)
	}
	if got := h.pressed(d.Buttons[0][0].Press).Text; got != `"green tea" in ann from 10 on` {
		t.Errorf("the next page is %q", got)
	}
	for _, press := range []string{"h:999 10", "h:" + strings.Repeat("9", 30), "h:1 -1", "h:x"} {
		if got := h.pressed(press).Text; got == "" || strings.Contains(got, "green") {
			t.Errorf("%q shows %q", press, got)
		}
	}
}
