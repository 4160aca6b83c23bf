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

// GatePolicy decides about inbounds at a closed gate, and has the texts about them.
type GatePolicy struct {
	// Refuse returns the answer to an inbound that a closed gate does not hold; "" holds the
	// inbound. The argument held is the number of the user's held inbounds.
	Refuse func(kind supervisor.InboundKind, g supervisor.GateCheck, held int64) (answer string)
	// ShouldChallenge reports whether to repeat the challenge to a user. The argument told is the
	// number of recent challenges.
	ShouldChallenge func(g supervisor.GateCheck, told int64) bool
	Lately          time.Duration
	// DecideLateCode returns the checker for a code whose question has ended.
	DecideLateCode  func(supervisor.LoginCodeChecker) supervisor.LoginCodeChecker
	ResetAnswer     string // the answer to held inbounds when their user's second factor is reset
	EditRefusal     string // the reply to an edit while the gate is closed
	CodePlaceholder string // text that is stored in place of a code; no part of a code is stored
}

const (
	countHeld = `SELECT count(*) FROM inbox WHERE held = 1 AND user = ?`

	// isReleasedByCode selects the held inbounds that a code from a chat releases. These are the
	// chat's own inbounds, and inbounds of the same channel whose challenge went to the chat.
	isReleasedByCode = `WHERE i.held = 1 AND i.user = ?1 AND c.channel = ?2 AND (c.chat = ?3 OR i.asked = ?3 AND i.asked <> '')`
	countHeldAt      = `SELECT count(*) FROM inbox i JOIN conversation c ON c.id = i.conversation ` + isReleasedByCode
)

// CountHeldInbounds returns how many inbounds of a user a closed gate holds.
func (s Inbox) CountHeldInbounds(ctx context.Context, user string) (n int64, err error) {
	return engine.FirstValue(s.db.reader(ctx, "count held inbounds of %s", user), engine.ScanInteger, countHeld, user)
}

// CountReleasableInbounds returns how many inbounds a code would release. The code is sent by c's
// user from c's chat.
func (s Inbox) CountReleasableInbounds(ctx context.Context, c supervisor.Conversation) (n int64, err error) {
	return engine.FirstValue(s.db.reader(ctx, "count the inbounds that a code of %s in chat %s of %s would release",
		c.User, c.Chat, c.Channel), engine.ScanInteger, countHeldAt, c.User, c.Channel, c.Chat)
}

// checkGate lets a new inbound pass its gate. A closed gate holds the inbound.
func (t *batchTx) checkGate(in supervisor.Inbound, g supervisor.GateCheck) supervisor.Inbound {
	if g.AnswerOnly {
		return t.answer(in, g.Challenge)
	}
	if t.useLogin(in.Conversation, g) {
		return in
	}
	return t.hold(in, g)
}

// useLogin reports whether the gate of c is open, and records the use of its login.
func (t *batchTx) useLogin(c supervisor.Conversation, g supervisor.GateCheck) bool {
	login, ok := one(t, scanLogin, findLogin, c.User, c.Channel, c.Chat)
	if !ok || !login.IsOpen(fromMillis(t.Now), g.IdleTimeout, g.Lifetime) {
		return false
	}
	t.Exec(touchLogin, t.Now, c.User, c.Channel, c.Chat)
	return true
}

const (
	touchLogin = `UPDATE login SET used_at = ? WHERE user = ? AND channel = ? AND chat = ?`

	// countChallenges leaves out challenges from the future, since the clock was set back then.
	countChallenges = `SELECT count(*) FROM inbox WHERE held = 1 AND user = ? AND conversation = ? AND challenged = 1
		AND asked = ? AND changed_at > ? AND changed_at <= ?`
	holdInbound = `UPDATE inbox SET held = 1, challenged = ?, asked = ?, changed_at = ? WHERE id = ?`
)

// hold stores an inbound as held, and sends the challenge if the policy says so. If the policy
// refuses the inbound, hold stores the refusal as its answer.
func (t *batchTx) hold(in supervisor.Inbound, g supervisor.GateCheck) supervisor.Inbound {
	c := in.Conversation
	if answer := t.policies.Gate.Refuse(in.Kind, g, value(t, engine.ScanInteger, countHeld, c.User)); answer != "" {
		return t.answer(in, answer)
	}
	lately := t.policies.Gate.Lately.Milliseconds()
	tell := t.policies.Gate.ShouldChallenge(g, value(t, engine.ScanInteger, countChallenges, c.User, c.ID,
		g.ChallengeIn.Chat, t.Now-lately, t.Now))
	in.Held = true
	t.Exec(holdInbound, tell, g.ChallengeIn.Chat, t.Now, in.ID)
	if tell {
		at := cmp.Or(t.otherDestination(g.ChallengeIn, c), c)
		t.notify(supervisor.Delivery{Conversation: at, Kind: supervisor.DeliveryNotice, Text: g.Challenge})
	}
	return in
}

