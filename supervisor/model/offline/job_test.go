package offline

import (
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/job"
	"mews/supervisor/sqlite"
)

// What a reminder has said before is no part of what the person says.
func TestAReminderIsNotWhatThePersonSays(t *testing.T) {
	said, _ := job.Told(
		[]sqlite.FireTold{{Kind: supervisor.JobReminder, Due: time.Now(), Text: "list my files"}},
		time.UTC,
	)
	words, _ := split(protocol.Message{Role: protocol.RoleUser, Parts: []protocol.Part{{Text: said}, {Text: "hi"}}})
	if words != "hi" {
		t.Errorf("the person says %q", words)
	}
}
