package sqlite

import (
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	insertReminder = `INSERT INTO question_reminder (delivery, user, question) VALUES (?, ?, ?)`
	listReminders  = `SELECT delivery FROM question_reminder WHERE question = ? ORDER BY delivery`
	findByReminder = selectQuestion + `WHERE q.id = (SELECT question FROM question_reminder WHERE delivery = ?)`
	findButtons    = `SELECT buttons FROM outbox WHERE id = ?`
	// endUnsent takes the buttons from a reminder that is not sent yet.
	endUnsent = `UPDATE outbox SET buttons = '' WHERE id = ? AND delivered_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM post WHERE delivery = outbox.id)`
)

// remind tells a user, once, that a message waits for the end of a question. The notice has the
// question's buttons.
func (t *tx) remind(q questionRow, in supervisor.Inbound) (said bool) {
	text := t.policies.Questions.Reminder(q.Question)
	if _, before := one(t, scanDelivery, findSaid, in.ID, text, 0); before {
		return false
	}
	buttons := value(t, scanButtons, findButtons, q.delivery)
	d := t.putDelivery(supervisor.Delivery{Conversation: in.Conversation, Inbound: in.ID,
		Kind: supervisor.DeliveryNotice, Text: text, Buttons: t.buttonsWith(q, buttons, q.draft)})
	t.Exec(insertReminder, d.ID, in.Conversation.User, q.ID)
	return true
}

// remindIfBlocked reminds the user of an open question that keeps a message from its turn. The
// message does not answer the question.
func (t *tx) remindIfBlocked(in supervisor.Inbound) {
	q, stands := one(t, scanQuestion, findOpenQuestion, in.Conversation.ID)
	if stands && value(t, engine.ScanBool, blocksTurns, in.Conversation.ID, q.Turn) {
		t.remind(q, in)
	}
}

// buttonsWith returns the buttons of a question with a draft. Their presses begin like the presses
// of the earlier buttons. Without earlier buttons it returns nil.
func (t *tx) buttonsWith(q questionRow, earlier [][]supervisor.Button, draft supervisor.Answer) [][]supervisor.Button {
	all := slices.Concat(earlier...)
	if len(all) == 0 {
		return nil
	}
	head := all[len(all)-1].Press // the last button; a keyboard's first button has no such press
	head = head[:strings.LastIndexByte(head, ':')+1]
	return t.policies.Questions.Buttons(q.Question, draft, func(word string) string { return head + word })
}

// endReminders takes the buttons from the reminders of an ended question.
func (t *tx) endReminders(q questionRow) {
	for _, delivery := range all(t, engine.ScanInteger, listReminders, q.ID) {
		if t.ExecCount(endUnsent, delivery) == 0 {
			t.endReminder(q, delivery)
		}
	}
}

// endReminder takes the buttons from a reminder that was sent. A keyboard goes away with the
// question's end.
func (t *tx) endReminder(q questionRow, delivery int64) {
	posts := t.postsOf(delivery)
	if len(posts) == 0 || posts[len(posts)-1].State != supervisor.PostSent ||
		t.policies.Questions.HasKeyboard(q.Question) {
		return
	}
	t.putCleaning(supervisor.MessageCleanup{Conversation: q.Conversation, Message: posts[len(posts)-1].Message,
		Kind: supervisor.CleanupRemoveButtons})
	t.questions = true
}
