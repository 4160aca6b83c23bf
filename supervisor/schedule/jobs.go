package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
	"mews/supervisor/job"
	"mews/supervisor/printable"
	"mews/supervisor/recurrence"
)

// whenPattern parts when from what at the first colon with a space or a new line behind it.
var whenPattern = regexp.MustCompile(`(?s)^\s*(\S.*?):\s+(\S.*)$`)

// Remind sets a reminder from "WHEN: TEXT", and shows it. inbound is the command; the same again
// changes nothing. An error is for whoever wrote it.
func (s *Schedule) Remind(ctx context.Context, user supervisor.User, c supervisor.Conversation, inbound int64, words string, at time.Time) (d supervisor.Delivery, err error) {
	when, text, err := splitWhen(words)
	if err != nil {
		return d, err
	}
	if len(text) > supervisor.MaxJobText {
		return d, supervisor.Errorf(supervisor.CodeInvalid, textTooLong, supervisor.MaxJobText, len(text))
	}
	j, err := s.remind(ctx, user, c, madeByInbound(inbound), when, text, at)
	if err != nil {
		return d, err
	}
	return s.card(j), nil
}

// remind keeps a reminder.
func (s *Schedule) remind(ctx context.Context, user supervisor.User, c supervisor.Conversation, madeBy, when, text string, at time.Time) (supervisor.Job, error) {
	j := supervisor.Job{User: user.Name, Kind: supervisor.JobReminder, Text: text, Zone: user.Timezone, Conversation: c, MadeBy: madeBy}
	if err := SetRule(&j, when, at); err != nil {
		return j, err
	}
	return s.Put(ctx, j, nil)
}

// Put keeps a new job. show, where it is not nil, is said of it at once.
func (s *Schedule) Put(ctx context.Context, j supervisor.Job, show func(supervisor.Job) supervisor.Delivery) (supervisor.Job, error) {
	j, said, err := s.o.Store.Put(ctx, j, show)
	if errors.Is(err, supervisor.ErrTooManyJobs) {
		return j, supervisor.Errorf(supervisor.CodeInvalid, textTooMany, supervisor.MaxJobs)
	}
	s.queued(said)
	signals.Send(s.woken)
	return j, err
}

func (s *Schedule) queued(said []supervisor.Delivery) {
	for _, d := range said {
		s.o.Queued(d.Conversation.ID)
	}
}

// SetRule has a job be due as words say, from at on.
func SetRule(j *supervisor.Job, when string, at time.Time) error {
	zone, err := recurrence.ZoneOf(*j)
	if err != nil {
		return err
	}
	rule, err := recurrence.Parse(when, at.In(zone))
	if err != nil {
		return err
	}
	rule.At = rule.At.Truncate(time.Millisecond) // as times are kept
	encoded, err := json.Marshal(rule)
	if err != nil {
		return fmt.Errorf("keep a rule: %w", err)
	}
	j.Rule, j.Since, j.Fired = string(encoded), at, 0 // the times of a rule are counted anew
	if rule.Kind == recurrence.Once && !rule.At.After(at) {
		// it may be written as late as recurrence.Parse takes it
		j.Since = rule.At.Add(-time.Millisecond)
	}
	if j.AsksModel() {
		if err := CheckPeriod(*j, zone); err != nil {
			return err
		}
	}
	if j.State == supervisor.JobProposed || j.State == supervisor.JobPaused {
		j.Next = time.Time{}
		return nil
	}
	next, found, err := recurrence.NextOf(*j, j.Since)
	if err == nil && !found {
		return supervisor.Errorf(supervisor.CodeInvalid, textOver, nouns[j.Kind], j.ID)
	}
	j.Next = next
	return err
}

// leastPeriod is the shortest time between two turns of a job.
const leastPeriod = 5 * time.Minute

// CheckPeriod refuses a job that has turns too often: its next times are looked at.
func CheckPeriod(j supervisor.Job, zone *time.Location) error {
	last := time.Time{}
	for n, at := 0, j.Since; n < 50; n++ {
		next, found, err := recurrence.NextOf(j, at)
		if err != nil || !found {
			return err
		}
		if !last.IsZero() && next.Sub(last) < leastPeriod {
			return supervisor.Errorf(supervisor.CodeInvalid, "%s", textTooOften)
		}
		last, at, j.Fired = next, next, j.Fired+1
	}
	return nil
}

// What /jobs shows at most.
const (
	maxListed     = 40
	maxListedRows = 20 // of buttons
)

