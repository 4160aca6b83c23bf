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
	"mews/supervisor/schedule/recurrence"
)

// What the buttons do. The job's id stands behind it.
const (
	pressDone     = "done"
	pressSoon     = "soon"
	pressHour     = "hour"
	pressTomorrow = "tomorrow"
	pressPause    = "pause"
	pressResume   = "resume"
	pressDelete   = "delete"
)

// snoozes are how much later a reminder comes again, as recurrence.Parse reads it.
var snoozes = map[string]string{pressSoon: "in 10 min", pressHour: "in 1 h", pressTomorrow: "in 1 day"}

// listed are the times of a job that its card lists.
const listed = 3

// whenPattern parts when from what at the first colon with a space or a new line behind it.
var whenPattern = regexp.MustCompile(`(?s)^\s*(\S.*?):\s+(\S.*)$`)

// Remind sets a reminder from "WHEN: TEXT", and shows it. inbound is the command; the same again changes nothing. An error is for whoever wrote it.
func (s *Schedule) Remind(ctx context.Context, user supervisor.User, c supervisor.Conversation, inbound int64, words string, at time.Time) (d supervisor.Delivery, err error) {
	found := whenPattern.FindStringSubmatch(words)
	if found == nil {
		return d, supervisor.Errorf(supervisor.CodeInvalid, "%s", textUsage)
	}
	when, text := found[1], strings.TrimSpace(found[2])
	if len(text) > supervisor.MaxJobText {
		return d, supervisor.Errorf(supervisor.CodeInvalid, textTooLong, supervisor.MaxJobText, len(text))
	}
	j, err := s.put(ctx, user, c, inbound, when, text, at)
	if err != nil {
		return d, err
	}
	return card(j)
}

// put keeps a reminder.
func (s *Schedule) put(ctx context.Context, user supervisor.User, c supervisor.Conversation, inbound int64, when, text string, at time.Time) (j supervisor.Job, err error) {
	now := at.In(user.Zone())
	rule, err := recurrence.Parse(when, now)
	if err != nil {
		return j, err
	}
	encoded, err := json.Marshal(rule)
	if err != nil {
		return j, fmt.Errorf("keep a rule: %w", err)
	}
	j = supervisor.Job{User: user.Name, Kind: supervisor.JobReminder, Text: text, Rule: string(encoded), Zone: user.Timezone, Conversation: c, Inbound: inbound, Since: at}
	if rule.Kind == recurrence.Once {
		j.Since = rule.At.Add(-time.Millisecond) // it may be written as late as recurrence.Parse takes it
	}
	if j.Next, _, err = nextOf(j, j.Since); err != nil {
		return j, err
	}
	j, err = s.o.Store.Put(ctx, j)
	if errors.Is(err, supervisor.ErrTooManyJobs) {
		return j, supervisor.Errorf(supervisor.CodeInvalid, textTooMany, supervisor.MaxJobs)
	}
	supervisor.Signal(s.woken)
	return j, err
}

// card shows a job: what it says and when, with buttons to end it.
func card(j supervisor.Job) (d supervisor.Delivery, err error) {
	d.Text = fmt.Sprintf(textMade, j.ID, j.Text)
	rule, times, err := timesOf(j)
	if err != nil {
		return d, err
	}
	zone, _ := zoneOf(j) // timesOf has read it
	d.Text += fmt.Sprintf(textTimes, rule.Describe(zone), strings.Join(times, "; "))
	row := []supervisor.Button{{Text: "Delete", Press: fmt.Sprintf("%s%s %d", supervisor.JobPrefix, pressDelete, j.ID)}}
	if rule.Kind != recurrence.Once {
		row = append([]supervisor.Button{{Text: "Pause", Press: fmt.Sprintf("%s%s %d", supervisor.JobPrefix, pressPause, j.ID)}}, row...)
	}
	d.Buttons = [][]supervisor.Button{row}
	return d, nil
}

// timesOf are a job's rule and the next times that it is due.
func timesOf(j supervisor.Job) (rule recurrence.Rule, times []string, err error) {
	zone, err := zoneOf(j)
	if err != nil {
		return rule, nil, err
	}
	if rule, err = ruleOf(j); err != nil {
		return rule, nil, err
	}
	for at, found := j.Next, !j.Next.IsZero(); found && len(times) < listed; {
		times = append(times, at.In(zone).Format(timeLayout))
		j.Fired++
		if at, found, err = nextOf(j, at); err != nil {
			return rule, nil, err
		}
	}
	return rule, times, nil
}

