package control_test

import (
	"slices"
	"testing"

	"mews/supervisor/control"
)

// talk returns the next n lines and deliveries. Lines begin with a mark.
func (v *client) talk(h *rig, n int) (said []string) {
	h.Helper()
	for len(said) < n {
		switch e := next[any](h, v).(type) {
		case control.Line:
			said = append(said, "> "+e.Text)
		case control.Delivery:
			said = append(said, e.Text)
		}
	}
	return said
}

// Each client sees the other's lines once, in order with the answers, and not its own. After a
// restart of the supervisor it sees those that it missed.
func TestTwoClients_EachSeesOthersLinesInOrder(t *testing.T) {
	h := newRig(t)
	end := h.live()
	first := h.attach(control.JoinChatRequest{After: control.StartFromNow})
	second := h.attach(control.JoinChatRequest{After: control.StartFromNow})
	other := h.attach(control.JoinChatRequest{Chat: "work", After: control.StartFromNow})
	check := func(who string, v *client, want ...string) {
		t.Helper()
		if got := v.talk(h, len(want)); !slices.Equal(got, want) {
			t.Errorf("%s saw %q, want %q", who, got, want)
		}
	}
	first.say(h, "how many?")
	check("the second", second, "> how many?") // before there is an answer
	h.answer("seven")
	first.say(h, "why?")
	h.answer("it rains")
	second.say(h, "when?")
	h.answer("today")
	check("the second", second, "seven", "> why?", "it rains", "today")
	check("the first", first, "seven", "it rains", "> when?", "today")

	end()
	next[lost](h, first)
	next[lost](h, second)
	end = h.live()
	next[attached](h, first)
	first.say(h, "still there?")
	next[attached](h, second)
	h.answer("yes")
	check("the second", second, "> still there?", "yes")
	check("the first", first, "yes")
	if rest := append(first.rest(), append(second.rest(), other.rest()...)...); len(rest) > 0 {
		t.Errorf("said twice, or in another conversation: %q", rest)
	}
	end()
}
