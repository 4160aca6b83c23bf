package sqlite

import (
	"context"
	"errors"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Questions stores questions to users and their answers. A question is stored together with its
// delivery, and ends once. The turn or command that waits uses the answer once.
type Questions struct{ db *DB }

// QuestionAnswerPolicy decides which answers count, and makes the texts about questions.
type QuestionAnswerPolicy struct {
	// MayAsk returns an error if a turn may not ask another question. The argument asked is the
	// number of questions that the turn has asked.
	MayAsk func(asked int64) error
	// DecideMessage decides whether a message answers the open question. The result answers means
	// that the message is an answer. The result reminds means that the message waits, and causes a
	// Reminder. The argument draft is the unfinished answer.
	DecideMessage func(q supervisor.Question, draft supervisor.Answer,
		m supervisor.AnswerMessage) (a supervisor.Answer, answers, reminds bool)
	Reminder func(q supervisor.Question) string
	// YesOrNo returns the answer of a text that only means yes or no; "" means any other text.
	YesOrNo func(text string) supervisor.AnswerChoice
	// DecidePress returns the answer and the result when a user presses a button. The argument word
	// is the word of that button. Buttons returns the buttons of a question. Its argument press
	// makes a button's data from the button's word.
	DecidePress func(q supervisor.Question, draft supervisor.Answer, word string) (a supervisor.Answer, came supervisor.PressResult)
	Buttons     func(q supervisor.Question, draft supervisor.Answer, press func(word string) string) [][]supervisor.Button
	// LateAnswerText returns the model's text about an answer that came after the question had
	// ended.
	LateAnswerText func(q supervisor.Question) (quote, text string)

	// Texts about an ended question: its answer in words, the notice for the user, and the final
	// text of the question's message.
	AnswerText, EndNotice, FinalText func(q supervisor.Question) string
	KeepsButtons                     func(q supervisor.Question) bool // the question's message keeps its buttons
	// the question's message has a keyboard and can't be changed; KeyboardRemoval is sent instead
	HasKeyboard     func(q supervisor.Question) bool
	KeyboardRemoval func(q supervisor.Question) (text string, buttons [][]supervisor.Button)
}

// Questions returns the store of questions to users.
func (db *DB) Questions() Questions { return Questions{db} }

// ChangeSignal returns a channel that gets a token after a question has changed. Questions change
// when they are asked, delivered or ended. Only one goroutine may receive from the channel.
func (s Questions) ChangeSignal() <-chan struct{} { return s.db.questions }

const (
	selectQuestion = `SELECT q.id, c.id, c.user, c.channel, c.chat, c.thread, coalesce(q.turn, 0), coalesce(q.inbound, 0), q.call, q.kind,
		q.tool, q.subject, q.amount, coalesce(q.ask, ''), q.text, coalesce(q.delivery, 0), coalesce(q.held, 0), q.stands, q.created_at,
		q.expires_at, coalesce(q.draft, ''), coalesce(q.why, ''), coalesce(q.answer, ''), q.used_at IS NOT NULL
		FROM question q JOIN conversation c ON c.id = q.conversation `
	findAsked   = selectQuestion + `WHERE q.turn = ? AND q.subject = ? AND q.kind = ? ORDER BY q.id DESC LIMIT 1`
	findAskedBy = selectQuestion + `WHERE q.inbound = ? AND q.subject = ? AND q.kind = ? ORDER BY q.id DESC LIMIT 1`

	insertQuestion = `INSERT INTO question (digest, user, conversation, turn, inbound, call, kind, tool, subject, amount, ask, text, delivery,
		held, stands, ends_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?) RETURNING id`

	countAsked = `SELECT count(*) FROM question WHERE turn = ? AND kind = 'ask'`

	// unbeginCall marks a tool call as not begun, since it has only asked a question.
	unbeginCall = `UPDATE tool_call SET begun_at = NULL WHERE turn = ? AND call = ? AND result IS NULL`
	useQuestion = `UPDATE question SET used_at = ? WHERE id = ? AND used_at IS NULL`
)

// Ask asks a question for a running turn, an unanswered command or press, or nobody. It stores the
// question with its delivery and buttons. A question of a job's turn waits for the end of quiet
// hours. The argument digest is the SHA-256 of the buttons' nonce, in hexadecimal. If the same
// question was asked before and still counts, Ask returns the earlier question, and fresh is false.
// A turn's question counts while it is open or its answer is unused. Ask then uses the answer. A
// command's question counts while it is open or answered, since a command repeats its work after a
// crash.
func (s Questions) Ask(ctx context.Context, q supervisor.Question, digest string, buttons [][]supervisor.Button) (
	asked supervisor.Question, fresh bool, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Question, bool) { return t.ask(q, digest, buttons) },
		"ask %s for %s", q.Conversation.User, q.WaiterName())
}

