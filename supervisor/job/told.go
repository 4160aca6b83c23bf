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

// Title is what a job is called: its name, or how its text begins. What is built in has a title of
// its own.
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

// Notice tells what a job says: below what it is called, but of one without a name whose text is
// the first of that.
func Notice(j supervisor.Job, said string) supervisor.Delivery {
	if text := strings.TrimSpace(j.Text); j.Name != "" || text == "" || !strings.HasPrefix(said+"\n", text+"\n") {
		said = fmt.Sprintf(textSays, Title(j), said)
	}
	return supervisor.Delivery{
		Text:   said,
		Silent: j.Options.Priority == supervisor.JobLow,
		Urgent: j.Options.Priority == supervisor.JobHigh,
	}
}

// StillChecking is what is told of a look that has not come to what is looked for; "" is nothing.
func StillChecking(j supervisor.Job, found string) string {
	if !j.Options.Check.NotifyOnCheck {
		return ""
	}
	return strings.TrimSpace(textStillChecking + "\n" + found)
}

// Paused is what is told of a job that was paused because so many of its last fires have failed:
// behind the rest of a notice, with buttons.
func Paused(j supervisor.Job, failures int, d supervisor.Delivery) supervisor.Delivery {
	d.Text += fmt.Sprintf(textFails, failures)
	d.Buttons = Buttons(j, supervisor.JobRun, supervisor.JobResume, supervisor.JobDelete)
	return d
}

// PausedAway tells somebody who is away how many of their jobs are paused for that.
func PausedAway(paused int64) string {
	return fmt.Sprintf(textAway, amount.Plural(paused, "task", "tasks"))
}

// PausedInChat tells how many jobs are paused because the chat in which they speak takes nothing any
// more, and why it says that is.
func PausedInChat(paused int64, why string) string {
	return fmt.Sprintf(textChatRefuses, amount.Plural(paused, "reminder or task", "reminders and tasks"), why)
}

// Elsewhere is what a job said in a topic that is gone, as it is said in another place.
func Elsewhere(text string) string { return textThreadGone + text }

// Buttons are buttons of a job, in one row.
func Buttons(j supervisor.Job, what ...string) [][]supervisor.Button {
	row := make([]supervisor.Button, len(what))
	for i, w := range what {
		row[i] = supervisor.Button{Text: buttons[w], Press: fmt.Sprintf("%s%s %d", supervisor.JobPrefix, w, j.ID)}
	}
	return [][]supervisor.Button{row}
}

// What a turn is told of jobs.
const (
	maxTold     = 5
	maxToldText = 1000 // characters of each
)

// Told tells the model what jobs have said in its conversation, the newest of the fires first, and
// whether some of it may be somebody else's words; "" is nothing. zone is its person's.
func Told(fires []sqlite.FireTold, zone *time.Location) (text string, world bool) {
	for _, f := range fires[:min(len(fires), maxTold)] {
		if strings.TrimSpace(f.Text) == "" {
			continue
		}
		if runes := []rune(f.Text); len(runes) > maxToldText {
			f.Text = string(runes[:maxToldText]) + "…"
		}
		text = quote(f.Kind, f.Due.In(zone), f.Text) + text
		world = world || f.World
	}
	return text, world
}

// quote is what a model reads of what a job has said where it goes on. Nothing in the text can end
// it.
func quote(kind supervisor.JobKind, due time.Time, text string) string {
	format := textSaid
	if kind == supervisor.JobReminder {
		format = textReminded
	}
	return fmt.Sprintf(format, due.Format(layoutSaid), quotes.Lines(strings.TrimSpace(text)))
}
