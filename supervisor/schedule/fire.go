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
	late    = 2 * time.Minute // from then on a reminder says when it was due
	maxLate = 3               // so many late ones come in messages of their own
)

// fire fires what is due. What a crash cuts off is either kept whole or due again.
func (s *Schedule) fire(ctx context.Context) error {
	var resting []string
	caught := map[string]int{} // late turns of each person
	for {
		now := s.now()
		due, err := s.queue.ListDue(ctx, now, now.Add(-late), resting, maxDue)
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
			continue // of those who are not resting there may be more
		}
		said, err := s.queue.PutFires(ctx, s.firings(awake, now, caught))
		if err != nil {
			return err
		}
		for _, d := range said {
			s.wakeOutbox(d.Conversation.ID)
		}
	}
}

// firesByConversation are fires by where something is told of them.
type firesByConversation map[supervisor.Conversation][]supervisor.Fire

func (m firesByConversation) add(c supervisor.Conversation, f supervisor.Fire) {
	m[c] = append(m[c], f)
}

// firings are what is done of jobs that are due: each says its own, but for those that are late or
// missed together in one chat. caught counts the late turns of each person.
func (s *Schedule) firings(due []supervisor.Job, now time.Time, caught map[string]int) (firings []supervisor.FireBatch) {
	overdue, lost := firesByConversation{}, firesByConversation{}
	for _, j := range due {
		f, err := fireOf(j, now)
		isLate := now.Sub(f.LastDue) >= late
		switch {
		case err != nil:
			s.log.Error("a job can't be read", "job", j.ID, "user", j.User, "error", err)
			firings = append(firings, s.firing(fmt.Sprintf(textUnreadable, j.ID, j.Text), nil, f))
		case isLate && s.isMissed(&f, now, caught):
			lost.add(s.destination(j), f)
		case j.Kind != supervisor.JobReminder:
			firings = append(firings, s.turnFiring(f, now, caught))
		case isLate:
			overdue.add(s.destination(j), f)
		default:
			firings = append(firings, s.firing(fmt.Sprintf(textReminder, j.Text), buttonsOf(j), f))
		}
	}
	return append(firings, s.lateFirings(overdue, lost, now)...)
}

// lateFirings say what is late, and what was missed.
func (s *Schedule) lateFirings(overdue, lost firesByConversation, now time.Time) (firings []supervisor.FireBatch) {
	for _, fires := range overdue {
		if len(fires) > maxLate {
			firings = append(firings, s.firing(fmt.Sprintf(textWereDue, lines(fires, now)), nil, fires...))
			continue
		}
		for _, f := range fires {
			firings = append(
				firings,
				s.firing(
					fmt.Sprintf(textReminder, f.Job.Text)+"\n\n"+fmt.Sprintf(textWasDue, when(f, now)),
					buttonsOf(f.Job),
					f,
				),
			)
		}
	}
	for _, fires := range lost {
		firings = append(firings, s.missedFirings(fires, now)...)
	}
	return firings
}

// missedFirings say what was missed in one chat, in one message. About what is to be asked there is
// one for each.
func (s *Schedule) missedFirings(fires []supervisor.Fire, now time.Time) (firings []supervisor.FireBatch) {
	var told []supervisor.Fire
	for _, f := range fires {
		text := fmt.Sprintf(textMissedAsk, job.Title(f.Job), when(f, now))
		switch {
		case f.Job.Kind == supervisor.JobRoutine: // the next time will do
			firings = append(firings, s.firing("", nil, f))
		case f.Job.Options.Missed == supervisor.MissedAsk && f.Job.Kind == supervisor.JobReminder:
			firings = append(
				firings,
				s.firing(fmt.Sprintf(textMissedRemind, job.Title(f.Job), when(f, now)), buttonsOf(f.Job), f),
			)
		case f.Job.Options.Missed == supervisor.MissedAsk:
			firings = append(firings, s.firing(text, job.Buttons(f.Job, supervisor.JobRun), f))
		default:
			told = append(told, f)
		}
	}
	switch {
	case len(told) == 0:
		return firings
	case len(told) > 1:
		return append(firings, s.firing(fmt.Sprintf(textWereMissed, lines(told, now)), nil, told...))
	case told[0].Job.Kind == supervisor.JobReminder:
		return append(
			firings,
			s.firing(fmt.Sprintf(textMissed, job.Title(told[0].Job), when(told[0], now)), nil, told[0]),
		)
	}
	return append(firings, s.firing(fmt.Sprintf(textMissed, job.Title(told[0].Job), when(told[0], now)),
		job.Buttons(told[0].Job, supervisor.JobRun), told[0]))
}

