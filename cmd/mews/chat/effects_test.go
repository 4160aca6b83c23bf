package chat

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/control"
)

// The effects are dim, below an answer that grew or came at once. A file's name can't move the
// cursor.
func TestEffectLines_AreDimBelowAnswer(t *testing.T) {
	for _, grows := range []bool{true, false} {
		w := newWatcher(t, 60, 12)
		var out strings.Builder
		w.line.out = &out
		if grows {
			w.say("All is done.")
		}
		w.ShowDelivery(control.Delivery{Kind: supervisor.DeliveryAnswer, Inbound: 1, Text: "All is done.",
			At:      time.Now(),
			Effects: []string{"edited a.md 2 times", "ran \x1b[2Jmake"}})
		for _, want := range []string{w.style.dim + "What I did:", w.style.dim + "edited a.md 2 times", w.style.dim + "ran [2Jmake"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("grows %t: %q lacks %q", grows, out.String(), want)
			}
		}
		if text := out.String(); strings.Index(text, "All is done.") > strings.Index(text, "What I did:") {
			t.Errorf("grows %t: it stands above the answer: %q", grows, text)
		}
	}
}
