package sqlite

import (
	"context"
	"errors"

	"mews/protocol"
	"mews/supervisor/sqlite/internal/engine"
)

const (
	insertCall = `INSERT INTO tool_call (conversation, call, user, turn, message, position, name) VALUES (?, ?, ?, ?, ?, ?, ?)`
	beginCall  = `UPDATE tool_call SET begun_at = ? WHERE conversation = ? AND call = ?`
	answerCall = `UPDATE tool_call SET result = ? WHERE conversation = ? AND call = ?`
	findCall   = `SELECT name, begun_at IS NOT NULL, coalesce(result, 0) FROM tool_call
		WHERE conversation = ? AND call = ? AND turn = ?`
	listOpen  = `SELECT call, name FROM tool_call WHERE turn = ? AND result IS NULL ORDER BY message, position`
	listBegun = `SELECT call FROM tool_call WHERE turn = ? AND result IS NULL AND begun_at IS NOT NULL ORDER BY message, position`
)

// openCalls are the turn's calls that have no result, in the order in which the model made them.
func (t turnTx) openCalls() ([]protocol.ToolCall, error) {
	return engine.All(t, func(row *engine.Row) (c protocol.ToolCall) {
		row.Scan(&c.ID, &c.Name)
		return c
	}, listOpen, t.turn.ID)
}

// putCalls keeps what the model has asked for in a message.
func (t turnTx) putCalls(message int64, calls []protocol.ToolCall) error {
	in := t.turn.Conversation
	for i, call := range calls {
		if call.ID == "" {
			return invalid("a call of %s has no ID", call.Name)
		}
		err := t.Exec(insertCall, in.ID, call.ID, in.User, t.turn.ID, message, i, call.Name)
		if errors.Is(err, engine.ErrPrimaryKey) {
			return invalid("the call ID %s was used before in conversation %d", call.ID, in.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// toolCallRow is how far a call has come.
type toolCallRow struct {
	name   string
	begun  bool
	result int64 // the message that answers it; 0 until then
}

// call is a call that the model has made in the turn.
func (t turnTx) call(id string) (toolCallRow, error) {
	call, ok, err := engine.One(t, func(row *engine.Row) (c toolCallRow) {
		row.Scan(&c.name, &c.begun, &c.result)
		return c
	}, findCall, t.turn.Conversation.ID, id, t.turn.ID)
	if err == nil && !ok {
		err = notFound("there is no call %s in turn %d", id, t.turn.ID)
	}
	return call, err
}

// CommitBegun keeps that a tool is about to run whose effect must not happen twice. Refused if that was kept before, or if the
// call has a result: whoever gets nil, and nobody else, may run it.
func (s Turns) CommitBegun(ctx context.Context, turn int64, call string) error {
	_, err := inTurn(ctx, s.db, turn, func(t turnTx) (none struct{}, _ error) { return none, t.commitBegun(call) },
		"commit that call %s of turn %d begins", call, turn)
	return err
}

func (t turnTx) commitBegun(call string) error {
	c, err := t.call(call)
	switch {
	case err != nil:
		return err
	case c.result != 0:
		return invalid("call %s of turn %d has a result", call, t.turn.ID)
	case c.begun:
		return invalid("call %s of turn %d has begun before", call, t.turn.ID)
	}
	return t.Exec(beginCall, t.Now, t.turn.Conversation.ID, call)
}

// CommitResult keeps what became of a call, with what it changed, and returns the message's id. The same result again changes
// nothing and returns the same id. Refused if the turn has ended or has no such call of that tool, or if the call has another
// result.
func (s Turns) CommitResult(ctx context.Context, turn int64, r protocol.ToolResult) (message int64, err error) {
	return inTurn(ctx, s.db, turn, func(t turnTx) (int64, error) { return t.commitResult(r) },
		"commit the result of call %s of turn %d", r.Call, turn)
}

func (t turnTx) commitResult(r protocol.ToolResult) (int64, error) {
	call, err := t.call(r.Call)
	switch {
	case err != nil:
		return 0, err
	case call.name != r.Name:
		return 0, invalid("call %s of turn %d is of %s, not of %s", r.Call, t.turn.ID, call.name, r.Name)
	case call.result != 0:
		return call.result, t.checkSameResult(call.result, r)
	}
	return t.putResult(r)
}

const findParts = `SELECT parts FROM message WHERE id = ?`

// checkSameResult refuses a result that is not the one that a message holds.
func (t turnTx) checkSameResult(message int64, r protocol.ToolResult) error {
	want, err := encode([]protocol.Part{{Result: &r}})
	if err != nil {
		return err
	}
	have, err := engine.Value(t, engine.String, findParts, message)
	if err == nil && have != want {
		err = invalid("call %s has another result", r.Call)
	}
	return err
}

// putResult appends the result of a call that has none to the transcript, and what it changed to the ledger.
func (t turnTx) putResult(r protocol.ToolResult) (int64, error) {
	id, err := t.putMessage(protocol.Message{Role: protocol.RoleTool, Parts: []protocol.Part{{Result: &r}}})
	if err == nil {
		err = t.Exec(answerCall, id, t.turn.Conversation.ID, r.Call)
	}
	for _, c := range r.Changes {
		switch {
		case err != nil:
			return 0, err
		case c.Kind == "":
			return 0, invalid("a change of call %s has no kind", r.Call)
		}
		err = t.putEffect(r.Call, c.Kind, c.Target, c.Detail)
	}
	return id, err
}
