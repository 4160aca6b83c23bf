package sqlite

import (
	"context"
	"errors"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite/internal/engine"
)

// Step is what a model said in a turn, and what that cost.
type Step struct {
	Turn    int64
	Message protocol.Message   // Role assistant
	Spec    string             // provider/model
	Model   string             // as its provider names it
	Purpose supervisor.Purpose // "" is chat
	Usage   protocol.Usage
	Cost    *int64  // in millionths of a dollar; nil where no price is known
	Request string  // the provider's own name of the call; "" where it gave none
	Leases  []int64 // the person's, which end with it
}

// CommitStep keeps what a model said and returns the message's id. Refused if the turn has ended, if calls of its last
// step have no result yet, and if a call's ID is empty or was used before in the conversation.
func (s Turns) CommitStep(ctx context.Context, step Step) (message int64, err error) {
	message, err = inTurn(ctx, s.db, step.Turn, func(t turnTx) (int64, error) { return t.commitStep(step) })
	return message, wrap(err, "commit a step of turn %d", step.Turn)
}

func (t turnTx) commitStep(step Step) (int64, error) {
	if step.Message.Role != protocol.RoleAssistant {
		return 0, invalid("a step's message is the assistant's, not one of role %q", step.Message.Role)
	}
	open, err := t.openCalls()
	if err != nil {
		return 0, err
	}
	if len(open) > 0 {
		return 0, invalid("call %s of turn %d has no result yet", open[0].ID, t.turn.ID)
	}
	id, err := t.putMessage(step.Message)
	if err != nil {
		return 0, err
	}
	if err := t.putCalls(id, step.Message.Calls()); err != nil {
		return 0, err
	}
	return id, t.putUsage(id, t.usage(step), step.Leases...)
}

const (
	insertCall = `INSERT INTO tool_call (conversation, call, user, turn, message, position, name)
		VALUES (?, ?, ?, ?, ?, ?, ?)`
	listOpen = `SELECT call, name FROM tool_call WHERE turn = ? AND result IS NULL ORDER BY message, position`
)

// openCalls are the turn's calls that have no result, in the order in which the model made them.
func (t turnTx) openCalls() ([]protocol.ToolCall, error) {
	return engine.All(t, func(r *engine.Row) (c protocol.ToolCall) {
		r.Scan(&c.ID, &c.Name)
		return c
	}, listOpen, t.turn.ID)
}

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

// usage is the call of a model that made a step of the turn.
func (t turnTx) usage(step Step) ModelCall {
	in := t.turn.Conversation
	return ModelCall{User: in.User, Conversation: in.ID, Turn: t.turn.ID, Spec: step.Spec, Model: step.Model,
		Purpose: step.Purpose, Usage: step.Usage, Cost: step.Cost, Request: step.Request}
}

// toolCallRow is what a call has come to.
type toolCallRow struct {
	name   string
	begun  bool
	result int64 // the message that answers it; 0 until then
}

const findCall = `SELECT name, begun_at IS NOT NULL, coalesce(result, 0) FROM tool_call
	WHERE conversation = ? AND call = ? AND turn = ?`

// call is a call that the model has made in the turn.
func (t turnTx) call(id string) (toolCallRow, error) {
	call, ok, err := engine.One(t, func(r *engine.Row) (c toolCallRow) {
		r.Scan(&c.name, &c.begun, &c.result)
		return c
	}, findCall, t.turn.Conversation.ID, id, t.turn.ID)
	if err == nil && !ok {
		err = notFound("there is no call %s in turn %d", id, t.turn.ID)
	}
	return call, err
}

const beginCall = `UPDATE tool_call SET begun_at = ? WHERE conversation = ? AND call = ?`

// CommitBegun keeps that a tool is about to run whose effect must not happen twice. Refused if that was kept before,
// or if the call has a result: whoever gets nil, and nobody else, may run it.
func (s Turns) CommitBegun(ctx context.Context, turn int64, call string) error {
	_, err := inTurn(ctx, s.db, turn, func(t turnTx) (none struct{}, _ error) {
		return none, t.commitBegun(call)
	})
	return wrap(err, "commit that call %s of turn %d begins", call, turn)
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
