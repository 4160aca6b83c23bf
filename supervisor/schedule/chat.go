package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mews/supervisor"
	"mews/supervisor/job"
	"mews/supervisor/recurrence"
)

// ChatCommands handles commands and buttons about jobs.
type ChatCommands struct {
	*editor
	command func(ctx context.Context, user string, id int64) (supervisor.Inbound, bool, error)
}

// AddReminder sets a reminder from words such as "WHEN: TEXT", and returns its card.
// inbound is the command; a repeated call for it changes nothing. An error is for the user.
func (ch *ChatCommands) AddReminder(ctx context.Context, user supervisor.User, c supervisor.Conversation, inbound int64,
	words string, at time.Time) (supervisor.Delivery, error) {
	return ch.remind(ctx, origin{user: user, in: c, inbound: inbound}, words, at)
}

func (ch *ChatCommands) remind(ctx context.Context, from origin, words string, at time.Time) (
	d supervisor.Delivery, err error) {
	from, text, err := ch.readOrder(ctx, from, words, at)
	if err != nil {
		return d, err
	}
	return ch.addReminder(ctx, from, text, at)
}

// addReminder sets a reminder at the time from.when, and returns its card.
func (ch *ChatCommands) addReminder(ctx context.Context, from origin, text string, at time.Time) (
	d supervisor.Delivery, err error) {
	if len(text) > supervisor.MaxJobText {
		return d, supervisor.Errorf(supervisor.CodeInvalid, textTooLong, supervisor.MaxJobText, len(text))
	}
	j := supervisor.Job{User: from.user.Name, Kind: supervisor.JobReminder, Text: text, Zone: from.user.Timezone,
		Conversation: from.in, MadeBy: madeByInbound(from.inbound)}
	err = setRule(&j, from, at)
	if ask := new(recurrence.AmbiguousTimeError); errors.As(err, &ask) {
		return askChoice(from, ask, err), nil
	}
	if err != nil {
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
	maxListedRows = maxListed // maximum rows of buttons below the answer to /jobs; each row has two buttons
)

// statePresses are the buttons of /jobs that start, pause or resume a job, by the job's state.
var statePresses = map[supervisor.JobState]string{
	supervisor.JobPaused: supervisor.JobPressResume, supervisor.JobProposed: supervisor.JobPressStart,
	supervisor.JobActive: supervisor.JobPressPause,
}

// jobsRow returns a job's buttons below the answer to /jobs. A one-time reminder can't be paused
// here, as on its card.
func jobsRow(j supervisor.Job) []supervisor.Button {
	presses := []string{statePresses[j.State], supervisor.JobPressDelete}
	rule, err := recurrence.JobRule(j)
	if j.State == supervisor.JobActive && (err != nil || rule.Kind == recurrence.Once) {
		presses = presses[1:]
	}
	row := job.Buttons(j, presses...)[0]
	for i, what := range presses {
		row[i].Text += fmt.Sprintf(" %d", j.ID)
		row[i].Press = fmt.Sprintf("%s%s%s %d", supervisor.JobPressPrefix, jobsPrefix, what, j.ID)
	}
	return row
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
		if len(d.Buttons) < maxListedRows {
			d.Buttons = append(d.Buttons, jobsRow(j))
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
