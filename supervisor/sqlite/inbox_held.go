package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// GatePolicy is what is decided and said where a gate is closed as something is kept.
type GatePolicy struct {
	// Refuse is how an inbound of a kind is answered that a closed gate does not hold, where so many
	// of its person's are held already; "" holds it.
	Refuse func(kind supervisor.InboundKind, g supervisor.Guard, held int64) (answer string)
	// Challenges says whether a person is told that the gate is closed who was told so often within
	// the time of Lately.
	Challenges func(g supervisor.Guard, told int64) bool
	Lately     time.Duration
	// DecideLate decides about a code for something that is not asked about any more.
	DecideLate   func(supervisor.Decide) supervisor.Decide
	ResetAnswer  string // answers what was held when its person's second factor is reset
	EditRefusal  string // is told of an edit that came while the gate was closed
	CodeStandsIn string // is kept in the place of a code, no word of which is
}

const (
	countHeld = `SELECT count(*) FROM inbox WHERE held = 1 AND user = ?`

	// What a code from a chat would let through: what is held in that chat, and what was sent
	// elsewhere in its channel and had its code asked for there.
	opensHeld   = `WHERE i.held = 1 AND i.user = ?1 AND c.channel = ?2 AND (c.chat = ?3 OR i.asked = ?3 AND i.asked <> '')`
	countHeldAt = `SELECT count(*) FROM inbox i JOIN conversation c ON c.id = i.conversation ` + opensHeld
)

// Held is how many inbounds of a person a closed gate holds.
func (s Inbox) Held(ctx context.Context, user string) (n int64, err error) {
	return engine.Value(s.db.reader(ctx, "count what is held of %s", user), engine.Integer, countHeld, user)
}

// HeldAt is how many of them a code would let through that c's user sent in c's chat.
func (s Inbox) HeldAt(ctx context.Context, c supervisor.Conversation) (n int64, err error) {
	return engine.Value(s.db.reader(ctx, "count what a code of %s in chat %s of %s would let through", c.User, c.Chat, c.Channel), engine.Integer, countHeldAt, c.User, c.Channel, c.Chat)
}

// checkGate has a new inbound pass its gate, or be held where that is closed.
func (t *batchTx) checkGate(in supervisor.Inbound, g supervisor.Guard) supervisor.Inbound {
	if g.AnswerOnly {
		return t.answer(in, g.Challenge)
	}
	if t.useLogin(in.Conversation, g) {
		return in
	}
	return t.hold(in, g)
}

// useLogin says whether the gate is open where c is, and keeps that it was passed.
func (t *batchTx) useLogin(c supervisor.Conversation, g supervisor.Guard) bool {
	login, ok := one(t, scanLogin, findLogin, c.User, c.Channel, c.Chat)
	if !ok || !login.Open(fromMillis(t.Now), g.IdleTimeout, g.Lifetime) {
		return false
	}
	t.Exec(touchLogin, t.Now, c.User, c.Channel, c.Chat)
	return true
}

const (
	touchLogin = `UPDATE login SET used_at = ? WHERE user = ? AND channel = ? AND chat = ?`

	// A challenge from the future, before a clock was set back, counts for nothing.
	countChallenges = `SELECT count(*) FROM inbox WHERE held = 1 AND user = ? AND conversation = ? AND challenged = 1
		AND asked = ? AND changed_at > ? AND changed_at <= ?`
	holdInbound = `UPDATE inbox SET held = 1, challenged = ?, asked = ?, changed_at = ? WHERE id = ?`
)

// hold keeps an inbound as held, and tells the person so once in a while. What is not to be held is
// answered instead.
func (t *batchTx) hold(in supervisor.Inbound, g supervisor.Guard) supervisor.Inbound {
	c := in.Conversation
	if answer := t.policies.Gate.Refuse(in.Kind, g, value(t, engine.Integer, countHeld, c.User)); answer != "" {
		return t.answer(in, answer)
	}
	lately := t.policies.Gate.Lately.Milliseconds()
	tell := t.policies.Gate.Challenges(g, value(t, engine.Integer, countChallenges, c.User, c.ID, g.At.Chat, t.Now-lately, t.Now))
	in.Held = true
	t.Exec(holdInbound, tell, g.At.Chat, t.Now, in.ID)
	if tell {
		at := cmp.Or(t.destination(g.At, c), c)
		t.notify(supervisor.Delivery{Conversation: at, Kind: supervisor.DeliveryNotice, Text: g.Challenge})
	}
	return in
}

