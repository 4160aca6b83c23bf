package schedule

import (
	"testing"

	"mews/supervisor"
)

// A page must not cancel a job because the user's words have a number or a common word.
func TestMentions_JobName_IsFound(t *testing.T) {
	j := supervisor.Job{ID: 3, Kind: supervisor.JobReminder, Text: "Do my taxes", Name: "office"}
	for words, want := range map[string]bool{
		"read these 3 pages":             false,
		"check the page about taxes":     false,
		"read the page about taxes":      false,
		"cancel reminder 4, see 3 pages": false,
		"cancel #31":                     false,
		"cancel #3":                      true,
		"cancel (#3), please":            true,
		"cancel reminder 3":              true,
		"lösch die Erinnerung 3":         true,
		"drop the reminder about taxes":  true,
		"cancel the office routine":      true,
	} {
		if got := mentions(words, j); got != want {
			t.Errorf("%q: got %t", words, got)
		}
	}
}
