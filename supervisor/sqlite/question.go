package sqlite

import (
	"context"
	"errors"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/sqlite/internal/engine"
)

// Questions are what people are asked before something is done, and what they said. An answer counts for as long as the question
// may stand. AnswerOnce counts once.
type Questions struct{ db *DB }

// Questions are what people are asked before something is done, and what they said.
func (db *DB) Questions() Questions { return Questions{db} }

const (
	selectQuestion = `SELECT q.id, c.id, c.user, c.channel, c.chat, c.thread, coalesce(q.turn, 0),
		coalesce(q.inbound, 0), q.kind, q.tool, q.subject, q.amount, q.text, q.answer, q.expires_at,
		q.expires_at - coalesce(q.answered_at, q.created_at), q.used_at IS NOT NULL,
		t.ended_at IS NOT NULL OR i.state IS NOT NULL AND i.state <> 'new'
		FROM question q JOIN conversation c ON c.id = q.conversation LEFT JOIN turn t ON t.id = q.turn
		LEFT JOIN inbox i ON i.id = q.inbound `
	findAsked   = selectQuestion + `WHERE q.turn = ? AND q.subject = ? AND q.kind = ? ORDER BY q.id DESC LIMIT 1`
	findAskedBy = selectQuestion + `WHERE q.inbound = ? AND q.subject = ? AND q.kind = ? ORDER BY q.id DESC LIMIT 1`

	insertQuestion = `INSERT INTO question (digest, user, conversation, turn, inbound, kind, tool, subject, amount, text,
		created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`
)

// Ask asks a question for a turn that runs, for a command or a press that has no answer yet, or for nobody. The question and its
// delivery with those buttons are kept together. digest is the SHA-256 of their nonce, in hexadecimal. Where exactly this was
// asked before for the same turn or command, that question is returned, and fresh is false: without an answer, or with one that
// counts, which is used by that. An answer counts for a turn once. For a command it counts as long as that has no answer itself:
// one that is run again after a crash does again what it did.
func (s Questions) Ask(ctx context.Context, q supervisor.Question, digest string, buttons [][]supervisor.Button) (
	asked supervisor.Question, fresh bool, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Question, bool) { return t.ask(q, digest, buttons) },
		"ask %s for %s", q.Conversation.User, q.Asker())
}

func (t *tx) ask(q supervisor.Question, digest string, buttons [][]supervisor.Button) (supervisor.Question, bool) {
	if before, ok := t.askedBefore(q); ok {
		return before, false
	}
	until := toMillis(q.ExpiresAt)
	if until <= t.Now {
		t.fail(invalid("a question is not asked that has expired"))
	}
	in := q.Conversation
	q.ID = t.Insert(insertQuestion, digest, in.User, in.ID, orNull(q.Turn), orNull(q.Inbound), q.Kind, q.Tool, q.Subject, q.Amount, q.Text,
		t.Now, until)
	switch {
	case errors.Is(t.err, engine.ErrForeignKey):
		t.err = notFound("there is no conversation %d of %s", in.ID, in.User)
	case errors.Is(t.err, engine.ErrCheck):
		t.err = invalid("a question of the kind %q about %q can't be asked", q.Kind, q.Subject)
	}
	q.Answer, q.ExpiresAt = supervisor.AnswerNone, fromMillis(until)
	t.putDelivery(supervisor.Delivery{Conversation: in, Kind: supervisor.DeliveryNotice, Text: q.Text, Buttons: buttons})
	return q, true
}

// askedBefore is the question about exactly this for the same turn or command, if it still stands or has an answer that counts.
// The answer is used by that.
func (t *tx) askedBefore(q supervisor.Question) (none supervisor.Question, _ bool) {
	query, by := findAsked, q.Turn
	switch {
	case q.Turn != 0:
		t.checkAskingTurn(q)
	case q.Inbound != 0:
		query, by = findAskedBy, q.Inbound
		t.checkAskingInbound(q)
	default:
		return none, false
	}
	before, ok := one(t, scanQuestion, query, by, q.Subject, q.Kind)
	if !ok || before.used && q.Inbound == 0 || before.expired(t.Now) {
		return none, false
	}
	if before.Answer != supervisor.AnswerNone {
		t.Exec(useQuestion, t.Now, before.ID)
	}
	return before.Question, true
}

// checkAskingTurn refuses a question of a turn that does not run where it is asked.
func (t *tx) checkAskingTurn(q supervisor.Question) {
	if in := t.runningTurn(q.Turn).AnswersIn(); in.ID != q.Conversation.ID || in.User != q.Conversation.User {
		t.fail(notFound("there is no turn %d in conversation %d of %s", q.Turn, q.Conversation.ID, q.Conversation.User))
	}
}

// checkAskingInbound refuses a question of a command that has been answered, or is another person's.
func (t *tx) checkAskingInbound(q supervisor.Question) {
	switch in := t.inbound(q.Inbound); {
	case in.Conversation.User != q.Conversation.User:
		t.fail(notFound("there is no inbound %d of %s", q.Inbound, q.Conversation.User))
	case in.State != supervisor.InboundNew || in.Held || in.Kind != supervisor.KindCommand && in.Kind != supervisor.KindPress:
		t.fail(invalid("inbound %d is no command that waits", q.Inbound))
	}
}

