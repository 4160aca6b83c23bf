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

// Limits of the messages that a turn takes in between two steps, in bytes. A long text waits for
// its own turn. So does a text that does not fit into the request. Short texts are always taken in.
const (
	maxTaken   = 32 << 10
	minTaken   = 4 << 10
	tokenBytes = 4 // bytes in one token, as package history estimates
)

// takeWaiting adds the messages that the user has sent during the turn to the request. The user's
// setting decides which: all except follow-ups, or only urgent ones. The worker has no say. It
// names the newest message that it knows, and learns with the model's answer how many messages came
// in between.
//
// A message that can't be taken in now waits for the next step, or for its own turn.
//
// Changes to earlier messages of this turn are always taken in, whatever the setting.
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
	// after an error too, because the message may be stored
	return t.transcript.catchUp(ctx, t.o.Transcript, t.Conversation)
}

// countTaken returns how many messages of the user the turn's next step will answer. Before its
// first step it returns 0, because that step begins with all of them. It counts in the transcript:
// a message may have been taken in for a failed step, or for a dead worker.
func (t *turn) countTaken() (n int) {
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

// takenText returns the line of the reply about the messages that the model has now answered for
// the first time.
func (t *turn) takenText() string {
	if n := t.countTaken(); n > 0 {
		return reply.Taken(n)
	}
	return ""
}
