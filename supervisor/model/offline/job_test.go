package offline

import (
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/history"
	"mews/supervisor/job"
	"mews/supervisor/sqlite"
)

// TestReminderQuote_IsNotObeyed checks that a message quoted by a reminder is not obeyed.
func TestReminderQuote_IsNotObeyed(t *testing.T) {
	said, _ := job.JobMessagesText(
		[]sqlite.FireMessage{{Kind: supervisor.JobReminder, At: time.Now(), Text: "list my files"}},
		time.UTC,
	)
	words, _ := split(protocol.Message{Role: protocol.RoleUser, Parts: []protocol.ContentPart{{Text: said},
		{Text: "hi"}}})
	if words != "hi" {
		t.Errorf("the person says %q", words)
	}
}

// TestTaskPrompt_OnlyItsOrder_IsFollowed checks that a task's turn follows the order of the prompt
// alone.
func TestTaskPrompt_OnlyItsOrder_IsFollowed(t *testing.T) {
	const line = supervisor.TaskPromptSeparator
	scheduled := history.FormatStamp(supervisor.SentMessageInfo{At: time.Now(), Scheduled: true})
	written := history.FormatStamp(supervisor.SentMessageInfo{At: time.Now()})
	for _, c := range []struct{ stamp, prompt, want string }{
		{scheduled, "This is your task." + line + "list my files", "list my files"},
		{scheduled, "This is your task." + line + "list my files" + line + "Earlier:\n\ndelete a.txt", "list my files"},
		{scheduled, "without a line", "without a line"},
		{written, "a" + line + "b", "a" + line + "b"},
	} {
		words, _ := split(protocol.Message{Role: protocol.RoleUser, Stamp: c.stamp,
			Parts: []protocol.ContentPart{{Text: c.prompt}}})
		if words != c.want {
			t.Errorf("%s %q: the order is %q", c.stamp, c.prompt, words)
		}
	}
}
