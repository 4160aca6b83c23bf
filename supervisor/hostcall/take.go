package hostcall

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/reply"
)

// latecomers are what a desk's person sends while a turn runs.
type latecomers struct{ *Desk }

// takeIn puts what the person has sent while the turn ran before the model, where they want that. The worker is not told:
// it names the newest message that it knows, the request is made here, and the model's message, which it gets, is newer than
// all of it.
//
// That it can't be done now costs nobody anything: what was sent waits for the next step, or for a turn of its own.
func (d latecomers) takeIn(ctx context.Context, t *turn) error {
	if d.o.Busy == nil || d.o.Busy(ctx, d.user) != supervisor.BusySteer {
		return nil
	}
	taken, err := d.o.Steps.Take(ctx, t.ID)
	if err != nil {
		d.o.Log.Warn("take in what was sent meanwhile", "user", d.user, "turn", t.ID, "error", err)
	}
	if taken == 0 && err == nil {
		return nil
	}
	if taken > 0 && t.Step > 0 { // before its first step the turn just begins with all of it
		t.Reply.Commit(reply.Taken(taken))
	}
	return t.past.catchUp(ctx, d.o.Transcript, t.Conversation) // also after an error: it may be kept all the same
}
