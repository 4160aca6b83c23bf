package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Questions are what people are asked, and what they said. A question is kept with the delivery
// that puts it to its person, and ends once. What waits for it has its end once: an answer counts
// for one asking.
type Questions struct{ db *DB }

// QuestionPolicy is what answers count, and what people are told of questions.
type QuestionPolicy struct {
	// MayAsk is an error for a turn that may not ask its person more, who has asked so many.
	MayAsk func(asked int64) error
	// Meets is what a message does that comes while a question is open of whose answer its person
	// has put draft together: it answers that, or its person gets the Reminder, or neither.
	Meets    func(q supervisor.Question, draft supervisor.Answer, m supervisor.AnswerMessage) (a supervisor.Answer, answers, reminds bool)
	Reminder func(q supervisor.Question) string
	// Pressed is what a button says, and Buttons are those of a question; press makes of a button's
	// word what comes back of it.
	Pressed func(q supervisor.Question, draft supervisor.Answer, word string) (a supervisor.Answer, came supervisor.PressResult)
	Buttons func(q supervisor.Question, draft supervisor.Answer, press func(word string) string) [][]supervisor.Button
	// Late is what a model reads of an answer that came after the question has ended.
	Late func(q supervisor.Question) (quote, text string)

	// What of a question is said that has ended: its answer in words; what its person is told; its
	// whole message.
	Words, Told, Shown func(q supervisor.Question) string
	Stays              func(q supervisor.Question) bool // its message keeps its buttons
	HasKeyboard        func(q supervisor.Question) bool // its message can't be changed: Parting tells
	Parting            func(q supervisor.Question) (text string, buttons [][]supervisor.Button)
}

// Questions are what people are asked, and what they said.
func (db *DB) Questions() Questions { return Questions{db} }

// Changed holds a token when a question has been put, delivered or ended since it was last taken.
// One goroutine takes it.
func (s Questions) Changed() <-chan struct{} { return s.db.questions }

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

	// forgetBeginning has a call count as not begun: it has done nothing but ask.
	forgetBeginning = `UPDATE tool_call SET begun_at = NULL WHERE turn = ? AND call = ? AND result IS NULL`
	useQuestion     = `UPDATE question SET used_at = ? WHERE id = ? AND used_at IS NULL`
)

// Ask asks a question for a turn that runs, for a command or a press that has no answer yet, or for
// nobody. The question and its delivery with those buttons are kept together; in quiet hours, of a
// job's turn, what has it be delivered after them. digest is the SHA-256 of their nonce, in
// hexadecimal. Where exactly this was asked before, that question is returned and fresh is false:
// for a turn while it is open or the turn has not had its end, which it has by that; for a command,
// which does again what it did when it is run again after a crash, as long as it is open or was
// answered.
func (s Questions) Ask(ctx context.Context, q supervisor.Question, digest string, buttons [][]supervisor.Button) (
	asked supervisor.Question, fresh bool, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Question, bool) { return t.ask(q, digest, buttons) },
		"ask %s for %s", q.Conversation.User, q.Asker())
}

func (t *tx) ask(q supervisor.Question, digest string, buttons [][]supervisor.Button) (supervisor.Question, bool) {
	if before, ok := t.askedBefore(q); ok {
		return before, false
	}
	in := q.Conversation
	if q.Kind == supervisor.QuestionAsk {
		t.fail(t.policies.Questions.MayAsk(value(t, engine.Integer, countAsked, q.Turn)))
	}
	if q.Stands <= 0 {
		t.fail(invalid("a question is not asked that has expired"))
	}
	if q.Turn == 0 && q.Inbound == 0 {
		in = t.conversationByID(in.ID)
	}
	stands, ends, priority := t.standsInJob(q)
	q.Stands = stands
	d, held := t.sayOrHold(
		supervisor.Delivery{Conversation: in, Text: q.Text, Buttons: buttons, Urgent: priority == supervisor.JobHigh,
			Silent: priority == supervisor.JobLow},
	)
	ask := any("")
	if q.Kind == supervisor.QuestionAsk {
		ask = encoded{q.Ask}
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
		q.Stands.Milliseconds(),
		orNull(ends),
		t.Now,
	)
	switch {
	case errors.Is(t.err, engine.ErrForeignKey):
		t.err = notFound("there is no conversation %d of %s", in.ID, in.User)
	case errors.Is(t.err, engine.ErrCheck):
		t.err = invalid("a question of the kind %q about %q can't be asked", q.Kind, q.Subject)
	}
	if q.Call != "" {
		t.Exec(forgetBeginning, q.Turn, q.Call)
	}
	t.questions = true
	q.CreatedAt, q.ExpiresAt, q.Why, q.Answer = fromMillis(
		t.Now,
	), time.Time{}, supervisor.QuestionOpen, supervisor.Answer{}
	return q, true
}

// askedBefore is the question about exactly this for the same turn or command, if it still stands
// or has an end that counts.
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
	if !ok || before.used && q.Turn != 0 && q.Kind != supervisor.QuestionAsk ||
		q.Turn == 0 && before.Why != supervisor.QuestionOpen && before.Why != supervisor.QuestionAnswered {
		return none, false
	}
	switch {
	case before.Why != supervisor.QuestionOpen:
		t.Exec(useQuestion, t.Now, before.ID)
	case q.Call != "":
		t.Exec(forgetBeginning, q.Turn, q.Call)
	}
	return before.Question, true
}

// checkAskingTurn refuses a question of a turn that does not run where it is asked.
func (t *tx) checkAskingTurn(q supervisor.Question) {
	if in := t.runningTurn(q.Turn).AnswersIn(); in.ID != q.Conversation.ID || in.User != q.Conversation.User {
		t.fail(notFound("there is no turn %d in conversation %d of %s", q.Turn, q.Conversation.ID, q.Conversation.User))
	}
}

