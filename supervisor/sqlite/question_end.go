package sqlite

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const moveQuestion = `UPDATE question SET why = ?1, answer = nullif(?2, ''), ended_at = ?3, draft = NULL, held = NULL,
	used_at = iif(?1 = 'over', ?3, used_at) WHERE id = ?4`

// endQuestion ends a question; no other function does. The question's message shows the end and
// loses its buttons.
func (t *tx) endQuestion(q questionRow, why supervisor.QuestionEndReason, a supervisor.Answer) supervisor.Question {
	if q.End != supervisor.QuestionOpen {
		t.fail(invalid("question %d has ended (%s)", q.ID, q.End))
	}
	said := any("")
	if why == supervisor.QuestionAnswered {
		said = columnEncoder{a}
		t.audit(q.Conversation.User, "question."+string(a.Say), fmt.Sprintf("question %d, %s %s", q.ID, q.Kind, q.Tool))
	}
	if a.Say == supervisor.AnswerChoiceAlways {
		t.Exec(insertGrant, q.Conversation.User, q.Tool, q.Subject, q.Text, t.Now)
	}
	if q.Kind == supervisor.QuestionFromModel && why != supervisor.QuestionCancelled {
		said := ""
		if why == supervisor.QuestionAnswered {
			said = t.policies.Questions.AnswerText(supervisor.Question{Ask: q.Ask, Answer: a})
		}
		t.putEffect(supervisor.Effect{User: q.Conversation.User, Turn: q.Turn, Call: q.Call,
			Kind: supervisor.EffectQuestionAsked, Target: q.Ask.Text, Detail: said})
	}
	t.Exec(moveQuestion, why, said, t.Now, q.ID)
	q.End, q.Answer = why, a
	t.endAskInJob(q)
	t.showEnd(q)
	t.endReminders(q)
	t.questions = true
	return q.Question
}

// showUnsent changes the text of a question's delivery that is not sent yet.
const showUnsent = `UPDATE outbox SET text = ?, buttons = '' WHERE id = ? AND delivered_at IS NULL
	AND NOT EXISTS (SELECT 1 FROM post WHERE delivery = outbox.id)`

// showEnd shows the end of a question in the question's message. A message that is being sent gets
// the new text after it has arrived.
//
// A message with a keyboard can't be changed, so another message shows the end and removes the
// keyboard.
func (t *tx) showEnd(q questionRow) {
	policy := t.policies.Questions
	if policy.HasKeyboard(q.Question) && !q.ExpiresAt.IsZero() {
		text, buttons := policy.KeyboardRemoval(q.Question)
		t.putDelivery(supervisor.Delivery{Conversation: q.Conversation, Kind: supervisor.DeliveryNotice, Text: text, Buttons: buttons})
		return
	}
	if q.delivery == 0 || t.ExecCount(showUnsent, policy.FinalText(q.Question), q.delivery) > 0 {
		return
	}
	t.showQuestion(q, q.delivery, func(shown supervisor.RichText) supervisor.RichText {
		shown = shown.AppendNote(policy.EndNotice(q.Question), maxMarked)
		if !policy.KeepsButtons(q.Question) {
			shown.Buttons = nil
		}
		return shown
	})
}

// showQuestion changes a message with a question's buttons if the message is in the chat.
func (t *tx) showQuestion(q questionRow, delivery int64, change func(supervisor.RichText) supervisor.RichText) {
	posts := t.postsOf(delivery)
	if len(posts) == 0 || posts[len(posts)-1].State != supervisor.PostSent {
		return
	}
	last := posts[len(posts)-1]
	t.putCleaning(supervisor.MessageCleanup{Conversation: q.Conversation, Message: last.Message,
		Kind:    supervisor.CleanupEdit,
		Content: change(last.Content)})
	t.questions = true
}

const (
	findByDelivery    = selectQuestion + `WHERE q.delivery = ?`
	startQuestionTime = `UPDATE question SET expires_at = min(?1, coalesce(ends_at, ?1)) WHERE id = ?2 AND expires_at IS NULL`
)

// questionDelivered starts the time limit of a delivered question. If the delivery failed, it ends
// the question. A reminder that was delivered after the question's end loses its buttons.
func (t *tx) questionDelivered(delivery int64, outcome supervisor.DeliveryResult) {
	q, asked := one(t, scanQuestion, findByDelivery, delivery)
	switch {
	case outcome == outcomePending:
	case !asked:
		if q, reminds := one(t, scanQuestion, findByReminder, delivery); reminds && q.End != supervisor.QuestionOpen {
			t.endReminder(q, delivery)
		}
	case q.End != supervisor.QuestionOpen:
		t.showEnd(q)
	case outcome == supervisor.OutcomeFailed:
		t.endQuestion(q, supervisor.QuestionUndelivered, supervisor.Answer{})
	default:
		t.Exec(startQuestionTime, t.Now+q.OpenFor.Milliseconds(), q.ID)
		t.questions = true
	}
}

