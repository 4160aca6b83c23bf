package schedule

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/job"
	"mews/supervisor/recurrence"
)

const (
	lateAfter = 2 * time.Minute // from this delay on, a reminder says when it was due
	// maximum of a user's late reminders with separate messages; more share one message
	maxSeparateLate = 3
	maxSnoozable    = 30 // maximum of reminders with buttons below one message
)

// fire fires all due jobs. After a crash each fire is either stored whole or due again.
func (s *Schedule) fire(ctx context.Context) error {
	var resting []string
	caught := map[string]int{} // number of late turns by user
	for {
		now := s.now()
		due, err := s.queue.ListDue(ctx, now, now.Add(-lateAfter), resting, maxDue)
		if err != nil || len(due) == 0 {
			return err
		}
		awake := slices.DeleteFunc(slices.Clone(due), func(j supervisor.Job) bool {
			_, known := s.person(j.User)
			if !known && !slices.Contains(resting, j.User) {
				resting = append(resting, j.User)
			}
			return !known
		})
		if len(awake) == 0 {
			continue // check the queue again for due jobs of users who may speak
		}
		said, err := s.queue.PutFires(ctx, s.newBatches(awake, now, caught))
		if err != nil {
			return err
		}
		for _, d := range said {
			s.wakeOutbox(d.Conversation.ID)
		}
	}
}

// firesByConversation groups fires by the conversation of their notice.
type firesByConversation map[supervisor.Conversation][]supervisor.Fire

func (m firesByConversation) add(c supervisor.Conversation, f supervisor.Fire) {
	m[c] = append(m[c], f)
}

// newBatches returns the fires of due jobs. Late or missed jobs of one chat may share a batch; each
// other job has its own batch. caught counts the late turns of each user.
func (s *Schedule) newBatches(due []supervisor.Job, now time.Time,
	caught map[string]int) (batches []supervisor.FireBatch) {
	overdue, lost := firesByConversation{}, firesByConversation{}
	for _, j := range due {
		f, err := newFire(j, now)
		isLate := now.Sub(f.LastDue) >= lateAfter
		switch {
		case err != nil:
			s.log.Error("a job can't be read", "job", j.ID, "user", j.User, "error", err)
			batches = append(batches, s.newBatch(fmt.Sprintf(textUnreadable, j.ID, j.Text), nil, f))
		case j.State == supervisor.JobProposed:
			f.State = supervisor.FireMissed
			batches = append(batches, s.newBatch(fmt.Sprintf(textNotStarted, job.Title(j), dueText(f, now)),
				job.Buttons(j, supervisor.JobPressRun), f))
		case isLate && s.skipIfTooLate(&f, now, caught):
			lost.add(s.destination(j), f)
		case j.Kind != supervisor.JobReminder:
			batches = append(batches, s.claimBatch(f, now, caught))
		case isLate:
			overdue.add(s.destination(j), f)
		default:
			batches = append(batches, s.newBatch(fmt.Sprintf(textReminder, j.Text), reminderButtons(j), f))
		}
	}
	return append(batches, s.lateBatches(overdue, lost, now)...)
}

// lateBatches returns the batches for late and for missed fires.
func (s *Schedule) lateBatches(overdue, lost firesByConversation, now time.Time) (batches []supervisor.FireBatch) {
	for _, fires := range overdue {
		if len(fires) > maxSeparateLate {
			text := fmt.Sprintf(textWereDue, fireLines(fires, now))
			batches = append(batches, s.newBatch(text, snoozeButtons(fires), fires...))
			continue
		}
		for _, f := range fires {
			batches = append(
				batches,
				s.newBatch(
					fmt.Sprintf(textReminder, f.Job.Text)+"\n\n"+fmt.Sprintf(textWasDue, dueText(f, now)),
					reminderButtons(f.Job),
					f,
				),
			)
		}
	}
	for _, fires := range lost {
		batches = append(batches, s.missedBatches(fires, now)...)
	}
	return batches
}

// missedBatches returns the batches for missed fires in one chat. They share one message, but a
// fire that asks the user has its own.
func (s *Schedule) missedBatches(fires []supervisor.Fire, now time.Time) (batches []supervisor.FireBatch) {
	var told []supervisor.Fire
	for _, f := range fires {
		text := fmt.Sprintf(textMissedAsk, job.Title(f.Job), dueText(f, now))
		switch {
		case f.Job.Kind == supervisor.JobRoutine: // skip the notice: a routine is soon due again
			batches = append(batches, s.newBatch("", nil, f))
		case f.Job.Options.Missed == supervisor.MissedRunModeAsk && f.Job.Kind == supervisor.JobReminder:
			batches = append(
				batches,
				s.newBatch(fmt.Sprintf(textMissedRemind, job.Title(f.Job), dueText(f, now)), reminderButtons(f.Job), f),
			)
		case f.Job.Options.Missed == supervisor.MissedRunModeAsk:
			batches = append(batches, s.newBatch(text, job.Buttons(f.Job, supervisor.JobPressRun), f))
		default:
			told = append(told, f)
		}
	}
	switch {
	case len(told) == 0:
		return batches
	case len(told) > 1:
		return append(batches, s.newBatch(fmt.Sprintf(textWereMissed, fireLines(told, now)), nil, told...))
	case told[0].Job.Kind == supervisor.JobReminder:
		return append(
			batches,
			s.newBatch(fmt.Sprintf(textMissed, job.Title(told[0].Job), dueText(told[0], now)), nil, told[0]),
		)
	}
	return append(batches, s.newBatch(fmt.Sprintf(textMissed, job.Title(told[0].Job), dueText(told[0], now)),
		job.Buttons(told[0].Job, supervisor.JobPressRun), told[0]))
}

