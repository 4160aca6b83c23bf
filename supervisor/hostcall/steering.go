package hostcall

import (
	"context"
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/history"
	"mews/supervisor/reply"
)

// steering are what a connection's person sends while a turn runs.
type steering struct{ *Conn }

// takeIn puts what the person has sent while the turn ran before the model, where they want that. The worker is not asked:
// it names the newest message that it knows, the request is made here, and the model's message, which it gets with how many
// they were, is newer than all of it.
//
// That it can't be done now costs nobody anything: what was sent waits for the next step, or for a turn of its own.
func (d steering) takeIn(ctx context.Context, t *turn) error {
	if d.o.Busy == nil || d.o.Busy(ctx, d.user) != supervisor.BusySteer {
		return nil
	}
	taken, err := d.o.Steps.Take(ctx, t.ID, d.room(t))
	if err != nil {
		d.o.Log.Warn("take in what was sent meanwhile", "user", d.user, "turn", t.ID, "error", err)
	}
	if taken == 0 && err == nil {
		return nil
	}
	return t.transcript.catchUp(ctx, d.o.Transcript, t.Conversation) // also after an error: it may be kept all the same
}

// What a turn takes in between two steps, in bytes. A long text is worth a turn of its own, and so is one for which the
// request has no room beside what has to stay in it; a few words are heard however full that is.
const (
	mostTaken  = 32 << 10
	leastTaken = 4 << 10
	tokenBytes = 4 // as history estimates them
)

func (d steering) room(t *turn) int {
	return max(leastTaken, min(mostTaken, tokenBytes*history.Room(t.transcript.messages, t.First, d.o.History)))
}

// taken is how many messages of the person's wait for the turn's next step to be made of them: none before its first, for it
// just begins with all of those. It is read off the transcript, and not off what was taken: that may have been for a step
// that failed, or for one of a worker that is dead.
func (t *turn) taken() (n int) {
	if t.Step == 0 {
		return 0
	}
	for _, m := range slices.Backward(t.transcript.messages) {
		if m.Role != protocol.RoleUser {
			break
		}
		n++
	}
	return n
}

// textTaken is what the reply says of what the model was shown and has now answered for the first time.
func (t *turn) textTaken() string {
	if n := t.taken(); n > 0 {
		return reply.Taken(n)
	}
	return ""
}
