package sqlite

import (
	"cmp"
	"context"
	"errors"

	"mews/protocol"
	"mews/supervisor/internal/engine"
	"mews/supervisor/modelcall"
)

// Usage is what the calls of models have counted, and what they cost.
type Usage struct{ db *DB }

// ModelCall is one call of a model that left no message: as a rule one that failed.
type ModelCall struct {
	User         string
	Conversation int64             // 0 where it was for none
	Turn         int64             // 0 where no turn asked for it; the conversation's otherwise
	Spec         string            // provider/model
	Model        string            // as the provider names it; "" where it did not say
	Purpose      modelcall.Purpose // "" is chat
	Class        modelcall.Class   // "" where it succeeded
	Usage        protocol.Usage
	Cost         *int64 // in millionths of a dollar; nil where no price is known
	Request      string // the provider's own name of the call; "" where it gave none
	Lease        int64  // the person's, which ends with it; 0 is none
	Asked        string // a digest of its request's messages; "" is not known
	Pot          string // what pays for it; "" is its person
}

// Put keeps a call that left no message. CommitStep keeps those that left one, with it. It may come
// after the end of the call's turn.
func (s Usage) Put(ctx context.Context, c ModelCall) error {
	return s.db.write(ctx, func(t *tx) { t.putCall(c) }, "keep the usage of a call of %s by %s", cmp.Or(c.Spec, c.Model), c.User)
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

// checkTurnOf refuses a turn that was never one of that conversation and person.
func (t *tx) checkTurnOf(turn, conversation int64, user string) {
	if !value(t, engine.Bool, findTurnOf, turn, conversation, user) {
		t.fail(notFound("there is no turn %d in conversation %d of %s", turn, conversation, user))
	}
}

const insertUsage = `INSERT INTO usage (user, conversation, turn, message, spec, model, purpose, class, input, output,
	cache_read, cache_write, estimated, cost, request, asked, pot, created_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), nullif(?, ''), ?)`

// putUsage keeps a call, with the message that it left (0 is none), and ends its leases.
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

// maxCount is more than any call counts. SQLite refuses to add up what does not fit into 64 bits;
// of these there may be eight million.
const maxCount = 1 << 40

// clampCount is a provider's figure within bounds: a wrong one spoils neither the step nor a sum.
func clampCount(n int64) int64 { return min(max(n, 0), maxCount) }

const findCounted = `SELECT u.spec, u.input, u.asked, u.message FROM message m JOIN usage u ON u.message = m.id
	WHERE m.conversation = ? AND m.id = (SELECT max(id) FROM message WHERE conversation = m.conversation AND role = 'assistant')
	AND u.asked IS NOT NULL AND u.estimated = 0 AND u.input > 0`

// Counted is what a provider has counted of a request.
type Counted struct {
	Spec   string // provider/model; "" where nothing is known
	Input  int64  // tokens
	Asked  string // a digest of its messages
	Answer int64  // the message that followed them
}

// Counted is of the request of a conversation's newest answer.
func (s Usage) Counted(ctx context.Context, conversation int64) (Counted, error) {
	c, _, err := engine.One(s.db.reader(ctx, "find what was counted of conversation %d", conversation), scanCounted, findCounted, conversation)
	return c, err
}

func scanCounted(row *engine.Row) (c Counted) {
	row.Scan(&c.Spec, &c.Input, &c.Asked, &c.Answer)
	return c
}
