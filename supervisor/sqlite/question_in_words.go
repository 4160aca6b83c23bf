package sqlite

import (
	"slices"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	findOpenQuestion = selectQuestion + `WHERE q.conversation = ? AND q.why IS NULL AND q.held IS NULL ORDER BY q.id DESC LIMIT 1`

	newestInChat = `SELECT o.conversation, o.text, o.outcome IS 'sent' FROM conversation c JOIN conversation n ON n.channel = c.channel
		AND n.chat = c.chat JOIN outbox o ON o.conversation = n.id WHERE c.id = ? ORDER BY o.id DESC LIMIT 1`
)

// answerOpenQuestion lets a message answer the open question of its conversation. A message that
// does not answer it stays for a turn.
func (t *batchTx) answerOpenQuestion(in supervisor.Inbound, repliesTo string) supervisor.Inbound {
	in, said := t.tx.answerOpenQuestion(in, supervisor.AnswerMessage{Text: in.Text}, repliesTo)
	if said && !slices.Contains(t.receipt.Queued, in.Conversation.ID) {
		t.receipt.Queued = append(t.receipt.Queued, in.Conversation.ID)
	}
	return in
}

// answerOpenQuestion lets a message with all its parts answer the open question of its
// conversation. said reports whether there is a message to send or to change.
func (t *tx) answerOpenQuestion(
	in supervisor.Inbound,
	m supervisor.AnswerMessage,
	repliesTo string,
) (_ supervisor.Inbound, said bool) {
	q, stands := one(t, scanQuestion, findOpenQuestion, in.Conversation.ID)
	if !stands {
		return in, false
	}
	if newest := value(t, scanChatMessage, newestInChat, in.Conversation.ID); newest.conversation == in.Conversation.ID {
		m.Newest, m.NewestSent = newest.text, newest.sent
	}
	m.World, m.Now = m.World || in.Origin == supervisor.OriginWorld, fromMillis(t.Now)
	m.RepliesElsewhere = !t.isReplyTo(q, repliesTo)
	switch a, answers, reminds := t.policies.Questions.DecideMessage(q.Question, q.draft, m); {
	case answers:
		return t.answerInWords(in, q, a), true
	case !reminds:
		return in, false
	}
	t.putDelivery(
		supervisor.Delivery{
			Conversation: in.Conversation,
			Kind:         supervisor.DeliveryNotice,
			Text:         t.policies.Questions.Reminder(q.Question),
		},
	)
	return in, true
}

// isReplyTo reports whether a message may be for a question. A message that replies to another
// message than the question or the newest message is not.
func (t *tx) isReplyTo(q questionRow, message string) bool {
	return message == "" || message == value(t, engine.ScanString, newestMessage, q.Conversation.ID) ||
		slices.ContainsFunc(t.postsOf(q.delivery), func(p supervisor.Post) bool { return p.Message == message })
}

// answerInWords stores a message as the answer to a question. If the question's message can't show
// the answer, the user gets a notice.
func (t *tx) answerInWords(in supervisor.Inbound, q questionRow, a supervisor.Answer) supervisor.Inbound {
	ended := t.endQuestion(q, supervisor.QuestionAnswered, a)
	t.transition(in, supervisor.InboundAnswered)
	in.State = supervisor.InboundAnswered
	if in.Conversation.Channel.Capabilities().Edit {
		t.transition(in, supervisor.InboundDone)
		in.State = supervisor.InboundDone
		return in
	}
	t.putDelivery(
		supervisor.Delivery{Conversation: in.Conversation, Inbound: in.ID, Key: in.Key, Kind: supervisor.DeliveryNotice,
			Text: t.policies.Questions.EndNotice(ended)},
	)
	return in
}

// chatMessage is the last message that a chat shows.
type chatMessage struct {
	conversation int64
	text         string
	sent         bool
}

func scanChatMessage(row *engine.Row) (m chatMessage) {
	row.Scan(&m.conversation, &m.text, &m.sent)
	return m
}
