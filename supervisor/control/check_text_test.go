package control_test

import (
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/control"
	"mews/supervisor/problem"
)

// TestCheckText_Invalid_ExplainsFault checks that the refusal of a text says what is wrong, and
// what to do.
func TestCheckText_Invalid_ExplainsFault(t *testing.T) {
	chat := control.NewChat("nowhere", control.JoinChatRequest{}, nil)
	for text, want := range map[string]string{
		strings.Repeat("x", supervisor.MaxInboundText+1): "more than 256 KiB, which is all that can be sent at once. Put it into a file",
		"caf\xe9": "not text in UTF-8: convert it first",
	} {
		if _, err := chat.SendMessage(t.Context(), "key", text); !strings.Contains(problem.UserText(err), want) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
}