const listOpenBudgetQuestions = selectQuestion + `WHERE q.why IS NULL AND q.kind = 'budget' AND c.user = ? AND q.turn <> ?`

// endOtherBudgetQuestions ends the budget questions of a user's other turns. These turns check
// their budget again, since there is more money now.
func (t *tx) endOtherBudgetQuestions(user string, turn int64) {
	for _, q := range all(t, scanQuestion, listOpenBudgetQuestions, user, turn) {
		t.endQuestion(q, supervisor.QuestionNotNeeded, supervisor.Answer{})
	}
}

const (
	listOpenOfTurn    = selectQuestion + `WHERE q.turn = ? AND q.why IS NULL`
	listOpenOfInbound = selectQuestion + `WHERE q.inbound = ? AND q.why IS NULL`
	useAnswersOf      = `UPDATE question SET used_at = ? WHERE turn = ? AND why IS NOT NULL AND used_at IS NULL`
)

// endQuestionsOf ends the open questions of an ended turn or command. It marks the answers to
// questions that have already ended as used.
func (t *tx) endQuestionsOf(turn, inbound int64) {
	query, by := listOpenOfTurn, turn
	if turn == 0 {
		query, by = listOpenOfInbound, inbound
	}
	for _, q := range all(t, scanQuestion, query, by) {
		t.endQuestion(q, supervisor.QuestionCancelled, supervisor.Answer{})
	}
	if turn != 0 {
		t.Exec(useAnswersOf, t.Now, turn)
	}
}

const (
	listExpired = selectQuestion + `WHERE q.why IS NULL AND (q.expires_at <= ?1 OR q.ends_at <= ?1) ORDER BY q.id LIMIT 100`
	nextExpires = `SELECT min(at) FROM (SELECT expires_at AS at FROM question WHERE why IS NULL UNION ALL SELECT ends_at FROM question WHERE why IS NULL)`
	listResumed = `SELECT DISTINCT c.id, c.user, c.channel, c.chat, c.thread FROM question q JOIN turn t ON t.id = q.turn
		JOIN conversation c ON c.id = t.conversation WHERE q.why IS NOT NULL AND q.used_at IS NULL AND q.turn IS NOT NULL
		AND t.ended_at IS NULL AND NOT EXISTS (SELECT 1 FROM question o WHERE o.turn = q.turn AND o.why IS NULL)`
)

// EndExpired ends the expired questions, and returns when the next question expires. The zero time
// means that no open question will expire.
func (s Questions) EndExpired(ctx context.Context) (next time.Time, err error) {
	read := s.db.reader(ctx, "find the next expiring question")
	next, err = engine.FirstValue(read, engine.ScanTime, nextExpires)
	if err != nil || next.IsZero() || next.After(s.db.engine.Now()) {
		return next, err
	}
	return inTransaction(ctx, s.db, func(t *tx) time.Time {
		for _, q := range all(t, scanQuestion, listExpired, t.Now) {
			t.endQuestion(q, supervisor.QuestionExpired, supervisor.Answer{})
		}
		return value(t, engine.ScanTime, nextExpires)
	}, "end expired questions")
}

// ListResumableConversations lists conversations whose waiting turn can continue. The turn waited
// for its user.
func (s Questions) ListResumableConversations(ctx context.Context) ([]supervisor.Conversation, error) {
	return engine.AllRows(s.db.reader(ctx, "list resumable conversations"), scanConversation, listResumed)
}

const codeWindow = time.Minute

// findCode selects the chat's question that a code would answer. Within a minute after the question
// has ended, a code still counts only for this question.
const findCode = selectQuestion + `WHERE q.kind = 'code' AND q.held IS NULL AND c.user = ?1 AND c.channel = ?2 AND c.chat = ?3
	AND (q.why IS NULL OR q.why <> 'answered' AND q.ended_at > ?4) ORDER BY q.why IS NOT NULL, q.id DESC LIMIT 1`

// FindQuestionForCode returns the question that a code from a user's chat would answer. The
// question is open, or has ended without a code within the last minute. ok is false if no question
// waits for a code.
func (s Questions) FindQuestionForCode(ctx context.Context, c supervisor.Conversation) (q supervisor.Question, ok bool,
	err error) {
	row, ok, err := engine.FirstRow(s.db.reader(ctx, "find the question for a code of %s", c.User), scanQuestion,
		findCode, c.User, c.Channel, c.Chat,
		s.db.engine.Now().Add(-codeWindow))
	return row.Question, ok, err
}
