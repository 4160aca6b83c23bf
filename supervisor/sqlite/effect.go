package sqlite

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/sqlite/internal/engine"
)

// FileSent is the kind of the effect that a file was sent to a chat.
const FileSent = "file.sent"

const findSent = `SELECT 1 FROM effect WHERE turn = ? AND call = ? AND kind = ?`

// SendFile puts a file into the outbox for the conversation of a turn, and into the ledger, for a call of the turn's that
// has no result. The inbound that the turn answers is done only when the file was delivered too. A call sends once: to send
// for it again changes nothing, whatever the file is then, for what the folder held may have changed since. in is the
// conversation, 0 where nothing was changed. Refused if the turn has ended, if the call is none of the turn's or has a
// result, and if the bytes are not the person's.
func (s Turns) SendFile(ctx context.Context, turn int64, call string, f supervisor.File) (in int64, err error) {
	in, err = inTurn(ctx, s.db, turn, func(t turnTx) (int64, error) { return t.sendFile(call, f) })
	return in, wrap(err, "send a file for call %s of turn %d", call, turn)
}

func (t turnTx) sendFile(call string, f supervisor.File) (in int64, err error) {
	if err := t.unanswered(call); err != nil {
		return 0, err
	}
	if _, sent, err := engine.One(t, engine.Integer, findSent, t.turn.ID, call, FileSent); err != nil || sent {
		return 0, err
	}
	if err := t.checkFileOwner(f); err != nil {
		return 0, err
	}
	detail := fmt.Sprintf("%s, %d bytes, sha256 %s", f.MediaType, f.Size, f.SHA256)
	err = t.Exec(insertEffect, t.turn.Conversation.User, t.turn.ID, call, FileSent, f.Name, detail, t.Now)
	if err != nil {
		return 0, err
	}
	_, err = t.putDelivery(supervisor.Delivery{Conversation: t.turn.AnswersIn(), Inbound: t.turn.Inbound,
		Kind: supervisor.DeliveryNotice, Files: []supervisor.File{f}})
	return t.turn.AnswersIn().ID, err
}

// Sent says whether SendFile has sent a file for a call of a turn's.
func (s Turns) Sent(ctx context.Context, turn int64, call string) (bool, error) {
	_, sent, err := engine.One(s.db.reader(ctx), engine.Integer, findSent, turn, call, FileSent)
	return sent, wrap(err, "look whether call %s of turn %d has sent a file", call, turn)
}

// unanswered refuses a call that the turn has not made, or that has a result.
func (t turnTx) unanswered(call string) error {
	c, err := t.call(call)
	if err == nil && c.result != 0 {
		err = invalid("call %s of turn %d has a result", call, t.turn.ID)
	}
	return err
}

// checkFileOwner refuses a file whose bytes are not a blob of the person's.
func (t turnTx) checkFileOwner(f supervisor.File) error {
	size, owned, err := engine.One(t, engine.Integer, findBlob, t.turn.Conversation.User, f.SHA256)
	if err == nil && (!owned || size != f.Size) {
		err = invalid("%s has no blob %.64s of %d bytes", t.turn.Conversation.User, f.SHA256, f.Size)
	}
	return err
}
