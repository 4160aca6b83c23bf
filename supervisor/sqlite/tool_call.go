package sqlite

import (
	"context"

	"mews/protocol"
	"mews/supervisor/sqlite/internal/engine"
)

// CommitResult keeps what became of a call, with what it changed, and returns the message's id. The same result again
// changes nothing and returns the same id. Refused if the turn has ended or has no such call of that tool, or if the
// call has another result.
func (s Turns) CommitResult(ctx context.Context, turn int64, r protocol.ToolResult) (message int64, err error) {
	message, err = inTurn(ctx, s.db, turn, func(t turnTx) (int64, error) { return t.commitResult(r) })
	return message, wrap(err, "commit the result of call %s of turn %d", r.Call, turn)
}

func (t turnTx) commitResult(r protocol.ToolResult) (int64, error) {
	call, err := t.call(r.Call)
	switch {
	case err != nil:
		return 0, err
	case call.name != r.Name:
		return 0, invalid("call %s of turn %d is of %s, not of %s", r.Call, t.turn.ID, call.name, r.Name)
	case call.result != 0:
		return call.result, t.sameResult(call.result, r)
	}
	return t.putResult(r)
}

const findParts = `SELECT parts FROM message WHERE id = ?`

// sameResult refuses a result that is not the one that message holds.
func (t turnTx) sameResult(message int64, r protocol.ToolResult) error {
	want, err := encodeParts([]protocol.Part{{Result: &r}})
	if err != nil {
		return err
	}
	have, _, err := engine.One(t, engine.String, findParts, message)
	if err == nil && have != want {
		err = invalid("call %s has another result", r.Call)
	}
	return err
}

const answerCall = `UPDATE tool_call SET result = ? WHERE conversation = ? AND call = ?`

// putResult appends the result of a call that has none to the transcript, and what it changed to the ledger.
func (t turnTx) putResult(r protocol.ToolResult) (int64, error) {
	id, err := t.putMessage(protocol.Message{Role: protocol.RoleTool, Parts: []protocol.Part{{Result: &r}}})
	if err != nil {
		return 0, err
	}
	if err := t.Exec(answerCall, id, t.turn.Conversation.ID, r.Call); err != nil {
		return 0, err
	}
	return id, t.putEffects(r)
}

const insertEffect = `INSERT INTO effect (user, turn, call, kind, target, detail, created_at)
	VALUES (?, ?, ?, ?, ?, ?, ?)`

func (t turnTx) putEffects(r protocol.ToolResult) error {
	for _, c := range r.Changes {
		if c.Kind == "" {
			return invalid("a change of call %s has no kind", r.Call)
		}
		err := t.Exec(insertEffect, t.turn.Conversation.User, t.turn.ID, r.Call, c.Kind, c.Target, c.Detail, t.Now)
		if err != nil {
			return err
		}
	}
	return nil
}
