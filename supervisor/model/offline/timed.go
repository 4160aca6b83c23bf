package offline

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"mews/supervisor/recurrence"
)

// timing says how a message names a time.
type timing string

const (
	timedReminder timing = "reminder" // a time and words, in any order
	timedTask     timing = "task"     // a repeated time, and an order of another rule
)

// toolSchedule is the tool that sets reminders and tasks.
const toolSchedule = "schedule_task"

// readAt is an arbitrary moment, for which this package reads times. The package only finds out
// whether a text is a time, which does not depend on the moment. The tool reads the time again at
// the real moment.
var readAt = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// splitTime splits the text of a message into its time and the rest. ok is false if there is no
// time, or if a task's text is no order.
func splitTime(how timing, v values) (_ values, ok bool) {
	words := strings.TrimSpace(v["text"])
	if how == timedTask {
		return splitTask(words)
	}
	if v["wake"] != "" {
		for _, when := range []string{words, "at " + words} {
			if isTime(when) {
				return values{"kind": "reminder", "when": when, "text": textWake}, true
			}
		}
	}
	when, text, ok := splitWords(words)
	return values{"kind": "reminder", "when": when, "text": trimPoliteEnd(text, "")}, ok && text != ""
}

// splitWords does the work of recurrence.Split for words whose colon may belong to the text: "every
// day at 8 take a note: x".
func splitWords(words string) (when, text string, ok bool) {
	when, text, ok = recurrence.SplitTimeAndText(words, readAt, recurrence.UnknownDateOrder)
	head, tail, colon := strings.Cut(words, ":")
	if !ok || !colon || isTime(when) {
		return when, text, ok
	}
	if at, begun, found := recurrence.SplitTimeAndText(head, readAt, recurrence.UnknownDateOrder); found &&
		strings.HasSuffix(head,
			begun) {
		return at, begun + ":" + tail, true
	}
	return when, text, ok
}

// splitTask splits a repeated task. After a colon any words may follow, which are then the text of
// a reminder. A time at the end must not be a part of a text that the order would write.
func splitTask(words string) (_ values, ok bool) {
	when, text, ok := splitWords(words)
	if !ok || !isTime(when) {
		return nil, false
	}
	order, inner := findRule(text, false)
	begins := strings.HasPrefix(words, when)
	switch {
	case order != nil && (order.tool != "" || order.clock) && (begins || inner["text"] == ""):
		return values{"kind": "task", "when": when, "text": text}, true
	case order == nil && begins && strings.HasPrefix(words[len(when):], ":"):
		return values{"kind": "reminder", "when": when, "text": text}, true
	}
	return nil, false
}

// isTime reports whether words are a time, although perhaps one that is past or ambiguous.
func isTime(words string) bool {
	_, err := recurrence.Parse(words, readAt)
	return !errors.Is(err, recurrence.ErrUnreadableTime)
}

// jobArguments returns the arguments of a call that sets a reminder or task.
func jobArguments(v values) map[string]any {
	return map[string]any{"kind": v["kind"], "when": v["when"], "text": v["text"]}
}

// cardPattern matches the tool's remarks about the card, which are for a model.
var cardPattern = regexp.MustCompile(`\s*They see a card of it\.`)

func tellJob(v values, result string) string {
	text := cardPattern.ReplaceAllString(result, "")
	text, _, waits := strings.Cut(text, toolWaits)
	if waits {
		text += " " + textPressStart
	}
	return tellDone(v, text)
}

func tellJobs(_ values, result string) string {
	if strings.TrimSpace(result) == toolNone {
		return textNoJobs
	}
	return fmt.Sprintf(textJobs, fence(result))
}

// Layouts of times: the beginning of protocol.Message.Stamp, and the time in an answer.
const (
	stampLayout = "[Mon 2 Jan 2006 15:04"
	clockLayout = "15:04 on Monday, 2 January 2006"
)

// clockText tells the time at which a message was sent.
func clockText(stamp string) string {
	head, _, _ := strings.Cut(stamp, ",")
	at, err := time.Parse(stampLayout, head)
	if err != nil {
		return textNoClock
	}
	return fmt.Sprintf(textClock, at.Format(clockLayout))
}
