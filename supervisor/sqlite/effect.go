package sqlite

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/sqlite/internal/engine"
)

// FileSent is the kind of the effect that a file was sent to a chat.
const FileSent = "file.sent"

const (
	insertEffect = `INSERT INTO effect (user, turn, call, kind, target, detail, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`
	findSent     = `SELECT count(*) FROM effect WHERE turn = ? AND call = ? AND kind = ?`
)

func (t turnTx) putEffect(call, kind, target, detail string) {
	t.Exec(insertEffect, t.turn.Conversation.User, t.turn.ID, call, kind, target, detail, t.Now)
}

// SendFile puts a file into the outbox of the conversation that a turn answers in, and into the ledger, for a call of the
// turn's that has no result. The inbound that the turn answers is done only when the file was delivered too. A call sends
// once: a second time changes nothing, whatever the file is then, for what the folder held may have changed since. in is the
// conversation, 0 where nothing was changed. Refused if the turn has ended, if the call is not one of the turn's or has a
// result, and if the bytes are not the person's.
func (s Turns) SendFile(ctx context.Context, turn int64, call string, f supervisor.File) (in int64, err error) {
	return inTurn(ctx, s.db, turn, func(t turnTx) int64 { return t.sendFile(call, f) },
		"send a file for call %s of turn %d", call, turn)
}

func (t turnTx) sendFile(call string, f supervisor.File) (in int64) {
	t.checkUnanswered(call)
	if value(t, engine.Bool, findSent, t.turn.ID, call, FileSent) {
		return 0
	}
	size, owned := one(t, engine.Integer, findBlob, t.turn.Conversation.User, f.SHA256)
	if !owned || size != f.Size {
		t.fail(invalid("%s has no blob %.64s of %d bytes", t.turn.Conversation.User, f.SHA256, f.Size))
	}
	t.putEffect(call, FileSent, f.Name, fmt.Sprintf("%s, %d bytes, sha256 %s", f.MediaType, f.Size, f.SHA256))
	d := t.putDelivery(supervisor.Delivery{Conversation: t.turn.AnswersIn(), Inbound: t.turn.Inbound,
		Kind: supervisor.DeliveryNotice, Files: []supervisor.File{f}})
	return d.Conversation.ID
}

// Sent says whether SendFile has sent a file for a call of a turn's.
func (s Turns) Sent(ctx context.Context, turn int64, call string) (bool, error) {
	return engine.Value(s.db.reader(ctx, "look whether call %s of turn %d has sent a file", call, turn), engine.Bool, findSent,
		turn, call, FileSent)
}

// checkUnanswered refuses a call that the turn has not made, or that has a result.
func (t turnTx) checkUnanswered(call string) {
	if t.call(call).result != 0 {
		t.fail(invalid("call %s of turn %d has a result", call, t.turn.ID))
	}
}
