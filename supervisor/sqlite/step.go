package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/ncruces/go-sqlite3"

	"mews/protocol"
	"mews/supervisor"
)

// Step is what a model said in a turn, and what that cost.
type Step struct {
	Turn    int64
	Message protocol.Message // Role assistant
	Model   string           // as its provider names it
	Usage   protocol.Usage
}

// CommitStep keeps what a model said and returns the message's id. Refused if the turn has ended, if calls of its last
// step have no result yet, and if a call's ID is empty or was used before in the conversation.
func (s Turns) CommitStep(ctx context.Context, step Step) (message int64, err error) {
	message, err = inTransaction(ctx, s.db.writer, func(t *tx) (int64, error) { return t.commitStep(step) })
	return message, during(err, "commit a step of turn %d", step.Turn)
}

func (t *tx) commitStep(step Step) (int64, error) {
	turn, err := t.runningTurn(step.Turn)
	if err != nil {
		return 0, err
	}
	if step.Message.Role != protocol.RoleAssistant {
		return 0, refuse("A step's message is the assistant's, not one of role %q.", step.Message.Role)
	}
	open, err := t.openCalls(turn.ID)
	if err != nil {
		return 0, err
	}
	if len(open) > 0 {
		return 0, refuse("Call %s of turn %d has no result yet.", open[0].ID, turn.ID)
	}
	id, err := t.putMessage(turn, step.Message)
	if err != nil {
		return 0, err
	}
	if err := t.putCalls(turn, id, step.Message.Calls()); err != nil {
		return 0, err
	}
	return id, t.putUsage(turn, id, step)
}

const (
	insertCall = `INSERT INTO tool_call (conversation, call, user, turn, message, position, name)
		VALUES (?, ?, ?, ?, ?, ?, ?)`
	listOpen = `SELECT call, name FROM tool_call WHERE turn = ? AND result IS NULL ORDER BY message, position`
)

// openCalls are the calls of a turn that have no result, in the order in which the model made them.
func (t *tx) openCalls(turn int64) ([]protocol.ToolCall, error) {
	rows, err := t.query(listOpen, turn)
	return all(rows, err, func(rows *sql.Rows) (c protocol.ToolCall, err error) {
		err = rows.Scan(&c.ID, &c.Name)
		return c, err
	})
}

func (t *tx) putCalls(turn supervisor.Turn, message int64, calls []protocol.ToolCall) error {
	for i, call := range calls {
		if call.ID == "" {
			return refuse("A call of %s has no ID.", call.Name)
		}
		err := t.exec(insertCall, turn.Conversation.ID, call.ID, turn.Conversation.User, turn.ID, message, i, call.Name)
		if errors.Is(err, sqlite3.CONSTRAINT_PRIMARYKEY) {
			return refuse("The call ID %s was used before in conversation %d.", call.ID, turn.Conversation.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const insertUsage = `INSERT INTO usage (message, user, turn, model, input, output, cache_read, cache_write, created_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

func (t *tx) putUsage(turn supervisor.Turn, message int64, step Step) error {
	u := step.Usage
	return t.exec(insertUsage, message, turn.Conversation.User, turn.ID, step.Model, u.Input, u.Output, u.CacheRead,
		u.CacheWrite, t.now)
}

// callRow is what a call has come to.
type callRow struct {
	name   string
	begun  bool
	result int64 // the message that answers it; 0 until then
}

const findCall = `SELECT name, begun_at IS NOT NULL, coalesce(result, 0) FROM tool_call
	WHERE conversation = ? AND call = ? AND turn = ?`

// call is a call that the model has made in a turn.
func (t *tx) call(turn supervisor.Turn, id string) (callRow, error) {
	rows, err := t.query(findCall, turn.Conversation.ID, id, turn.ID)
	call, ok, err := one(rows, err, func(rows *sql.Rows) (c callRow, err error) {
		err = rows.Scan(&c.name, &c.begun, &c.result)
		return c, err
	})
	if err == nil && !ok {
		err = missing("There is no call %s in turn %d.", id, turn.ID)
	}
	return call, err
}

const beginCall = `UPDATE tool_call SET begun_at = ? WHERE conversation = ? AND call = ?`

// CommitBegun keeps that a tool is about to run whose effect must not happen twice. Refused if that was kept before,
// or if the call has a result: whoever gets nil, and nobody else, may run it.
func (s Turns) CommitBegun(ctx context.Context, turn int64, call string) error {
	err := s.db.writer.do(ctx, func(t *tx) error { return t.commitBegun(turn, call) })
	return during(err, "commit that call %s of turn %d begins", call, turn)
}

func (t *tx) commitBegun(id int64, call string) error {
	turn, err := t.runningTurn(id)
	if err != nil {
		return err
	}
	c, err := t.call(turn, call)
	switch {
	case err != nil:
		return err
	case c.result != 0:
		return refuse("Call %s of turn %d has a result.", call, id)
	case c.begun:
		return refuse("Call %s of turn %d has begun before.", call, id)
	}
	return t.exec(beginCall, t.now, turn.Conversation.ID, call)
}
