package sqlite

import (
	"context"
	"fmt"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/sqlite/internal/engine"
)

// The kinds of the effects that something was sent to a chat.
const (
	FileSent    = "file.sent"
	MessageSent = "message.sent"
)

const (
	insertEffect = `INSERT INTO effect (user, turn, call, kind, target, detail, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`
	findSent     = `SELECT count(*) FROM effect WHERE turn = ? AND call = ? AND kind IN ('file.sent', 'message.sent')`
)

func (t turnTx) putEffect(call, kind, target, detail string) {
	t.Exec(insertEffect, t.turn.Conversation.User, t.turn.ID, call, kind, target, detail, t.Now)
}

// Send puts the Text and the Files of d into the outbox of the conversation that a turn answers in, and into the ledger, for a
// call of the turn's that has no result. The inbound that the turn answers is done only when they were delivered too. A call
// sends once: a second time changes nothing, whatever is to be sent then, for what the folder held may have changed since. in is
// the conversation, 0 where nothing was changed. Refused if the turn has ended, if the call is not one of the turn's or has a
// result, and if the bytes are not the person's.
func (s Turns) Send(ctx context.Context, turn int64, call string, d supervisor.Delivery) (in int64, err error) {
	return inTurn(ctx, s.db, turn, func(t turnTx) int64 { return t.send(call, d) }, "send for call %s of turn %d", call, turn)
}

func (t turnTx) send(call string, d supervisor.Delivery) (in int64) {
	t.checkUnanswered(call)
	if value(t, engine.Bool, findSent, t.turn.ID, call) {
		return 0
	}
	kind := supervisor.DeliveryNotice
	if d.Text != "" {
		kind = supervisor.DeliveryMessage
		t.putEffect(call, MessageSent, "", amount.Of(int64(len(d.Text)), "byte", "bytes"))
	}
	for _, f := range d.Files {
		size, owned := one(t, engine.Integer, findBlob, t.turn.Conversation.User, f.SHA256)
		if !owned || size != f.Size {
			t.fail(invalid("%s has no blob %.64s of %d bytes", t.turn.Conversation.User, f.SHA256, f.Size))
		}
		t.putEffect(call, FileSent, f.Name, fmt.Sprintf("%s, %d bytes, sha256 %s", f.MediaType, f.Size, f.SHA256))
	}
	return t.putDelivery(supervisor.Delivery{Conversation: t.turn.AnswersIn(), Inbound: t.turn.Inbound, Kind: kind, Text: d.Text,
		Files: d.Files}).Conversation.ID
}

// Sent says whether Send has sent something for a call of a turn's.
func (s Turns) Sent(ctx context.Context, turn int64, call string) (bool, error) {
	return engine.Value(s.db.reader(ctx, "look whether call %s of turn %d has sent something", call, turn), engine.Bool, findSent,
		turn, call)
}

// checkUnanswered refuses a call that the turn has not made, or that has a result.
func (t turnTx) checkUnanswered(call string) {
	if t.call(call).result != 0 {
		t.fail(invalid("call %s of turn %d has a result", call, t.turn.ID))
	}
}
