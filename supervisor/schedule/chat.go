package schedule

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor"
	"mews/supervisor/job"
)

// ChatCommands runs the commands and buttons about jobs.
type ChatCommands struct{ *editor }

// AddReminder sets a reminder from "WHEN: TEXT" and returns its card. inbound is the id of the
// command; a repeated call with the same id changes nothing. An error is for the user.
func (ch *ChatCommands) AddReminder(ctx context.Context, user supervisor.User, c supervisor.Conversation, inbound int64,
	words string, at time.Time) (d supervisor.Delivery, err error) {
	when, text, err := splitWhen(words)
	if err != nil {
		return d, err
	}
	if len(text) > supervisor.MaxJobText {
		return d, supervisor.Errorf(supervisor.CodeInvalid, textTooLong, supervisor.MaxJobText, len(text))
	}
	j := supervisor.Job{User: user.Name, Kind: supervisor.JobReminder, Text: text, Zone: user.Timezone,
		Conversation: c, MadeBy: madeByInbound(inbound)}
	if err := SetRule(&j, when, at); err != nil {
		return d, err
	}
	if j, err = ch.Add(ctx, j, nil); err != nil {
		return d, err
	}
	return ch.card(j), nil
}

// Limits of /jobs.
const (
	maxListed     = 40
	maxListedRows = 20 // the most rows of buttons in the answer to /jobs
)

// beginPresses are the buttons of /jobs that start or resume a job, by the job's state.
var beginPresses = map[supervisor.JobState]string{
	supervisor.JobPaused: supervisor.JobResume, supervisor.JobProposed: supervisor.JobStart,
}

// ListJobs lists a user's jobs, oldest first.
func (ch *ChatCommands) ListJobs(ctx context.Context, user string) (d supervisor.Delivery, err error) {
	list, err := ch.store.List(ctx, user)
	if err != nil {
		return d, err
	}
	if len(list) == 0 {
		return supervisor.Delivery{Text: textNoJobs}, nil
	}
	d.Text = textJobs
	for _, j := range list[:min(len(list), maxListed)] {
		d.Text += fmt.Sprintf(textListed, j.ID, listTitle(j), DescribeTimes(j))
		if what := beginPresses[j.State]; what != "" && len(d.Buttons) < maxListedRows {
			row := job.Buttons(j, what)[0]
			row[0].Text += fmt.Sprintf(" %d", j.ID)
			d.Buttons = append(d.Buttons, row)
		}
	}
	if more := len(list) - maxListed; more > 0 {
		d.Text += fmt.Sprintf(textMoreJobs, more)
	}
	return d, nil
}

// CancelJob deletes a user's job by its number.
func (ch *ChatCommands) CancelJob(ctx context.Context, user, number string) (string, error) {
	if number == "" {
		return textWhichJob, nil
	}
	j, err := ch.findByNumber(ctx, user, number)
	if err != nil {
		return "", err
	}
	return ch.remove(ctx, j)
}