// tryCode tries the code that a new inbound was, and answers it. A right one lets through what
// waits for it. Its message is deleted, right or wrong: a wrong one may be a code for something
// else.
func (t *batchTx) tryCode(in supervisor.Inbound, d supervisor.GateDecision) supervisor.Inbound {
	c := in.Conversation
	var confirms questionRow
	if d.Confirms != 0 {
		if confirms = byID(t, "question", scanQuestion, findQuestion, d.Confirms); confirms.Why != supervisor.QuestionOpen {
			d.Decide = t.policies.Gate.DecideLate(d.Decide)
		}
	}
	verdict := t.attempt(c.User, d.Decide, "in "+string(c.Channel)+" chat "+c.Chat)
	if verdict.Right && d.Confirms != 0 {
		t.endQuestion(confirms, supervisor.QuestionAnswered, supervisor.Answer{Say: supervisor.SayOnce})
	}
	in = t.answer(in, verdict.Text)
	if in.Message != "" {
		t.putCleaning(supervisor.Cleaning{Conversation: c, Message: in.Message, What: supervisor.CleaningDelete})
	}
	if verdict.Right {
		t.release(c)
	}
	return in
}

const (
	openLogin = `INSERT INTO login (user, channel, chat, opened_at, used_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (user, channel, chat) DO UPDATE SET opened_at = excluded.opened_at, used_at = excluded.used_at`
	openHeld = `INSERT INTO login (user, channel, chat, opened_at, used_at)
		SELECT DISTINCT c.user, c.channel, c.chat, ?1, ?1 FROM inbox i JOIN conversation c ON c.id = i.conversation
		WHERE i.held = 1 AND i.user = ?2 AND c.channel = ?3 AND i.asked = ?4 AND i.asked <> ''
		ON CONFLICT (user, channel, chat) DO UPDATE SET opened_at = excluded.opened_at, used_at = excluded.used_at`
	listHeld    = selectInbound + opensHeld + ` ORDER BY i.id`
	releaseHeld = `UPDATE inbox SET held = 0, changed_at = ? WHERE id = ?`
)

// release opens the gate where a code was right, and in those chats whose code was asked for there,
// and lets through what is held in them. What is held elsewhere waits for a code of its own:
// somebody else may have sent it, who has got hold of the person's account there.
func (t *batchTx) release(c supervisor.Conversation) {
	t.Exec(openLogin, c.User, c.Channel, c.Chat, t.Now, t.Now)
	t.Exec(openHeld, t.Now, c.User, c.Channel, c.Chat)
	held := all(t, scanReleased, listHeld, c.User, c.Channel, c.Chat)
	t.receipt.Released = append(t.receipt.Released, held...)
	t.releaseAll(held)
}

// releaseAll has inbounds be held no more.
func (t *tx) releaseAll(held []supervisor.Inbound) {
	for _, in := range held {
		t.Exec(releaseHeld, t.Now, in.ID)
	}
}

const listAllHeld = selectInbound + `WHERE i.held = 1 AND i.user = ? ORDER BY i.id`

// answerHeld answers all that is held of a person, and runs none of it.
func (t *batchTx) answerHeld(user string) {
	held := all(t, scanReleased, listAllHeld, user)
	t.releaseAll(held)
	for _, in := range held {
		t.answer(in, t.policies.Gate.ResetAnswer)
	}
}

// scanReleased reads an inbound that is about to be released.
func scanReleased(row *engine.Row) supervisor.Inbound {
	in := scanInbound(row)
	in.Held = false
	return in
}

const listHolding = `SELECT DISTINCT user FROM inbox WHERE held = 1 ORDER BY user`

// Holding lists the people of whom a closed gate holds something.
func (s Inbox) Holding(ctx context.Context) ([]string, error) {
	return engine.All(s.db.reader(ctx, "list the people of whom something is held"), engine.String, listHolding)
}

// LetIn lets through what is held of a person who is asked for no code any more, where they are
// still served, and returns it, oldest first: they were told that it is kept and will be answered.
// The audit log says how much it was. It opens no gate: where a code is asked for again, it is
// asked for anew.
func (s Inbox) LetIn(ctx context.Context, user string, serves func(supervisor.Conversation) bool) ([]supervisor.Inbound, error) {
	return inTransaction(ctx, s.db, func(t *tx) []supervisor.Inbound {
		let := slices.DeleteFunc(all(t, scanReleased, listAllHeld, user),
			func(in supervisor.Inbound) bool { return !serves(in.Conversation) })
		if len(let) == 0 {
			return nil
		}
		t.releaseAll(let)
		t.audit(user, "gate.gone", fmt.Sprintf("%d held inbounds let in, for no code is asked for any more", len(let)))
		return let
	}, "let in what is held of %s", user)
}
