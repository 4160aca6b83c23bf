package schedule

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

// triggerGap is how long it is at least from one triggered run of a task to the next.
const triggerGap = time.Minute

// Trigger has a person's task be done, by its name, with material that somebody has sent. It is
// once for a moment; while one waits, others are left out.
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
	_, said, err := js.store.RunNow(ctx, j, supervisor.Trigger{Due: at, Material: material, Gap: triggerGap, Private: who.PrivateChat()})
	js.queued(said)
	signals.Send(js.woken)
	return err
}
