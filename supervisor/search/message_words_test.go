package search

import (
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/job"
	"mews/supervisor/sqlite"
)

// Messages of jobs before a user's words are not shown as the user's words.
func TestMessageWords_JobMessages_AreMarked(t *testing.T) {
	quoted, _ := job.JobMessagesText([]sqlite.FireMessage{{Kind: supervisor.JobReminder, Text: "Müll raus"}}, time.UTC)
	message := func(role protocol.Role, texts ...string) (m supervisor.HistoryMessage) {
		m.Role = role
		for _, text := range texts {
			m.Parts = append(m.Parts, protocol.ContentPart{Text: text})
		}
		return m
	}
	for want, m := range map[string]supervisor.HistoryMessage{
		"done, thanks [Mews had sent: Müll raus]": message(protocol.RoleUser, quoted, "done, thanks"),
		"hello":               message(protocol.RoleUser, "hello"),
		quoted + "I wrote it": message(protocol.RoleAssistant, quoted, "I wrote it"),
	} {
		if got := messageWords(m); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
