package sqlite

import (
	"context"
	"encoding/json"
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// ExternalCalls stores tool calls that leave the service, with their answers. A call's row is
// deleted in the transaction that stores the call's result.
type ExternalCalls struct{ db *DB }

// ExternalCalls returns the store of tool calls that leave the service.
func (db *DB) ExternalCalls() ExternalCalls { return ExternalCalls{db} }

// ExternalAnswer is the answer to a call that left the service.
type ExternalAnswer struct {
	Result  string   // what the worker gets, as JSON
	Origins []string // where words of others in the answer come from; empty means that it has none
	Blobs   []protocol.BlobRef
	Effects []supervisor.Effect // effects of the call, for the ledger; User, Turn and Call are ignored
}

// ExternalCallState is the state of a call that is about to leave the service.
type ExternalCallState struct {
	Begun   bool            // the call began before
	Answer  *ExternalAnswer // the kept answer, with Result alone; nil means none
	Unknown bool            // the call began before, may not be made again, and has no answer
}

const (
	findExternalCall = `SELECT answer IS NOT NULL, coalesce(answer, ''), origins, repeatable FROM external_call
		WHERE turn = ? AND call = ?`
	insertExternalCall = `INSERT INTO external_call (turn, call, user, repeatable, created_at)
		VALUES (?, ?, ?, ?, ?)`
	keepExternalAnswer = `UPDATE external_call SET answer = ?, origins = ?
		WHERE turn = ? AND call = ? AND answer IS NULL`
	insertExternalBlob = `INSERT INTO external_blob (user, sha256, turn, call, size)
		VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
	deleteExternalCall = `DELETE FROM external_call WHERE turn = ? AND call = ?`
	deleteExternalBlob = `DELETE FROM external_blob WHERE turn = ? AND call = ? RETURNING sha256, size`
	hasEffect          = `SELECT EXISTS (SELECT 1 FROM effect WHERE turn = ? AND call = ?)`
	// forgetExternalBlob marks a blob that nobody needs any more. Marked blobs are deleted from the
	// spool together with forgotten ones.
	forgetExternalBlob = `INSERT INTO blob (user, sha256, size, turn, created_at, forgotten)
		VALUES (?, ?, ?, NULL, ?, 1) ON CONFLICT DO NOTHING`
)

// Find returns the state of a call, and Unknown unless the call is repeatable. It fails if the turn
// has ended, or if the call has a result.
func (s ExternalCalls) Find(ctx context.Context, turn int64, call string, repeatable bool) (ExternalCallState,
	error) {
	return inTurn(ctx, s.db, turn, func(t turnTx) ExternalCallState { return t.stateOfExternalCall(call, repeatable) },
		"find call %s of turn %d to another server", call, turn)
}

// Begin records that a call begins. If the call began before, Begin returns its state as Find does.
func (s ExternalCalls) Begin(ctx context.Context, turn int64, call string, repeatable bool) (ExternalCallState,
	error) {
	return inTurn(ctx, s.db, turn, func(t turnTx) ExternalCallState {
		state := t.stateOfExternalCall(call, repeatable)
		if !state.Begun {
			t.Exec(insertExternalCall, t.turn.ID, call, t.turn.Conversation.User, repeatable, t.Now)
		}
		return state
	}, "begin call %s of turn %d to another server", call, turn)
}

func (t turnTx) stateOfExternalCall(call string, repeatable bool) (state ExternalCallState) {
	t.checkUnanswered(call)
	kept, found := t.externalCall(call)
	state.Begun = found
	switch {
	case kept.answered:
		state.Answer = &ExternalAnswer{Result: kept.answer}
	case found:
		state.Unknown = !repeatable
	}
	return state
}

// KeepAnswer stores the answer of a call that has begun, and its effects. The blobs are in the
// spool. A second answer changes nothing.
func (s ExternalCalls) KeepAnswer(ctx context.Context, turn int64, call string, a ExternalAnswer) error {
	_, err := inTurn(ctx, s.db, turn, func(t turnTx) (none struct{}) {
		if t.ExecCount(keepExternalAnswer, a.Result, columnEncoder{append([]string{}, a.Origins...)}, turn, call) == 0 {
			return none
		}
		for _, b := range a.Blobs {
			t.Exec(insertExternalBlob, t.turn.Conversation.User, b.SHA256, turn, call, b.Size)
		}
		for _, e := range a.Effects {
			e.Call = call
			t.putEffect(e)
		}
		return none
	}, "keep the answer to call %s of turn %d", call, turn)
	return err
}

// Delete deletes a call that was not made. It does not change a call with an answer.
func (s ExternalCalls) Delete(ctx context.Context, turn int64, call string) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(deleteExternalCall+` AND answer IS NULL`, turn, call) },
		"delete call %s of turn %d to another server", call, turn)
}

// externalCallRow is the row of a call that left the service.
type externalCallRow struct {
	answered   bool
	answer     string
	origins    string
	repeatable bool
}

func (t turnTx) externalCall(call string) (externalCallRow, bool) {
	return one(t, func(row *engine.Row) (c externalCallRow) {
		row.Scan(&c.answered, &c.answer, &c.origins, &c.repeatable)
		return c
	}, findExternalCall, t.turn.ID, call)
}

// endExternalCall deletes the row of a call that gets its result, and returns the result to store.
// If the call has an answer with origins, the result is marked as words of others. If the call may
// have been made, the ledger says so.
func (t turnTx) endExternalCall(r protocol.ToolResult) protocol.ToolResult {
	kept, found := t.externalCall(r.Call)
	if !found {
		return r
	}
	if kept.answered {
		var origins []string
		t.fail(json.Unmarshal([]byte(kept.origins), &origins))
		r = addOrigins(r, origins)
	} else if !kept.repeatable && !value(t, engine.ScanBool, hasEffect, t.turn.ID, r.Call) {
		t.putEffect(supervisor.Effect{Call: r.Call, Kind: supervisor.EffectCallBegun, Target: r.Name})
	}
	user := t.turn.Conversation.User
	for _, b := range all(t, scanBlobRef, deleteExternalBlob, t.turn.ID, r.Call) {
		if namesBlob(r, b) {
			t.Exec(insertBlob, user, b.SHA256, b.Size, t.turn.ID, t.Now)
		} else {
			t.Exec(forgetExternalBlob, user, b.SHA256, b.Size, t.Now)
		}
	}
	t.Exec(deleteExternalCall, t.turn.ID, r.Call)
	return r
}

// addOrigins adds origins to a result. With origins it is words of others.
func addOrigins(r protocol.ToolResult, origins []string) protocol.ToolResult {
	r.World, r.Origins = r.World || len(origins) > 0, slices.Clone(r.Origins)
	for _, origin := range origins {
		if !slices.Contains(r.Origins, origin) {
			r.Origins = append(r.Origins, origin)
		}
	}
	return r
}

// namesBlob reports whether a result needs a blob.
func namesBlob(r protocol.ToolResult, b protocol.BlobRef) bool {
	return r.Rest != nil && r.Rest.SHA256 == b.SHA256 ||
		slices.ContainsFunc(r.Images, func(i protocol.Image) bool { return i.SHA256 == b.SHA256 })
}

func scanBlobRef(row *engine.Row) (b protocol.BlobRef) {
	row.Scan(&b.SHA256, &b.Size)
	return b
}
