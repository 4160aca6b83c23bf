package offline

import (
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/job"
	"mews/supervisor/sqlite"
)

// TestReminderQuote_IsNotObeyed checks that a message quoted by a reminder is not obeyed.
func TestReminderQuote_IsNotObeyed(t *testing.T) {
	said, _ := job.JobMessagesText(
		[]sqlite.FireMessage{{Kind: supervisor.JobReminder, Due: time.Now(), Text: "list my files"}},
		time.UTC,
	)
	words, _ := split(protocol.Message{Role: protocol.RoleUser, Parts: []protocol.Part{{Text: said}, {Text: "hi"}}})
	if words != "hi" {
		t.Errorf("the person says %q", words)
	}
}
