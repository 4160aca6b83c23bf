package schedule

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mews/supervisor"
)

// tooLateOnce is the longest delay with which a one-time reminder is still sent after its chat
// takes messages again. After a longer delay its user decides.
const tooLateOnce = 24 * time.Hour

// resumeReturned resumes the jobs of chats that take messages again, and tells each user once which
// times were missed. After a crash it begins again.
func (s *Schedule) resumeReturned(ctx context.Context) error {
	now := s.now()
	chats, err := s.queue.ListReachableChats(ctx, now)
	for _, c := range chats {
		if _, known := s.person(c.User); !known {
			continue
		}
		due, err := s.queue.ListDueInChat(ctx, c, now)
		if err != nil {
			return err
		}
		said, err := s.queue.PutFiresOfReachableChat(ctx, c, s.returnedBatches(due, now))
		if err != nil {
			return err
		}
		s.queued(said)
	}
	return err
}

// returnedBatches returns the fires of jobs that were due while their chat refused messages. All
// missed times share one message. A one-time reminder or a task that is not too late still fires.
func (s *Schedule) returnedBatches(due []supervisor.Job, now time.Time) (batches []supervisor.FireBatch) {
	overdue, missed, caught := firesByConversation{}, firesByConversation{}, map[string]int{}
	for _, j := range due {
		f, err := newFire(j, now)
		late, once := now.Sub(f.LastDue), f.NextDue.IsZero()
		switch {
		case err != nil:
			s.log.Error("a job can't be read", "job", j.ID, "user", j.User, "error", err)
			batches = append(batches, s.newBatch(fmt.Sprintf(textUnreadable, j.ID, j.Text), nil, f))
		case j.Kind == supervisor.JobReminder && late < lateAfter:
			batches = append(batches, s.newBatch(fmt.Sprintf(textReminder, j.Text), reminderButtons(j), f))
		case j.Kind == supervisor.JobReminder && once && late < tooLateOnce:
			overdue.add(s.destination(j), f)
		case j.Kind == supervisor.JobRoutine && s.skipIfTooLate(&f, now, caught): // a routine is soon due again
			batches = append(batches, s.newBatch("", nil, f))
		case j.Kind != supervisor.JobReminder && !s.skipIfTooLate(&f, now, caught):
			batches = append(batches, s.claimBatch(f, now, caught))
		default:
			f.State = supervisor.FireMissed
			missed.add(s.destination(j), f)
		}
	}
	for _, fires := range missed {
		for part := range slices.Chunk(fires, maxSnoozable) {
			text := fmt.Sprintf(textMissedInChat, fireLines(part, now))
			batches = append(batches, s.newBatch(text, laterButtons(part), part...))
		}
	}
	return append(batches, s.lateBatches(overdue, nil, now)...)
}

// laterButtons returns a row of buttons for each one-time reminder in a list. A button sets its
// reminder again.
func laterButtons(fires []supervisor.Fire) [][]supervisor.Button {
	return snoozeButtons(slices.DeleteFunc(slices.Clone(fires), func(f supervisor.Fire) bool {
		return f.Job.Kind != supervisor.JobReminder || !f.NextDue.IsZero()
	}))
}

// MissedFire returns the fire of a job that was due until now, as missed. A job that can't be read
// is paused.
func MissedFire(j supervisor.Job, now time.Time) supervisor.Fire {
	f, _ := newFire(j, now) // the fire says that the job is paused
	f.State = supervisor.FireMissed
	return f
}

// DescribeMissed returns a line for each missed fire, and buttons that catch up. A reminder is set
// again, and a task runs once more.
func DescribeMissed(fires []supervisor.Fire, now time.Time) (lines []string, buttons [][]supervisor.Button) {
	for _, f := range fires {
		lines = append(lines, fmt.Sprintf("%d: %s: %s", f.Job.ID, dueText(f, now), listTitle(f.Job)))
		if f.Job.Kind == supervisor.JobReminder {
			buttons = append(buttons, laterButtons([]supervisor.Fire{f})...)
		} else {
			buttons = append(buttons, listButtons(f.Job, supervisor.JobPressRun))
		}
	}
	return lines, buttons
}