// List shows a person's jobs, the oldest first.
func (s *Schedule) List(ctx context.Context, user string) (d supervisor.Delivery, err error) {
	list, err := s.o.Store.List(ctx, user)
	if err != nil {
		return d, err
	}
	if len(list) == 0 {
		return supervisor.Delivery{Text: textNoJobs}, nil
	}
	d.Text = textJobs
	for _, j := range list[:min(len(list), maxListed)] {
		d.Text += fmt.Sprintf(textListed, j.ID, listedText(j), Line(j))
		if what := map[supervisor.JobState]string{supervisor.JobPaused: supervisor.JobResume, supervisor.JobProposed: supervisor.JobStart}[j.State]; what != "" && len(d.Buttons) < maxListedRows {
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

// Cancel deletes a job of a person's by its number.
func (s *Schedule) Cancel(ctx context.Context, user, number string) (string, error) {
	if number == "" {
		return textWhichJob, nil
	}
	j, err := s.find(ctx, user, number)
	if err != nil {
		return "", err
	}
	return s.end(ctx, j)
}

func (s *Schedule) find(ctx context.Context, user, number string) (j supervisor.Job, err error) {
	id, _ := strconv.ParseInt(strings.TrimSpace(number), 10, 64) // 0 is of no job
	j, found, err := s.o.Store.Find(ctx, user, id)
	if err == nil && !found {
		err = supervisor.Errorf(supervisor.CodeNotFound, textNoJob, printable.Text(number))
	}
	return j, err
}

// end has a job be due no more, and what is under way not be tried again. Of one that was deleted
// already it says the same.
func (s *Schedule) end(ctx context.Context, j supervisor.Job) (string, error) {
	text := fmt.Sprintf(textDeleted, nouns[j.Kind], j.ID, listedText(j))
	if j.Options.Deleted {
		return text, nil
	}
	j.State, j.Next, j.Options.Deleted = supervisor.JobDone, time.Time{}, true
	return text, s.Change(ctx, j)
}

// Change changes a job as it was read.
func (s *Schedule) Change(ctx context.Context, j supervisor.Job) error {
	err := s.o.Store.Change(ctx, j)
	switch {
	case errors.Is(err, supervisor.ErrJobChanged):
		return supervisor.Errorf(supervisor.CodeConflict, "%s", textChanged)
	case errors.Is(err, supervisor.ErrTooManyJobs):
		return supervisor.Errorf(supervisor.CodeInvalid, textTooMany, supervisor.MaxJobs)
	}
	signals.Send(s.woken)
	return err
}

// Pause has a job not come before it is resumed.
func (s *Schedule) Pause(ctx context.Context, j supervisor.Job) (string, error) {
	if j.State == supervisor.JobDone {
		return fmt.Sprintf(textOver, nouns[j.Kind], j.ID), nil
	}
	j.State, j.Next = supervisor.JobPaused, time.Time{}
	return fmt.Sprintf(textPausedIt, nouns[j.Kind], j.ID), s.Change(ctx, j)
}

// Resume has a job go on from now: what was due meanwhile is not made up for.
func (s *Schedule) Resume(ctx context.Context, j supervisor.Job, now time.Time) (string, error) {
	next, found := j.Next, j.State == supervisor.JobActive
	var err error
	if j.State == supervisor.JobPaused || j.State == supervisor.JobProposed {
		// the clock was set back: what was fired stays so
		if since := sinceOf(j, now); now.Before(since) {
			now = since
		}
		if next, found, err = recurrence.NextOf(j, now); err != nil {
			return "", err
		}
		j.State, j.Since, j.Next, j.Failures, j.Options.Resumed = supervisor.JobActive, now, next, 0, s.o.Now().UnixMilli()
		if !found {
			j.State = supervisor.JobDone
		}
		err = s.Change(ctx, j)
	}
	if err != nil || !found {
		return fmt.Sprintf(textOver, nouns[j.Kind], j.ID), err
	}
	zone, err := recurrence.ZoneOf(j)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(textResumed, nouns[j.Kind], j.ID, next.In(zone).Format(timeLayout)), nil
}

// RunNow has a task be done now, also one that is paused. One that is done is not, unless it ended by
// itself and its last time came to nothing.
func (s *Schedule) RunNow(ctx context.Context, j supervisor.Job, now time.Time) (string, error) {
	if j.Kind == supervisor.JobReminder {
		return textNothing, nil
	}
	if j.Options.Deleted {
		return fmt.Sprintf(textOver, nouns[j.Kind], j.ID), nil
	}
	if j.State == supervisor.JobDone {
		last, err := s.o.Store.Results(ctx, j.User, j.ID, 1)
		if err != nil || len(last) == 0 || last[0].State != supervisor.FireMissed && last[0].State != supervisor.FireFailed {
			return fmt.Sprintf(textOver, nouns[j.Kind], j.ID), err
		}
	}
	begun, _, err := s.o.Store.RunNow(ctx, j, supervisor.Trigger{Due: now})
	if err != nil {
		return "", err
	}
	signals.Send(s.woken)
	if !begun {
		return textRunning, nil
	}
	return textRuns, nil
}
