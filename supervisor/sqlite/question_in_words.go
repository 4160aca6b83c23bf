package sqlite

import (
	"fmt"

	"mews/supervisor"
	"mews/supervisor/sqlite/internal/engine"
)

const (
	findStanding = selectQuestion + `WHERE q.conversation = ? AND q.answer = '' AND q.expires_at > ? ORDER BY q.id DESC LIMIT 1`

	newestInChat = `SELECT o.conversation, o.text, o.outcome IS 'sent' FROM conversation c JOIN conversation n ON n.channel = c.channel
		AND n.chat = c.chat JOIN outbox o ON o.conversation = n.id WHERE c.id = ? ORDER BY o.id DESC LIMIT 1`

	unbuttonQuestion = `INSERT INTO cleaning (user, conversation, message, what, due_at) SELECT p.user, p.conversation, p.message, ?, ?
		FROM outbox o JOIN post p ON p.delivery = o.id WHERE o.conversation = ? AND o.text = ? AND p.state = 'sent'
		ORDER BY o.id DESC, p.part DESC LIMIT 1`
)

// meetQuestion has a text answer the question that stands in its conversation, where it says yes or no and the question is the chat's
// newest message, which its person has before them. Any other text is kept for its turn, and the person is told, once, that the
// question is waited for.
func (t *batchTx) meetQuestion(in supervisor.Inbound, d supervisor.GateDecision) supervisor.Inbound {
	if d.Notice != "" {
		t.notify(supervisor.Delivery{Conversation: in.Conversation, Kind: supervisor.DeliveryNotice, Text: d.Notice})
		return in
	}
	q, stands := one(t, scanQuestion, findStanding, in.Conversation.ID, t.Now)
	if !stands || q.askerEnded {
		return in
	}
	newest := value(t, scanChatMessage, newestInChat, in.Conversation.ID)
	reminder := fmt.Sprintf(supervisor.TextQuestionWaits, q.Text)
	here := newest.conversation == in.Conversation.ID
	switch reminded := here && newest.text == reminder; {
	case d.Words != supervisor.AnswerNone && newest.sent && (reminded || here && newest.text == q.Text):
		return t.answerInWords(in, q, d.Words)
	case !reminded:
		t.notify(supervisor.Delivery{Conversation: in.Conversation, Kind: supervisor.DeliveryNotice, Text: reminder})
	}
	return in
}

func (t *batchTx) answerInWords(in supervisor.Inbound, q questionRow, answer supervisor.Answer) supervisor.Inbound {
	said := supervisor.TextSaidYes
	if answer == supervisor.AnswerDeny {
		said = supervisor.TextSaidNo
	}
	t.takeAnswer(q, answer)
	t.unbutton(q)
	return t.answer(in, said)
}

// unbutton has a question's message lose its buttons, where that was sent.
func (t *tx) unbutton(q questionRow) {
	t.Exec(unbuttonQuestion, supervisor.CleaningUnbutton, t.Now, q.Conversation.ID, q.Text)
}

// chatMessage is what people were told last in a chat.
type chatMessage struct {
	conversation int64
	text         string
	sent         bool
}

func scanChatMessage(row *engine.Row) (m chatMessage) {
	row.Scan(&m.conversation, &m.text, &m.sent)
	return m
}