const (
	findQuestion = selectQuestion + `WHERE q.id = ?`
	useQuestion  = `UPDATE question SET used_at = ? WHERE id = ?`
)

// Use is what a person has said to a question: AnswerNone where they have said nothing, or their answer counts no more. taken says
// that they allowed it once and another has used that: whoever wants it too has to ask again.
func (s Questions) Use(ctx context.Context, id int64) (answer supervisor.Answer, taken bool, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Answer, bool) { return t.useAnswer(id) }, "use the answer to question %d", id)
}

func (t *tx) useAnswer(id int64) (supervisor.Answer, bool) {
	q := byID(t, "question", scanQuestion, findQuestion, id)
	switch {
	case q.used && q.Answer == supervisor.AnswerOnce:
		return "", true
	case q.Answer == supervisor.AnswerNone || q.expired(t.Now):
		return "", false
	}
	t.Exec(useQuestion, t.Now, id)
	return q.Answer, false
}

const withdrawQuestion = `UPDATE question SET expires_at = ?1 WHERE id = ?2 AND answer = '' AND expires_at > ?1`

// Withdraw has a question expire that has no answer, for nobody waits for it any more, and its message lose its buttons. The end of a
// turn or a command has its questions expire by itself.
func (s Questions) Withdraw(ctx context.Context, id int64) error {
	return s.db.write(ctx, func(t *tx) {
		if t.Change(withdrawQuestion, t.Now, id) > 0 {
			t.unbutton(byID(t, "question", scanQuestion, findQuestion, id))
		}
	}, "withdraw question %d", id)
}

const wasAsked = `SELECT EXISTS (SELECT 1 FROM question WHERE digest = ? AND user = ?)`

// WasAsked says whether a question with that digest was put to a person.
func (s Questions) WasAsked(ctx context.Context, user, digest string) (bool, error) {
	return engine.Value(s.db.reader(ctx, "find a question of %s", user), engine.Bool, wasAsked, digest, user)
}

const (
	findPressed    = selectQuestion + `WHERE q.digest = ?`
	answerQuestion = `UPDATE question SET answer = ?, answered_at = ?, expires_at = ? WHERE id = ?`
)

// Press keeps what a person has pressed. It says what that has come to, with the question as it was before; without one where it is
// foreign. AnswerAlways of an approval is kept as a grant too. What was taken and what is foreign is in the audit log.
func (s Questions) Press(ctx context.Context, p supervisor.Press) (q supervisor.Question, came supervisor.PressResult, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Question, supervisor.PressResult) { return t.press(p) },
		"keep what %s has pressed", p.User)
}

func (t *tx) press(p supervisor.Press) (none supervisor.Question, came supervisor.PressResult) {
	q := value(t, scanQuestion, findPressed, p.Digest)
	if q.ID == 0 || q.Conversation.User != p.User || q.Conversation.ID != p.Conversation || !q.allows(p.Answer) {
		t.audit(p.User, "question.foreign", fmt.Sprint("conversation ", p.Conversation))
		return none, supervisor.PressForeign
	}
	switch {
	case q.Answer != supervisor.AnswerNone:
		return q.Question, supervisor.PressAnsweredBefore
	case q.askerEnded:
		return q.Question, supervisor.PressEnded
	case q.expired(t.Now):
		return q.Question, supervisor.PressExpired
	}
	t.takeAnswer(q, p.Answer)
	return q.Question, supervisor.PressTaken
}

// takeAnswer keeps the answer to a question that stands.
func (t *tx) takeAnswer(q questionRow, answer supervisor.Answer) {
	if answer == supervisor.AnswerAlways {
		t.Exec(insertGrant, q.Conversation.User, q.Tool, q.Subject, q.Text, t.Now)
	}
	t.Exec(answerQuestion, answer, t.Now, t.Now+q.duration, q.ID)
	t.audit(q.Conversation.User, "question."+string(answer), fmt.Sprintf("question %d, %s %s", q.ID, q.Kind, q.Tool))
}

// questionRow is a question as it is kept.
type questionRow struct {
	supervisor.Question
	duration   int64 // milliseconds: how long it may stand, and an answer counts
	used       bool
	askerEnded bool // its turn or its command has ended
}

func (q questionRow) expired(now int64) bool { return q.ExpiresAt.UnixMilli() <= now }

// allows says whether a button of the question says so.
func (q questionRow) allows(a supervisor.Answer) bool {
	return a == supervisor.AnswerOnce || a == supervisor.AnswerDeny ||
		a == supervisor.AnswerAlways && q.Kind == supervisor.QuestionApproval
}

func scanQuestion(row *engine.Row) (q questionRow) {
	c := &q.Conversation
	row.Scan(&q.ID, &c.ID, &c.User, &c.Channel, &c.Chat, &c.Thread, &q.Turn, &q.Inbound, &q.Kind, &q.Tool, &q.Subject,
		&q.Amount, &q.Text, &q.Answer, &q.ExpiresAt, &q.duration, &q.used, &q.askerEnded)
	return q
}