// fireLines lists fires with their jobs' numbers and their due times.
func fireLines(fires []supervisor.Fire, now time.Time) string {
	var list strings.Builder
	for _, f := range fires {
		fmt.Fprintf(&list, "\n- **%d**: %s: %s", f.Job.ID, dueText(f, now), listTitle(f.Job))
	}
	return list.String()
}

// newFire returns the fire of a due job. If several of its times have passed, there is one fire,
// for the last of these times. A job with an unreadable rule is paused.
func newFire(j supervisor.Job, now time.Time) (supervisor.Fire, error) {
	f := supervisor.Fire{
		Job:      j,
		LastDue:  lastDue(j, now),
		JobSince: now,
		JobState: supervisor.JobActive,
		State:    supervisor.FireSentMessage,
	}
	if j.Next.After(now) {
		f.JobSince = j.Next
	}
	j.FireCount++
	next, found, err := recurrence.NextDue(j, f.JobSince)
	switch {
	case err != nil:
		f.JobState, f.State = supervisor.JobPaused, supervisor.FireFailed
	case !found:
		f.JobState = supervisor.JobDone
	default:
		f.NextDue = next
	}
	return f, err
}

// lastDue returns the last of a job's times up to now. It returns the job's next time if that was
// at most a minute ago.
func lastDue(j supervisor.Job, now time.Time) time.Time {
	last, from := j.Next, j.Next
	// invariant: the job is due after from, and not after to
	for to := now; to.Sub(from) > time.Minute; {
		middle := from.Add(to.Sub(from) / 2)
		next, found, err := recurrence.NextDue(j, middle)
		if err != nil || !found || next.After(now) {
			to = middle
			continue
		}
		last, from = next, next
	}
	return last
}

// newBatch returns a batch with a notice in the conversation in which its jobs post.
func (s *Schedule) newBatch(text string, buttons [][]supervisor.Button, fires ...supervisor.Fire) supervisor.FireBatch {
	user, _ := s.person(fires[0].Job.User)
	return supervisor.FireBatch{Fires: fires, Private: user.PrivateChat(),
		Notice: supervisor.Delivery{Conversation: s.destination(fires[0].Job), Text: text, Buttons: buttons,
			Urgent: slices.ContainsFunc(fires, func(f supervisor.Fire) bool { return !waitsForQuietHours(f.Job) }),
			Silent: !slices.ContainsFunc(
				fires,
				func(f supervisor.Fire) bool { return f.Job.Options.Priority != supervisor.JobPriorityLow },
			)}}
}

// waitsForQuietHours reports whether a job's message waits for the end of quiet hours. Reminders
// with a fixed time and jobs of high priority do not wait.
func waitsForQuietHours(j supervisor.Job) bool {
	if j.Options.Priority == supervisor.JobPriorityHigh {
		return false
	}
	r, err := recurrence.JobRule(j)
	return j.Kind != supervisor.JobReminder || err == nil && r.Kind == recurrence.Interval
}

// dueText says when a late fire was due.
func dueText(f supervisor.Fire, now time.Time) string {
	zone, err := recurrence.JobZone(f.Job)
	if err != nil {
		zone = time.UTC
	}
	due, layout := f.LastDue.In(zone), "15:04"
	if due.YearDay() != now.In(zone).YearDay() || now.Sub(due) > 24*time.Hour {
		layout = dayLayout
	}
	ago := now.Sub(due).Truncate(time.Minute)
	if days := int64(ago / (24 * time.Hour)); days > 1 {
		return fmt.Sprintf("%s, %s ago", due.Format(layout), amount.Plural(days, "day", "days"))
	}
	return fmt.Sprintf("%s, %s ago", due.Format(layout), amount.FormatDuration(ago))
}

// reminderButtons returns the buttons below a reminder.
func reminderButtons(j supervisor.Job) [][]supervisor.Button {
	var row []supervisor.Button
	for _, what := range []string{pressDone, pressSoon, pressHour, pressTomorrow} {
		row = append(row, supervisor.Button{Text: snoozeLabels[what],
			Press: fmt.Sprintf("%s%s %d", supervisor.JobPressPrefix, what, j.ID)})
	}
	return [][]supervisor.Button{row}
}

// snoozeButtons returns a row of buttons for each of the first reminders in a list.
func snoozeButtons(fires []supervisor.Fire) (rows [][]supervisor.Button) {
	for _, f := range fires[:min(len(fires), maxSnoozable)] {
		rows = append(rows, listButtons(f.Job, pressSoon, pressHour, pressTomorrow))
	}
	return rows
}

// listButtons returns a row of buttons of one job below a list of jobs. The list keeps its buttons
// after a press.
func listButtons(j supervisor.Job, presses ...string) (row []supervisor.Button) {
	for _, what := range presses {
		row = append(row, supervisor.Button{Text: fmt.Sprintf("%d: %s", j.ID, snoozeLabels[what]),
			Press: fmt.Sprintf("%s%s%s %d", supervisor.JobPressPrefix, listPrefix, what, j.ID)})
	}
	return row
}
