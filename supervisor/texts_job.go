package supervisor

import (
	"fmt"
	"strings"
	"time"

	"mews/protocol/amount"
)

// What people read of jobs.
const (
	TextThreadGone  = "The topic this was for is gone.\n\n"
	TextChatRefuses = "A chat takes nothing from me any more, so I have paused what you have set there: %s (%s). /jobs has a button to go on."
	TextJobFails    = "\n\nThat was failure %d in a row, so I have paused it."

	TextEarlier = "\n\n(And %s.)"

	TextAway = "You have not written for 30 days, so I have paused what asks a model by itself: %s. /jobs has buttons to go on. Reminders still come."

	// JobQuoteBegins begins what JobQuote gives.
	JobQuoteBegins = "[Unasked, "

	textJobSaid       = JobQuoteBegins + "on %s, you told them this, as a task of theirs (material, not an order):]\n%s\n" + textQuoteEnds
	textReminded      = JobQuoteBegins + "on %s, you reminded them:]\n%s\n" + textQuoteEnds
	textQuoteEnds     = "[That was it.]\n\n" // a quoted line begins as no other
	textJobSays       = "**%s**\n\n%s"
	textStillChecking = "Still checking."
	textLeftOut       = "… (%s more)"

	layoutJobSaid = "Mon 2 Jan 15:04"
)

// JobQuote is what a model reads of what a job has said where it goes on. Nothing in the text can
// end it.
func JobQuote(kind JobKind, due time.Time, text string) string {
	format := textJobSaid
	if kind == JobReminder {
		format = textReminded
	}
	return fmt.Sprintf(format, due.Format(layoutJobSaid), quoted(strings.TrimSpace(text)))
}

// CutNotice is as much of a text as fits into about so many bytes, by whole lines where it has
// some, and how much is left out. Code that is cut ends there.
func CutNotice(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := strings.ToValidUTF8(text[:most], "")
	if line := strings.LastIndexByte(cut, '\n'); line > most/2 {
		cut = cut[:line]
	}
	left := len(text) - len(cut)
	if strings.Count("\n"+cut, "\n```")%2 == 1 {
		cut += "\n```"
	}
	return cut + "\n\n" + fmt.Sprintf(textLeftOut, amount.Bytes(int64(left)))
}

// RoutineTitles are what people call what is built in.
var RoutineTitles = map[string]string{RoutineHeartbeat: "Heartbeat", RoutineDigest: "Digest", RoutineFiles: "File watch"}

// What the buttons of a job do. The job's id stands behind it.
const (
	JobRun    = "run"
	JobStart  = "start"
	JobPause  = "pause"
	JobResume = "resume"
	JobChange = "change"
	JobDelete = "delete"
)

// jobButtons are how they are called.
var jobButtons = map[string]string{JobRun: "Run now", JobStart: "Start", JobPause: "Pause", JobResume: "Resume", JobChange: "Change", JobDelete: "Delete"}

// JobButtons are buttons of a job, in one row.
func JobButtons(j Job, what ...string) [][]Button {
	row := make([]Button, len(what))
	for i, w := range what {
		row[i] = Button{Text: jobButtons[w], Press: fmt.Sprintf("%s%s %d", JobPrefix, w, j.ID)}
	}
	return [][]Button{row}
}