func (t *tx) ask(q supervisor.Question, digest string, buttons [][]supervisor.Button) (supervisor.Question, bool) {
	if before, ok := t.askedBefore(q); ok {
		return before, false
	}
	in := q.Conversation
	if q.Kind == supervisor.QuestionFromModel {
		t.fail(t.policies.Questions.MayAsk(value(t, engine.ScanInteger, countAsked, q.Turn)))
	}
	if q.OpenFor <= 0 {
		t.fail(invalid("a question is not asked that has expired"))
	}
	if q.Turn == 0 && q.Inbound == 0 {
		in = t.conversationByID(in.ID)
	}
	stands, ends, priority := t.askInJob(q)
	q.OpenFor = stands
	d, held := t.sayOrHold(
		supervisor.Delivery{Conversation: in, Text: q.Text, Buttons: buttons,
			Urgent: priority == supervisor.JobPriorityHigh,
			Silent: priority == supervisor.JobPriorityLow},
	)
	ask := any("")
	if q.Kind == supervisor.QuestionFromModel {
		ask = columnEncoder{q.Ask}
	}
	q.ID = t.Insert(
		insertQuestion,
		digest,
		in.User,
		in.ID,
		orNull(q.Turn),
		orNull(q.Inbound),
		q.Call,
		q.Kind,
		q.Tool,
		q.Subject,
		q.Amount,
		ask,
		q.Text,
		orNull(d.ID),
		orNull(held),
		q.OpenFor.Milliseconds(),
		orNull(ends),
		t.Now,
	)
	switch {
	case errors.Is(t.err, engine.ErrForeignKey):
		t.err = notFound("there is no conversation %d of %s", in.ID, in.User)
	case errors.Is(t.err, engine.ErrCheckConstraint):
		t.err = invalid("a question of the kind %q about %q can't be asked", q.Kind, q.Subject)
	}
	if q.Call != "" {
		t.Exec(unbeginCall, q.Turn, q.Call)
	}
	t.questions = true
	q.CreatedAt, q.ExpiresAt, q.End, q.Answer = fromMillis(
		t.Now,
	), time.Time{}, supervisor.QuestionOpen, supervisor.Answer{}
	return q, true
}

// askedBefore returns an earlier question of the same turn or command with the same subject. The
// earlier question must still count.
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
	if !ok || before.used && q.Turn != 0 && q.Kind != supervisor.QuestionFromModel ||
		q.Turn == 0 && before.End != supervisor.QuestionOpen && before.End != supervisor.QuestionAnswered {
		return none, false
	}
	switch {
	case before.End != supervisor.QuestionOpen:
		t.Exec(useQuestion, t.Now, before.ID)
	case q.Call != "":
		t.Exec(unbeginCall, q.Turn, q.Call)
	}
	return before.Question, true
}

