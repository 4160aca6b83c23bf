package sqlite

import (
	"context"
	"fmt"

	"mews/supervisor"
)

// FileSent is the kind of the effect that a file was sent to a chat.
const FileSent = "file.sent"

const findSent = `SELECT target || char(10) || detail FROM effect WHERE turn = ? AND call = ? AND kind = ?`

// SendFile puts a file into the outbox for the conversation of a turn, and into the ledger, for a call of the turn's that
// has begun and has no result. The inbound that the turn answers is done only when the file was delivered too. To send the
// same file for the same call again changes nothing. in is the conversation, 0 where nothing was changed. Refused if the turn has ended, if the call is
// none of the turn's or not under way, if it has sent another file, and if the bytes are not the person's.
func (s Turns) SendFile(ctx context.Context, turn int64, call string, f supervisor.File) (in int64, err error) {
	in, err = inTurn(ctx, s.db.writer, turn, func(t turnTx) (int64, error) { return t.sendFile(call, f) })
	return in, during(err, "send a file for call %s of turn %d", call, turn)
}

func (t turnTx) sendFile(call string, f supervisor.File) (in int64, err error) {
	if err := t.underWay(call); err != nil {
		return 0, err
	}
	if err := t.ownsFile(f); err != nil {
		return 0, err
	}
	detail := fmt.Sprintf("%s, %d bytes, sha256 %s", f.MediaType, f.Size, f.SHA256)
	rows, err := t.query(findSent, t.turn.ID, call, FileSent)
	sent, repeated, err := one(rows, err, scanText)
	switch {
	case err != nil:
		return 0, err
	case repeated && sent != f.Name+"\n"+detail:
		return 0, refuse("Call %s of turn %d has sent another file.", call, t.turn.ID)
	case repeated:
		return 0, nil
	}
	err = t.exec(insertEffect, t.turn.Conversation.User, t.turn.ID, call, FileSent, f.Name, detail, t.now)
	if err != nil {
		return 0, err
	}
	_, err = t.putDelivery(supervisor.Delivery{Conversation: t.turn.Conversation, Inbound: t.turn.Inbound,
		Kind: supervisor.DeliveryNotice, Files: []supervisor.File{f}})
	return t.turn.Conversation.ID, err
}

// underWay refuses a call that has not begun, or has a result.
func (t turnTx) underWay(call string) error {
	c, err := t.call(call)
	switch {
	case err != nil:
		return err
	case c.result != 0:
		return refuse("Call %s of turn %d has a result.", call, t.turn.ID)
	case !c.begun:
		return refuse("Call %s of turn %d has not begun.", call, t.turn.ID)
	}
	return nil
}

// ownsFile refuses a file whose bytes are not a blob of the person's.
func (t turnTx) ownsFile(f supervisor.File) error {
	rows, err := t.query(findBlob, t.turn.Conversation.User, f.SHA256)
	size, owned, err := one(rows, err, scanInt)
	if err == nil && (!owned || size != f.Size) {
		err = refuse("%s has no blob %.64s of %d bytes.", t.turn.Conversation.User, f.SHA256, f.Size)
	}
	return err
}
