package job

import (
	"fmt"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/internal/quotes"
	"mews/supervisor/sqlite"
)

// Title returns a job's title: its name, or the beginning of its text. Routines have fixed titles.
func Title(j supervisor.Job) string {
	switch title := RoutineTitles[j.Name]; {
	case j.Kind == supervisor.JobRoutine && title != "":
		return title
	case j.Name != "":
		return j.Name
	}
	line, _, _ := strings.Cut(strings.TrimSpace(j.Text), "\n")
	if runes := []rune(line); len(runes) > supervisor.MaxJobName/2 {
		line = string(runes[:supervisor.MaxJobName/2-1]) + "…"
	}
	return line
}

// TitledMessage returns a job's message below the job's title. It leaves out the title if the
// message begins with it.
func TitledMessage(j supervisor.Job, said string) supervisor.Delivery {
	if text := strings.TrimSpace(j.Text); j.Name != "" || text == "" || !strings.HasPrefix(said+"\n", text+"\n") {
		said = fmt.Sprintf(textSays, Title(j), said)
	}
	return supervisor.Delivery{
		Text:   said,
		Silent: j.Options.Priority == supervisor.JobPriorityLow,
		Urgent: j.Options.Priority == supervisor.JobPriorityHigh,
	}
}

// UnmetCheckText returns the notice about a check with an unmet condition. "" means no notice.
func UnmetCheckText(j supervisor.Job, found string) string {
	if !j.Options.Check.NotifyOnCheck {
		return ""
	}
	return strings.TrimSpace(textStillChecking + "\n" + found)
}

// AddPausedNote adds to a notice that the job is paused after failures, with buttons.
func AddPausedNote(j supervisor.Job, failures int, d supervisor.Delivery) supervisor.Delivery {
	d.Text += fmt.Sprintf(textFails, failures)
	d.Buttons = Buttons(j, supervisor.JobPressRun, supervisor.JobPressResume, supervisor.JobPressDelete)
	return d
}

// PausedWhileAwayText returns the notice to an absent user about paused jobs.
func PausedWhileAwayText(paused int64) string {
	return fmt.Sprintf(textAway, amount.Plural(paused, "task", "tasks"))
}

// WaitingJobsText returns the notice about jobs that wait because a chat refuses messages. The
// argument why is the chat's reason.
func WaitingJobsText(waiting int64, why string) string {
	return fmt.Sprintf(textChatRefuses, why, amount.Plural(waiting, "reminder or task", "reminders and tasks"))
}

// DeletedTopicText returns the text of a message for a deleted topic, for the private chat.
func DeletedTopicText(text string) string { return textThreadGone + text }

// Buttons returns the named buttons of a job, in one row.
func Buttons(j supervisor.Job, what ...string) [][]supervisor.Button {
	row := make([]supervisor.Button, len(what))
	for i, w := range what {
		row[i] = supervisor.Button{Text: buttons[w], Press: fmt.Sprintf("%s%s %d", supervisor.JobPressPrefix, w, j.ID)}
	}
	return [][]supervisor.Button{row}
}

// Limits of the jobs' messages that a turn reads.
const (
	maxTold     = 5
	maxToldText = 1000 // the most characters of each message
)

// JobMessagesText tells the model about recent messages of jobs in the turn's chat. An empty text
// means that there are none. The list fires has the newest message first, and zone is the user's
// time zone. The result world reports whether the text may have words of others.
func JobMessagesText(fires []sqlite.FireMessage, zone *time.Location) (text string, world bool) {
	for _, f := range fires[:min(len(fires), maxTold)] {
		if strings.TrimSpace(f.Text) == "" {
			continue
		}
		if runes := []rune(f.Text); len(runes) > maxToldText {
			f.Text = string(runes[:maxToldText]) + "…"
		}
		text = quote(f.Kind, f.At.In(zone), f.Text) + text
		world = world || f.World
	}
	return text, world
}

// quote returns a job's message as a quote for the model. No text can end the quote early.
func quote(kind supervisor.JobKind, at time.Time, text string) string {
	format := textSaid
	if kind == supervisor.JobReminder {
		format = textReminded
	}
	return fmt.Sprintf(format, at.Format(layoutSaid), quotes.QuoteLines(strings.TrimSpace(text)))
}

// QuotedMessages returns the messages in a text of JobMessagesText, on one line. ok is false for
// another text. A user's own words are no such text, because they have no empty lines at their end.
func QuotedMessages(text string) (messages string, ok bool) {
	if !strings.HasPrefix(text, supervisor.JobQuotePrefix) || !strings.HasSuffix(text, textQuoteEnds) {
		return "", false
	}
	var lines []string
	for line := range strings.Lines(text) {
		if quoted, ok := strings.CutPrefix(line, ">"); ok {
			lines = append(lines, strings.TrimSpace(quoted))
		} else if strings.HasPrefix(line, supervisor.JobQuotePrefix) && len(lines) > 0 {
			lines = append(lines, "/")
		}
	}
	return strings.Join(strings.Fields(strings.Join(lines, " ")), " "), true
}