// lines name fires and when they were due.
func lines(fires []supervisor.Fire, now time.Time) string {
	var list strings.Builder
	for _, f := range fires {
		fmt.Fprintf(&list, "\n- %s: %s", when(f, now), listedText(f.Job))
	}
	return list.String()
}

// fireOf is what becomes of a job that is due. However many of its times have passed, it is once,
// and as late as the last of them. A job that can't be read is paused.
func fireOf(j supervisor.Job, now time.Time) (supervisor.Fire, error) {
	f := supervisor.Fire{
		Job:      j,
		LastDue:  lastDue(j, now),
		JobSince: now,
		JobState: supervisor.JobActive,
		State:    supervisor.FireSaid,
	}
	if j.Next.After(now) {
		f.JobSince = j.Next
	}
	j.FireCount++
	next, found, err := recurrence.NextOf(j, f.JobSince)
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

// lastDue is the last of a job's times that have passed. Where its next was a moment ago, that is
// it.
func lastDue(j supervisor.Job, now time.Time) time.Time {
	last, from := j.Next, j.Next
	// there is one in what follows from, and none in what follows to
	for to := now; to.Sub(from) > time.Minute; {
		middle := from.Add(to.Sub(from) / 2)
		next, found, err := recurrence.NextOf(j, middle)
		if err != nil || !found || next.After(now) {
			to = middle
			continue
		}
		last, from = next, next
	}
	return last
}

// firing says something where the jobs were made: or in the person's private chat where that is
// nothing that they open by themselves.
func (s *Schedule) firing(text string, buttons [][]supervisor.Button, fires ...supervisor.Fire) supervisor.FireBatch {
	user, _ := s.person(fires[0].Job.User)
	return supervisor.FireBatch{Fires: fires, Private: user.PrivateChat(),
		Notice: supervisor.Delivery{Conversation: s.destination(fires[0].Job), Text: text, Buttons: buttons,
			Urgent: slices.ContainsFunc(fires, func(f supervisor.Fire) bool { return !waits(f.Job) }),
			Silent: !slices.ContainsFunc(
				fires,
				func(f supervisor.Fire) bool { return f.Job.Options.Priority != supervisor.JobLow },
			)}}
}

// waits says whether what a job says waits for the end of quiet hours: all but a reminder with a
// time of its own, and what has priority.
func waits(j supervisor.Job) bool {
	if j.Options.Priority == supervisor.JobHigh {
		return false
	}
	r, err := recurrence.Of(j)
	return j.Kind != supervisor.JobReminder || err == nil && r.Kind == recurrence.Interval
}

// when says when a fire was due that is late.
func when(f supervisor.Fire, now time.Time) string {
	zone, err := recurrence.ZoneOf(f.Job)
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
	return fmt.Sprintf("%s, %s ago", due.Format(layout), amount.Duration(ago))
}

// buttonsOf are the buttons below a reminder.
func buttonsOf(j supervisor.Job) [][]supervisor.Button {
	press := func(what string) string { return fmt.Sprintf("%s%s %d", supervisor.JobPrefix, what, j.ID) }
	return [][]supervisor.Button{{{Text: "Done", Press: press(pressDone)}, {Text: "10 min", Press: press(pressSoon)},
		{Text: "1 h", Press: press(pressHour)}, {Text: "Tomorrow", Press: press(pressTomorrow)}}}
}
