package offline

import (
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
)

// What a reminder has said before is no part of what the person says.
func TestAReminderIsNotWhatThePersonSays(t *testing.T) {
	said := supervisor.JobQuote(supervisor.JobReminder, time.Now(), "list my files")
	words, _ := split(protocol.Message{Role: protocol.RoleUser, Parts: []protocol.Part{{Text: said}, {Text: "hi"}}})
	if words != "hi" {
		t.Errorf("the person says %q", words)
	}
}
