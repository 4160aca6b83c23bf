package schedule

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
	"mews/supervisor/printable"
	"mews/supervisor/recurrence"
)

// Jobs changes users' jobs. Each change wakes the loop.
type Jobs struct {
	store      Store
	person     func(name string) (supervisor.User, bool)
	wakeOutbox func(conversation int64)
	now        func() time.Time
	woken      chan struct{} // holds a token if a job may be due earlier than the loop knows
}

// WakeLoop makes the loop look for due jobs now. It never blocks.
func (js *Jobs) WakeLoop() { signals.SendToken(js.woken) }

// Add stores a new job. show returns a message about the job, which is sent at once; nil means no
// message.
func (js *Jobs) Add(ctx context.Context, j supervisor.Job,
	show func(supervisor.Job) supervisor.Delivery) (supervisor.Job, error) {
	j, said, err := js.store.Put(ctx, j, show)
	if errors.Is(err, supervisor.ErrTooManyJobs) {
		return j, supervisor.Errorf(supervisor.CodeInvalid, textTooMany, supervisor.MaxJobs)
	}
	js.queued(said)
	signals.SendToken(js.woken)
	return j, err
}

func (js *Jobs) queued(said []supervisor.Delivery) {
	for _, d := range said {
		js.wakeOutbox(d.Conversation.ID)
	}
}

func (js *Jobs) findByNumber(ctx context.Context, user, number string) (j supervisor.Job, err error) {
	id, _ := strconv.ParseInt(strings.TrimSpace(number), 10, 64) // an invalid number gives 0, which no job has
	j, found, err := js.store.Find(ctx, user, id)
	if err == nil && !found {
		err = supervisor.Errorf(supervisor.CodeNotFound, textNoJob, printable.DropControls(number))
	}
	return j, err
}

// remove deletes a job; a running fire of the job is not retried. For a job that is deleted
// already, remove changes nothing and returns the same answer.
func (js *Jobs) remove(ctx context.Context, j supervisor.Job) (string, error) {
	text := fmt.Sprintf(textDeleted, nouns[j.Kind], j.ID, listTitle(j))
	if j.Options.Deleted {
		return text, nil
	}
	j.State, j.Next, j.Options.Deleted = supervisor.JobDone, time.Time{}, true
	return text, js.Change(ctx, j)
}

// Change stores a changed job. It fails if the stored job has changed since it was read.
func (js *Jobs) Change(ctx context.Context, j supervisor.Job) error {
	err := js.store.Change(ctx, j)
	switch {
	case errors.Is(err, supervisor.ErrJobChanged):
		return supervisor.Errorf(supervisor.CodeConflict, "%s", textChanged)
	case errors.Is(err, supervisor.ErrTooManyJobs):
		return supervisor.Errorf(supervisor.CodeInvalid, textTooMany, supervisor.MaxJobs)
	}
	signals.SendToken(js.woken)
	return err
}

// Pause stops a job until it is resumed.
func (js *Jobs) Pause(ctx context.Context, j supervisor.Job) (string, error) {
	if j.State == supervisor.JobDone {
		return fmt.Sprintf(textOver, nouns[j.Kind], j.ID), nil
	}
	j.State, j.Next = supervisor.JobPaused, time.Time{}
	return fmt.Sprintf(textPausedIt, nouns[j.Kind], j.ID), js.Change(ctx, j)
}

// Resume resumes a paused job from now on; times missed meanwhile are skipped.
func (js *Jobs) Resume(ctx context.Context, j supervisor.Job, now time.Time) (string, error) {
	next, found := j.Next, j.State == supervisor.JobActive
	var err error
	if j.State == supervisor.JobPaused || j.State == supervisor.JobProposed {
		// if the clock was set back, earlier fires are not repeated
		if since := firedUntil(j, now); now.Before(since) {
			now = since
		}
		if next, found, err = recurrence.NextDue(j, now); err != nil {
			return "", err
		}
		j.State, j.FiredUntil, j.Next, j.FailuresInARow, j.Options.ResumedAt = supervisor.JobActive, now, next, 0, js.now().UnixMilli()
		if !found {
			j.State = supervisor.JobDone
		}
		err = js.Change(ctx, j)
	}
	if err != nil || !found {
		return fmt.Sprintf(textOver, nouns[j.Kind], j.ID), err
	}
	zone, err := recurrence.JobZone(j)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(textResumed, nouns[j.Kind], j.ID, next.In(zone).Format(timeLayout)), nil
}

// RunNow starts a task now, even if it is paused. It starts a done task only if the task's last
// fire was missed or has failed.
func (js *Jobs) RunNow(ctx context.Context, j supervisor.Job, now time.Time) (string, error) {
	if j.Kind == supervisor.JobReminder {
		return textNothing, nil
	}
	if j.Options.Deleted {
		return fmt.Sprintf(textOver, nouns[j.Kind], j.ID), nil
	}
	if j.State == supervisor.JobDone {
		last, err := js.store.ListResults(ctx, j.User, j.ID, 1)
		if err != nil || len(last) == 0 || last[0].State != supervisor.FireMissed && last[0].State != supervisor.FireFailed {
			return fmt.Sprintf(textOver, nouns[j.Kind], j.ID), err
		}
	}
	begun, _, err := js.store.RunNow(ctx, j, supervisor.JobTrigger{Due: now})
	if err != nil {
		return "", err
	}
	signals.SendToken(js.woken)
	if !begun {
		return textRunning, nil
	}
	return textRuns, nil
}

// numberPattern matches a job's number; no job name may match it.
var numberPattern = regexp.MustCompile(`^[+-]?\d+$`)

// findNamed finds a job by its number, or by its name if only one job has that name.
func (js *Jobs) findNamed(ctx context.Context, user, name string) (supervisor.Job, error) {
	if numberPattern.MatchString(name) || name == "" {
		return js.findByNumber(ctx, user, name)
	}
	list, err := js.store.List(ctx, user)
	if err != nil {
		return supervisor.Job{}, err
	}
	list = slices.DeleteFunc(list, func(j supervisor.Job) bool { return !strings.EqualFold(j.Name, name) })
	switch len(list) {
	case 0:
		return js.findByNumber(ctx, user, name)
	case 1:
		return list[0], nil
	}
	return supervisor.Job{}, supervisor.Errorf(supervisor.CodeInvalid, textSeveral, len(list),
		printable.DropControls(name))
}
