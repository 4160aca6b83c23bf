package hostcall

import (
	"context"
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/history"
	"mews/supervisor/modelcall"
	"mews/supervisor/reply"
)

// What a turn takes in between two steps, in bytes. A long text is worth a turn of its own, and so
// is one for which the request has no room beside what has to stay in it; a few words are taken in
// however full that is.
const (
	maxTaken   = 32 << 10
	minTaken   = 4 << 10
	tokenBytes = 4 // as history estimates them
)

// takeWaiting puts what the person has sent while the turn ran before the model, where they want
// that: all of it but what is to wait, or what they want next alone. The worker is not asked: it
// names the newest message that it knows, the request is made here, and the model's message, which
// it gets with how many they were, is newer than all of it.
//
// Where it cannot be done now, nothing is lost: what was sent waits for the next step, or for a
// turn of its own.
//
// What they have changed of what the turn knows is told whatever they want with what they send:
// they mean this turn.
func (t *turn) takeWaiting(ctx context.Context, req modelcall.Request) error {
	told, err := t.o.Steps.Correct(ctx, t.ID, maxTaken)
	if err != nil {
		t.log().Warn("tell what was changed meanwhile", "error", err)
	}
	if told > 0 || err != nil {
		if err := t.transcript.catchUp(ctx, t.o.Transcript, t.Conversation); err != nil {
			return err
		}
	}
	least := supervisor.PriorityNow
	if t.o.Busy != nil && t.o.Busy(ctx, t.user) == supervisor.BusySteer {
		least = supervisor.PriorityUsual
	}
	room := tokenBytes * history.Room(t.transcript.messages, t.First, t.historyRoom(ctx, req))
	taken, err := t.o.Steps.Take(ctx, t.ID, max(minTaken, min(maxTaken, room)), least)
	if err != nil {
		t.log().Warn("take in what was sent meanwhile", "error", err)
	}
	if taken == 0 && err == nil {
		return nil
	}
	// also after an error: it may be kept all the same
	return t.transcript.catchUp(ctx, t.o.Transcript, t.Conversation)
}

// taken is how many messages of the person's wait for the turn's next step to be made of them: none
// before its first, which begins with all of those. It is read off the transcript, and not off what
// was taken: that may have been for a step that failed, or for one of a worker that is dead.
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

// textTaken is what the reply says of the messages that the model has now answered for the first
// time.
func (t *turn) textTaken() string {
	if n := t.taken(); n > 0 {
		return reply.Taken(n)
	}
	return ""
}