// checkAskingInbound refuses a question of a command that has been answered, or is another
// person's.
func (t *tx) checkAskingInbound(q supervisor.Question) {
	switch in := t.inbound(q.Inbound); {
	case in.Conversation.User != q.Conversation.User:
		t.fail(notFound("there is no inbound %d of %s", q.Inbound, q.Conversation.User))
	case in.State != supervisor.InboundNew || in.Held || in.Kind != supervisor.KindCommand && in.Kind != supervisor.KindPress:
		t.fail(invalid("inbound %d is no command that waits", q.Inbound))
	}
}

const findQuestion = selectQuestion + `WHERE q.id = ?`

// Use is a question as it is now, and uses up its end. taken says that its person said yes once and
// another has used that: whoever wants it too has to ask again.
func (s Questions) Use(ctx context.Context, id int64) (q supervisor.Question, taken bool, err error) {
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
	if row.used && row.Answer.Say == supervisor.SayOnce {
		return q, true
	}
	if row.Why != supervisor.QuestionOpen {
		t.Exec(useQuestion, t.Now, id)
	}
	return row.Question, false
}

// Withdraw ends an open question, for nobody waits for it any more.
func (s Questions) Withdraw(ctx context.Context, id int64) error {
	return s.db.write(ctx, func(t *tx) {
		if q := byID(t, "question", scanQuestion, findQuestion, id); q.Why == supervisor.QuestionOpen {
			t.endQuestion(q, supervisor.QuestionNotNeeded, supervisor.Answer{})
		}
	}, "withdraw question %d", id)
}

const wasAsked = `SELECT EXISTS (SELECT 1 FROM question WHERE digest = ? AND user = ?)`

// WasAsked says whether a question with that digest was put to a person.
func (s Questions) WasAsked(ctx context.Context, user, digest string) (bool, error) {
	return engine.Value(s.db.reader(ctx, "find a question of %s", user), engine.Bool, wasAsked, digest, user)
}

const (
	findPressed = selectQuestion + `WHERE q.digest = ?`
	putDraft    = `UPDATE question SET draft = ? WHERE id = ?`
)

// Press keeps what a person has pressed. It says what that has come to, with the question as it is
// after; without one where it is foreign. SayAlways to an approval is kept as a grant too. What was
// taken and what is foreign is in the audit log.
func (s Questions) Press(
	ctx context.Context,
	p supervisor.Press,
) (q supervisor.Question, came supervisor.PressResult, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Question, supervisor.PressResult) { return t.press(p) },
		"keep what %s has pressed", p.User)
}

func (t *tx) press(p supervisor.Press) (none supervisor.Question, came supervisor.PressResult) {
	q := value(t, scanQuestion, findPressed, p.Digest)
	said, came := t.policies.Questions.Pressed(q.Question, q.draft, p.Word)
	if q.ID == 0 || q.Conversation.User != p.User || q.Conversation.ID != p.Conversation ||
		came == supervisor.PressForeign {
		t.audit(p.User, "question.foreign", fmt.Sprint("conversation ", p.Conversation))
		return none, supervisor.PressForeign
	}
	switch {
	case q.Why == supervisor.QuestionAnswered:
		return q.Question, supervisor.PressAnsweredBefore
	case q.Why == supervisor.QuestionExpired && q.Kind == supervisor.QuestionAsk && came == supervisor.PressTaken:
		return q.Question, t.pressLate(q, said)
	case q.Why == supervisor.QuestionExpired:
		return q.Question, supervisor.PressExpired
	case q.Why != supervisor.QuestionOpen:
		return q.Question, supervisor.PressEnded
	case came == supervisor.PressPicked:
		t.Exec(putDraft, encoded{said}, q.ID)
		t.tick(q, said)
	case came == supervisor.PressTaken:
		return t.endQuestion(q, supervisor.QuestionAnswered, said), came
	}
	return q.Question, came
}

// tick has a question's message show what is picked.
func (t *tx) tick(q questionRow, draft supervisor.Answer) {
	t.showQuestion(q, func(shown supervisor.RichText) supervisor.RichText {
		if len(shown.Buttons) > 0 {
			head := shown.Buttons[0][0].Press
			head = head[:strings.LastIndexByte(head, ':')+1]
			shown.Buttons = t.policies.Questions.Buttons(
				q.Question,
				draft,
				func(word string) string { return head + word },
			)
		}
		return shown
	})
}

// pressLate keeps what was pressed after a question has expired as a message that quotes it, once.
func (t *tx) pressLate(q questionRow, said supervisor.Answer) supervisor.PressResult {
	q.Answer = said
	quote, text := t.policies.Questions.Late(q.Question)
	_, fresh := t.putInbound(
		supervisor.Inbound{
			Conversation: q.Conversation,
			Source:       "question",
			Key:          fmt.Sprint(q.ID),
			Kind:         supervisor.KindText,
			Quote:        quote,
			Text:         text,
		},
	)
	if !fresh {
		return supervisor.PressExpired
	}
	return supervisor.PressLate
}

// questionRow is a question as it is kept.
type questionRow struct {
	supervisor.Question
	// 0 where it is from before deliveries were kept with questions, or was not put yet
	delivery int64
	held     int64             // what is to put it after quiet hours; 0 is nothing
	draft    supervisor.Answer // that its person is putting together
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
		decoded{&q.Ask},
		&q.Text,
		&q.delivery,
		&q.held,
		&q.Stands,
		&q.CreatedAt,
		&q.ExpiresAt,
		decoded{&q.draft},
		&q.Why,
		decoded{&q.Answer},
		&q.used,
	)
	return q
}
