package schedule

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

// triggerGap is the least time between two triggered runs of a task.
const triggerGap = time.Minute

// Trigger runs the named task of a user, with material from outside. It runs the task at most once
// for each value of at. While a triggered run waits, further calls have no effect.
func (js *Jobs) Trigger(ctx context.Context, user, name string, at time.Time, material string) error {
	who, served := js.person(user)
	if !served {
		return supervisor.Errorf(supervisor.CodeForbidden, textNotServed, user)
	}
	j, err := js.findNamed(ctx, user, name)
	if err != nil {
		return err
	}
	if j.Kind != supervisor.JobTask && j.Kind != supervisor.JobCheck || j.State != supervisor.JobActive {
		return supervisor.Errorf(supervisor.CodeInvalid, textNoTask, nouns[j.Kind], j.ID, j.State)
	}
	j.Options.Overlap = supervisor.OverlapQueue
	_, said, err := js.store.RunNow(ctx, j, supervisor.JobTrigger{Due: at, Material: material, Gap: triggerGap,
		Private: who.PrivateChat()})
	js.queued(said)
	signals.SendToken(js.woken)
	return err
}
