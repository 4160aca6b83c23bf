package sqlite

import (
	"cmp"
	"context"
	"errors"

	"mews/protocol"
	"mews/supervisor/internal/engine"
	"mews/supervisor/modelcall"
)

// Usage stores the token counts and costs of model calls.
type Usage struct{ db *DB }

// ModelCall is a call of a model that produced no message, mostly a failed one.
type ModelCall struct {
	User         string
	Conversation int64                // conversation of the call; 0 means none
	Turn         int64                // turn of the call; 0 means none
	Spec         string               // the model as provider/model
	Model        string               // the model's name at its provider; "" if unknown
	Purpose      modelcall.Purpose    // purpose of the call; "" means chat
	Class        modelcall.ErrorClass // class of the failure; "" means success
	Usage        protocol.Usage
	Cost         *int64 // cost of the call in millionths of a dollar; nil means no known price
	Request      string // the provider's id of the call; "" if the provider gave none
	Lease        int64  // the user's lease, which ends with the call; 0 means none
	Asked        string // a digest of the request's messages; "" means unknown
	Pot          string // name of the pot that pays; "" means that the user pays
}

// PutCall stores a model call without a message. CommitStep stores calls with a message. PutCall
// may be called after the call's turn has ended.
func (s Usage) PutCall(ctx context.Context, c ModelCall) error {
	return s.db.write(ctx, func(t *tx) { t.putCall(c) }, "store the usage of a call of %s by %s", cmp.Or(c.Spec, c.Model), c.User)
}

const findTurnOf = `SELECT count(*) FROM turn WHERE id = ? AND conversation = ? AND user = ?`

func (t *tx) putCall(c ModelCall) {
	if c.User == "" {
		t.fail(invalid("a call of a model is somebody's"))
	}
	if c.Turn != 0 {
		t.checkTurnOf(c.Turn, c.Conversation, c.User)
	}
	t.putUsage(0, c, c.Lease)
	if errors.Is(t.err, engine.ErrForeignKey) {
		t.err = notFound("there is no conversation %d of %s", c.Conversation, c.User)
	}
}

// checkTurnOf fails unless the turn belongs to the conversation and the user.
func (t *tx) checkTurnOf(turn, conversation int64, user string) {
	if !value(t, engine.ScanBool, findTurnOf, turn, conversation, user) {
		t.fail(notFound("there is no turn %d in conversation %d of %s", turn, conversation, user))
	}
}

const insertUsage = `INSERT INTO usage (user, conversation, turn, message, spec, model, purpose, class, input, output,
	cache_read, cache_write, estimated, cost, request, asked, pot, created_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), nullif(?, ''), ?)`

// putUsage stores a model call and ends its leases. The argument message is the call's message; 0
// means none.
func (t *tx) putUsage(message int64, c ModelCall, leases ...int64) {
	at := t.endLeases(c.User, leases...)
	var cost any
	if c.Cost != nil {
		cost = clampCount(*c.Cost)
	}
	u := c.Usage
	t.Exec(insertUsage, c.User, orNull(c.Conversation), orNull(c.Turn), orNull(message), c.Spec, c.Model,
		cmp.Or(c.Purpose, modelcall.PurposeChat), c.Class, clampCount(u.Input), clampCount(u.Output), clampCount(u.CacheRead),
		clampCount(u.CacheWrite), u.Estimated, cost, c.Request, c.Asked, c.Pot, at)
}

// maxCount is larger than any real token count. SQLite fails if a sum does not fit into 64 bits. A
// sum of eight million counts of this size fits.
const maxCount = 1 << 40

// clampCount limits a provider's token count, so that a wrong count breaks neither the step nor a
// sum.
func clampCount(n int64) int64 { return min(max(n, 0), maxCount) }

const findCounted = `SELECT u.spec, u.input, u.asked, u.message FROM message m JOIN usage u ON u.message = m.id
	WHERE m.conversation = ? AND m.id = (SELECT max(id) FROM message WHERE conversation = m.conversation AND role = 'assistant')
	AND u.asked IS NOT NULL AND u.estimated = 0 AND u.input > 0`

// TokenCount is a provider's token count of a request.
type TokenCount struct {
	Spec   string // the model as provider/model; "" means unknown
	Input  int64  // number of input tokens of the request
	Asked  string // a digest of the request's messages
	Answer int64  // the message that answered the request
}

// FindTokenCount returns the token count of a conversation's newest answered request.
func (s Usage) FindTokenCount(ctx context.Context, conversation int64) (TokenCount, error) {
	c, _, err := engine.FirstRow(s.db.reader(ctx, "find the token count of conversation %d", conversation), scanCounted,
		findCounted, conversation)
	return c, err
}

func scanCounted(row *engine.Row) (c TokenCount) {
	row.Scan(&c.Spec, &c.Input, &c.Asked, &c.Answer)
	return c
}