// checkAskingTurn fails unless the question's turn runs in the question's conversation. A turn that
// answers in a group may also ask in a private chat of its user.
func (t *tx) checkAskingTurn(q supervisor.Question) {
	in := t.runningTurn(q.Turn).AnswerConversation()
	known := in.ID == q.Conversation.ID
	if !known && in.IsInGroup() {
		to := t.conversationByID(q.Conversation.ID)
		known = to.User == in.User && !to.IsInGroup()
	}
	if !known || in.User != q.Conversation.User {
		t.fail(notFound("there is no turn %d in conversation %d of %s", q.Turn, q.Conversation.ID, q.Conversation.User))
	}
}

// checkAskingInbound fails if the question's command was answered or belongs to another user.
func (t *tx) checkAskingInbound(q supervisor.Question) {
	switch in := t.inbound(q.Inbound); {
	case in.Conversation.User != q.Conversation.User:
		t.fail(notFound("there is no inbound %d of %s", q.Inbound, q.Conversation.User))
	case in.State != supervisor.InboundNew || in.Held || in.Kind != supervisor.KindCommand && in.Kind != supervisor.KindPress:
		t.fail(invalid("inbound %d is no command that waits", q.Inbound))
	}
}

const findQuestion = selectQuestion + `WHERE q.id = ?`

// UseAnswer returns a question and marks its answer as used. The result taken means that the answer
// was "yes, once" and had been used before. Then the caller must ask again.
func (s Questions) UseAnswer(ctx context.Context, id int64) (q supervisor.Question, taken bool, err error) {
	return inTransaction2(
		ctx,
		s.db,
		func(t *tx) (supervisor.Question, bool) { return t.useAnswer(id) },
		"use the answer to question %d",
		id,
	)
}

func (t *tx) useAnswer(id int64) (q supervisor.Question, taken bool) {
	row := byID(t, "question", scanQuestion, findQuestion, id)
	if row.used && row.Answer.Say == supervisor.AnswerChoiceOnce {
		return q, true
	}
	if row.End != supervisor.QuestionOpen {
		t.Exec(useQuestion, t.Now, id)
	}
	return row.Question, false
}

// Withdraw ends an open question that nobody waits for any more.
func (s Questions) Withdraw(ctx context.Context, id int64) error {
	return s.db.write(ctx, func(t *tx) {
		if q := byID(t, "question", scanQuestion, findQuestion, id); q.End == supervisor.QuestionOpen {
			t.endQuestion(q, supervisor.QuestionNotNeeded, supervisor.Answer{})
		}
	}, "withdraw question %d", id)
}

const wasAsked = `SELECT EXISTS (SELECT 1 FROM question WHERE digest = ? AND user = ?)`

// WasAsked reports whether a user was asked a question with a digest.
func (s Questions) WasAsked(ctx context.Context, user, digest string) (bool, error) {
	return engine.FirstValue(s.db.reader(ctx, "find a question of %s", user), engine.ScanBool, wasAsked, digest, user)
}

const (
	findPressed = selectQuestion + `WHERE q.digest = ?`
	putDraft    = `UPDATE question SET draft = ? WHERE id = ?`
)

// questionRow is a question as it is stored.
type questionRow struct {
	supervisor.Question
	// id of the delivery that asks the question; 0 if the question is not asked yet, or was stored
	// before this column existed
	delivery int64
	held     int64             // the held notice that will ask the question after quiet hours; 0 means none
	draft    supervisor.Answer // the user's unfinished answer
	used     bool
}

func scanQuestion(row *engine.Row) (q questionRow) {
	c := &q.Conversation
	row.Scan(
		&q.ID,
		&c.ID,
		&c.User,
		&c.Channel,
		&c.Chat,
		&c.Thread,
		&q.Turn,
		&q.Inbound,
		&q.Call,
		&q.Kind,
		&q.Tool,
		&q.Subject,
		&q.Amount,
		columnDecoder{&q.Ask},
		&q.Text,
		&q.delivery,
		&q.held,
		&q.OpenFor,
		&q.CreatedAt,
		&q.ExpiresAt,
		columnDecoder{&q.draft},
		&q.End,
		columnDecoder{&q.Answer},
		&q.used,
	)
	return q
}
