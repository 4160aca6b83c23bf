package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	insertCall = `INSERT INTO tool_call (conversation, call, user, turn, message, position, name) VALUES (?, ?, ?, ?, ?, ?, ?)`
	beginCall  = `UPDATE tool_call SET begun_at = ? WHERE conversation = ? AND call = ?`
	answerCall = `UPDATE tool_call SET result = ? WHERE conversation = ? AND call = ?`
	findCall   = `SELECT name, begun_at IS NOT NULL, coalesce(result, 0),
		EXISTS (SELECT 1 FROM external_call x WHERE x.turn = c.turn AND x.call = c.call)
		FROM tool_call c WHERE conversation = ? AND call = ? AND turn = ?`
	listOpen    = `SELECT call, name FROM tool_call WHERE turn = ? AND result IS NULL ORDER BY message, position`
	listUnknown = `SELECT call FROM tool_call c WHERE turn = ? AND result IS NULL AND begun_at IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM effect e WHERE e.turn = c.turn AND e.call = c.call) ORDER BY message, position`
	listBegun = `SELECT call FROM tool_call WHERE turn = ? AND result IS NULL AND begun_at IS NOT NULL ORDER BY message, position`
)

// openCalls returns the turn's calls without a result, in the order in which the model made them.
func (t turnTx) openCalls() []protocol.ToolCall {
	return all(t, func(row *engine.Row) (c protocol.ToolCall) {
		row.Scan(&c.ID, &c.Name)
		return c
	}, listOpen, t.turn.ID)
}

// putCalls stores the calls in a model's message.
func (t turnTx) putCalls(message int64, calls []protocol.ToolCall) {
	in := t.turn.Conversation
	for i, call := range calls {
		if call.ID == "" {
			t.fail(invalid("a call of %s has no ID", call.Name))
		}
		t.Exec(insertCall, in.ID, call.ID, in.User, t.turn.ID, message, i, call.Name)
		if errors.Is(t.err, engine.ErrPrimaryKey) {
			t.err = invalid("the call ID %s was used before in conversation %d", call.ID, in.ID)
		}
	}
}

// toolCallRow is the state of a call.
type toolCallRow struct {
	name   string
	begun  bool
	result int64 // the message with the call's result; 0 means none yet

	external bool // there is a row of a call to another server
}

// call returns a tool call that the model made in the turn.
func (t turnTx) call(id string) toolCallRow {
	call, ok := one(t, func(row *engine.Row) (c toolCallRow) {
		row.Scan(&c.name, &c.begun, &c.result, &c.external)
		return c
	}, findCall, t.turn.Conversation.ID, id, t.turn.ID)
	if !ok {
		t.fail(notFound("there is no call %s in turn %d", id, t.turn.ID))
	}
	return call
}

// CommitCallStart records the start of a call whose effect must not happen twice. It fails if the
// start was recorded before or the call has a result. Only the caller that gets a nil error may run
// the tool.
func (s Turns) CommitCallStart(ctx context.Context, turn int64, call string) error {
	return s.db.write(ctx, func(t *tx) { turnTx{tx: t, turn: t.runningTurn(turn)}.commitBegun(call) },
		"commit that call %s of turn %d begins", call, turn)
}

func (t turnTx) commitBegun(call string) {
	switch c := t.call(call); {
	case c.result != 0:
		t.fail(invalid("call %s of turn %d has a result", call, t.turn.ID))
	case c.begun:
		t.fail(invalid("call %s of turn %d has begun before", call, t.turn.ID))
	}
	t.Exec(beginCall, t.Now, t.turn.Conversation.ID, call)
}

// CommitResult stores the result of a call and its changes. It returns the id of the result's
// message. The same result again changes nothing and returns the same id. CommitResult fails if the
// turn has ended, has no such call of that tool, or has another result for the call.
func (s Turns) CommitResult(ctx context.Context, turn int64, r protocol.ToolResult) (message int64, err error) {
	return inTurn(ctx, s.db, turn, func(t turnTx) int64 { return t.commitResult(r) },
		"commit the result of call %s of turn %d", r.Call, turn)
}

func (t turnTx) commitResult(r protocol.ToolResult) int64 {
	call := t.call(r.Call)
	if call.name != r.Name {
		t.fail(invalid("call %s of turn %d is of %s, not of %s", r.Call, t.turn.ID, call.name, r.Name))
	}
	if call.result != 0 {
		t.checkSameResult(call.result, r)
		return call.result
	}
	if call.external {
		r = t.endExternalCall(r)
	}
	return t.putResult(r)
}

const findParts = `SELECT parts FROM message WHERE id = ?`

// checkSameResult fails if a message holds another result. It ignores whose words the results have,
// because markResult has added that to the stored result.
func (t turnTx) checkSameResult(message int64, r protocol.ToolResult) {
	var stored []protocol.ContentPart
	raw := value(t, engine.ScanString, findParts, message) // "" after an error
	t.fail(json.Unmarshal([]byte(cmp.Or(raw, "[]")), &stored))
	if len(stored) == 1 && stored[0].Result != nil {
		r.World, r.Origins = stored[0].Result.World, stored[0].Result.Origins
	}
	want, err := encode([]protocol.ContentPart{{Result: &r}})
	t.fail(err)
	if got, err := encode(stored); err != nil || got != want {
		t.fail(invalid("call %s has another result", r.Call))
	}
}

// putResult appends the result of an open call to the transcript, and its changes to the ledger.
func (t turnTx) putResult(r protocol.ToolResult) int64 {
	r, origins := t.markResult(r)
	id := t.putMessage(protocol.Message{Role: protocol.RoleTool, Parts: []protocol.ContentPart{{Result: &r}}})
	t.markFiles(r, origins)
	t.Exec(answerCall, id, t.turn.Conversation.ID, r.Call)
	for _, c := range r.Changes {
		if c.Kind == "" {
			t.fail(invalid("a change of call %s has no kind", r.Call))
		}
		if c.Undo != nil && c.Undo.Obstacle != "" && c.Undo.Obstacle != protocol.ObstacleProgramChange {
			c.Detail += t.policies.Undo.ImpossibleNote(c.Undo.Obstacle)
		}
		t.putEffect(supervisor.Effect{Call: r.Call, Kind: c.Kind, Target: c.Target, Detail: c.Detail})
		if c.Undo != nil {
			t.putUndo(t.turn.Conversation.User, t.turn.ID, 0, *c.Undo)
		}
	}
	return id
}