// tryCode tries the code of a new inbound and answers the inbound. A right code releases held
// inbounds. The message is deleted from the chat even after a wrong code, because it may be a code
// for something else.
func (t *batchTx) tryCode(in supervisor.Inbound, d supervisor.GateDecision) supervisor.Inbound {
	c := in.Conversation
	var confirms questionRow
	if d.Question != 0 {
		if confirms = byID(t, "question", scanQuestion, findQuestion, d.Question); confirms.End != supervisor.QuestionOpen {
			d.CheckCode = t.policies.Gate.DecideLateCode(d.CheckCode)
		}
	}
	verdict := t.attempt(c.User, d.CheckCode, "in "+string(c.Channel)+" chat "+c.Chat)
	if verdict.Right && d.Question != 0 {
		t.endQuestion(confirms, supervisor.QuestionAnswered, supervisor.Answer{Say: supervisor.AnswerChoiceOnce})
	}
	in = t.answer(in, verdict.Text)
	if in.Message != "" {
		t.putCleaning(supervisor.MessageCleanup{Conversation: c, Message: in.Message, Kind: supervisor.CleanupDelete})
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
	listHeld    = selectInbound + isReleasedByCode + ` ORDER BY i.id`
	releaseHeld = `UPDATE inbox SET held = 0, changed_at = ? WHERE id = ?`
)

// release opens the gate of a chat after a right code. It also opens the gates of chats whose
// challenge went to that chat. It releases the inbounds that these gates hold. Inbounds of any
// other chat need a code from that chat, since somebody may have taken over the user's account
// here.
func (t *batchTx) release(c supervisor.Conversation) {
	t.Exec(openLogin, c.User, c.Channel, c.Chat, t.Now, t.Now)
	t.Exec(openHeld, t.Now, c.User, c.Channel, c.Chat)
	held := all(t, scanReleased, listHeld, c.User, c.Channel, c.Chat)
	t.receipt.Released = append(t.receipt.Released, held...)
	t.releaseAll(held)
	t.remindOfAll(held)
}

// releaseAll stops holding inbounds.
func (t *tx) releaseAll(held []supervisor.Inbound) {
	for _, in := range held {
		t.Exec(releaseHeld, t.Now, in.ID)
	}
}

// remindOfAll reminds users of open questions that keep released texts waiting.
func (t *tx) remindOfAll(released []supervisor.Inbound) {
	for _, in := range released {
		if in.Kind == supervisor.KindText && in.State == supervisor.InboundNew {
			t.remindIfBlocked(in)
		}
	}
}

const listAllHeld = selectInbound + `WHERE i.held = 1 AND i.user = ? ORDER BY i.id`

// answerHeld answers all held inbounds of a user without running them.
func (t *batchTx) answerHeld(user string) {
	held := all(t, scanReleased, listAllHeld, user)
	t.releaseAll(held)
	for _, in := range held {
		t.answer(in, t.policies.Gate.ResetAnswer)
	}
}

// scanReleased reads a row of an inbound that will be released.
func scanReleased(row *engine.Row) supervisor.Inbound {
	in := scanInbound(row)
	in.Held = false
	return in
}

const listHolding = `SELECT DISTINCT user FROM inbox WHERE held = 1 ORDER BY user`

// ListUsersWithHeldInbounds lists the users who have held inbounds.
func (s Inbox) ListUsersWithHeldInbounds(ctx context.Context) ([]string, error) {
	return engine.AllRows(s.db.reader(ctx, "list users with held inbounds"), engine.ScanString, listHolding)
}

// ReleaseHeldInbounds releases the held inbounds of a user who no longer needs a code. It returns
// the inbounds, oldest first: the user was promised an answer. It skips conversations that are no
// longer served. The number of released inbounds goes into the audit log. No gate is opened: if the
// user needs a code later, the gate asks for the code.
func (s Inbox) ReleaseHeldInbounds(ctx context.Context, user string,
	serves func(supervisor.Conversation) bool) ([]supervisor.Inbound, error) {
	return inTransaction(ctx, s.db, func(t *tx) []supervisor.Inbound {
		let := slices.DeleteFunc(all(t, scanReleased, listAllHeld, user),
			func(in supervisor.Inbound) bool { return !serves(in.Conversation) })
		if len(let) == 0 {
			return nil
		}
		t.releaseAll(let)
		t.remindOfAll(let)
		t.audit(user, "gate.gone", fmt.Sprintf("%d held inbounds let in, for no code is asked for any more", len(let)))
		return let
	}, "release held inbounds of %s", user)
}
