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

// Limits of the messages that join a turn between two steps, in bytes. Short texts always join. A
// long text waits for its own turn, and so does a text that does not fit into the request.
const (
	maxTaken   = 32 << 10
	minTaken   = 4 << 10
	tokenBytes = 4 // average bytes of a token, as package history estimates tokens
)

// takeWaiting adds the messages that the user has sent during the turn to the request. The user's
// setting decides which messages join: all except follow-ups, or only urgent ones. Edits of earlier
// messages of this turn always join, whatever the setting. A message that can't join now waits for
// the next step, or for its own turn.
//
// The worker can't choose which messages join. It names the newest message that it knows. With the
// model's answer it learns how many messages have joined since then.
func (t *turn) takeWaiting(ctx context.Context, req modelcall.Request) error {
	told, err := t.o.Steps.AppendEdits(ctx, t.ID, maxTaken)
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
	room := tokenBytes * history.RemainingTokens(t.transcript.messages, t.First, t.historyRoom(ctx, req))
	taken, err := t.o.Steps.AddWaitingTexts(ctx, t.ID, max(minTaken, min(maxTaken, room)), least)
	if err != nil {
		t.log().Warn("take in what was sent meanwhile", "error", err)
	}
	if taken == 0 && err == nil {
		return nil
	}
	// read the transcript even after an error, because the message may have been stored
	return t.transcript.catchUp(ctx, t.o.Transcript, t.Conversation)
}

// countTaken returns how many messages of the user the turn's next step will answer. Before the
// first step it returns 0, because that step answers all messages anyway. It counts them in the
// transcript, because a message may have joined for a failed step or a dead worker.
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

// takenText returns the reply's line about the messages that the model has just answered for the
// first time.
func (t *turn) takenText() string {
	if n := t.countTaken(); n > 0 {
		return reply.LineAboutReadMessages(n)
	}
	return ""
}
