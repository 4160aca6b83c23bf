package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// ReplacedFact is a fact that a call of remember has replaced.
type ReplacedFact struct {
	User     string
	Turn     int64
	Call     string
	ID, Text string
}

const (
	hasReplaced    = `SELECT EXISTS (SELECT 1 FROM effect WHERE turn = ? AND call = ? AND kind = 'replace')`
	newestReplaced = `SELECT max(id) FROM effect WHERE turn = ? AND kind = 'replace'`
	findReplaced   = `SELECT user, coalesce(turn, 0), call, target, detail FROM effect
		WHERE id = ? AND user = ? AND kind = 'replace' AND detail <> ''`
)

// PutReplacedFact adds a replaced fact to the ledger, and a notice about it to the outbox. A second
// call for the same tool call changes nothing. The notice goes to a conversation, or to the private
// chat if that conversation is in a group. The function notice gets the id of the effect. The
// result said is the conversation of the notice; 0 means none.
func (s Memories) PutReplacedFact(ctx context.Context, f ReplacedFact, conversation int64,
	private supervisor.Conversation, notice func(effect int64) supervisor.Delivery) (said int64, err error) {
	return inTransaction(ctx, s.db, func(t *tx) int64 {
		if value(t, engine.ScanBool, hasReplaced, f.Turn, f.Call) {
			return 0
		}
		t.putEffect(supervisor.Effect{User: f.User, Turn: f.Turn, Call: f.Call, Kind: supervisor.EffectFactReplaced,
			Target: f.ID, Detail: f.Text})
		d := notice(value(t, engine.ScanInteger, newestReplaced, f.Turn))
		if d.Conversation = t.conversationByID(conversation); d.Conversation.IsInGroup() {
			d.Conversation = private
		}
		return t.putNotice(d).Conversation.ID
	}, "store a replaced fact of turn %d", f.Turn)
}

// FindReplacedFact returns a user's replaced fact by the id of its effect.
func (s Memories) FindReplacedFact(ctx context.Context, user string, effect int64) (ReplacedFact, bool, error) {
	return engine.FirstRow(s.db.reader(ctx, "find replaced fact %d of %s", effect, user),
		func(r *engine.Row) (f ReplacedFact) {
			r.Scan(&f.User, &f.Turn, &f.Call, &f.ID, &f.Text)
			return f
		}, findReplaced, effect, user)
}