// List shows a person's jobs.
func (s *Schedule) List(ctx context.Context, user string) (d supervisor.Delivery, err error) {
	list, err := s.o.Store.List(ctx, user)
	if err != nil {
		return d, err
	}
	if len(list) == 0 {
		return supervisor.Delivery{Text: textNoJobs}, nil
	}
	d.Text = textJobs
	for _, j := range list {
		d.Text += fmt.Sprintf("\n%d. %s\n    %s", j.ID, j.Text, line(j))
		if j.State == supervisor.JobPaused {
			d.Buttons = append(d.Buttons, []supervisor.Button{{Text: fmt.Sprintf("Resume %d", j.ID), Press: fmt.Sprintf("%s%s %d", supervisor.JobPrefix, pressResume, j.ID)}})
		}
	}
	return d, nil
}

// line says when a job is due, and next.
func line(j supervisor.Job) string {
	rule, times, err := timesOf(j)
	if err != nil {
		return textBroken
	}
	zone, _ := zoneOf(j) // timesOf has read it
	next := textPaused
	if j.State == supervisor.JobActive && len(times) > 0 {
		next = times[0]
	}
	return rule.Describe(zone) + ": " + next
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
		err = supervisor.Errorf(supervisor.CodeNotFound, textNoJob, supervisor.Printable(number))
	}
	return j, err
}

// end has a job be due no more. Of one that is done already it says the same.
func (s *Schedule) end(ctx context.Context, j supervisor.Job) (string, error) {
	text := fmt.Sprintf(textDeleted, j.ID, j.Text)
	if j.State == supervisor.JobDone {
		return text, nil
	}
	j.State, j.Next = supervisor.JobDone, time.Time{}
	return text, s.change(ctx, j)
}

// change changes a job as it was read.
func (s *Schedule) change(ctx context.Context, j supervisor.Job) error {
	err := s.o.Store.Change(ctx, j)
	if errors.Is(err, supervisor.ErrJobChanged) {
		return supervisor.Errorf(supervisor.CodeInvalid, "%s", textChanged)
	}
	supervisor.Signal(s.woken)
	return err
}

// Press does what a job's button does. inbound is the press; the same again changes nothing.
func (s *Schedule) Press(ctx context.Context, user supervisor.User, c supervisor.Conversation, inbound int64, press string, at time.Time) (string, error) {
	what, number, _ := strings.Cut(press, " ")
	do := map[string]func(supervisor.Job) (string, error){
		pressDone:   func(supervisor.Job) (string, error) { return textDone, nil },
		pressDelete: func(j supervisor.Job) (string, error) { return s.end(ctx, j) },
		pressPause:  func(j supervisor.Job) (string, error) { return s.pause(ctx, j) },
		pressResume: func(j supervisor.Job) (string, error) { return s.resume(ctx, j, at) },
	}[what]
	if later := snoozes[what]; later != "" {
		do = func(j supervisor.Job) (string, error) {
			again, err := s.put(ctx, user, c, inbound, later, j.Text, at)
			return fmt.Sprintf(textAgain, again.Next.In(user.Zone()).Format(timeLayout)), err
		}
	}
	if do == nil {
		return textNothing, nil
	}
	j, err := s.find(ctx, user.Name, number)
	if err != nil {
		return "", err
	}
	if j.Text == "" { // it was forgotten
		return textNothing, nil
	}
	return do(j)
}

func (s *Schedule) pause(ctx context.Context, j supervisor.Job) (string, error) {
	if j.State == supervisor.JobDone {
		return fmt.Sprintf(textOver, j.ID), nil
	}
	j.State, j.Next = supervisor.JobPaused, time.Time{}
	return fmt.Sprintf(textPausedIt, j.ID), s.change(ctx, j)
}

// resume has a job go on from now: what was due meanwhile is not made up for.
func (s *Schedule) resume(ctx context.Context, j supervisor.Job, now time.Time) (string, error) {
	next, found := j.Next, j.State == supervisor.JobActive
	var err error
	if j.State == supervisor.JobPaused {
		if next, found, err = nextOf(j, now); err != nil {
			return "", err
		}
		j.State, j.Since, j.Next = supervisor.JobActive, now, next
		if !found {
			j.State = supervisor.JobDone
		}
		err = s.change(ctx, j)
	}
	if err != nil || !found {
		return fmt.Sprintf(textOver, j.ID), err
	}
	zone, err := zoneOf(j)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(textResumed, j.ID, next.In(zone).Format(timeLayout)), nil
}
