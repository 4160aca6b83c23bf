package sqlite

import (
	"slices"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	findOpenQuestion = selectQuestion + `WHERE q.conversation = ? AND q.why IS NULL AND q.held IS NULL
		ORDER BY q.id DESC LIMIT 1`

	// isBelowQuestion is true if the newest message of a chat was sent, and is a question or one of
	// its reminders. Answers of commands do not count, unless they ask something by buttons.
	isBelowQuestion = `SELECT o.outcome IS 'sent' AND (o.id = ?2 OR o.id IN (SELECT delivery FROM question_reminder WHERE question = ?3))
		FROM conversation c JOIN conversation n ON n.channel = c.channel
		AND n.chat = c.chat JOIN outbox o ON o.conversation = n.id WHERE c.id = ?1 AND NOT (o.kind = 'command' AND o.buttons = '')
		ORDER BY o.id DESC LIMIT 1`
	// blocksTurns is true if a conversation's running turn, or a child of it, has asked the
	// question.
	blocksTurns = `SELECT EXISTS (SELECT 1 FROM turn t WHERE t.conversation = ?1 AND t.ended_at IS NULL
		AND (t.id = ?2 OR t.id = (SELECT parent FROM turn WHERE id = ?2)))`
	// findResumed selects the inbound of a turn, or of its parent.
	findResumed = `SELECT coalesce(t.inbound, p.inbound, 0) FROM turn t
		LEFT JOIN turn p ON p.id = t.parent WHERE t.id = ?`
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
// conversation. The result said reports whether the outbox has a new message or a changed one.
func (t *tx) answerOpenQuestion(
	in supervisor.Inbound,
	m supervisor.AnswerMessage,
	repliesTo string,
) (_ supervisor.Inbound, said bool) {
	q, stands := one(t, scanQuestion, findOpenQuestion, in.Conversation.ID)
	if !stands {
		return in, false
	}
	m.BelowQuestion = value(t, engine.ScanBool, isBelowQuestion, in.Conversation.ID, q.delivery, q.ID)
	m.Blocked = value(t, engine.ScanBool, blocksTurns, in.Conversation.ID, q.Turn)
	m.World, m.Now = m.World || in.Origin == supervisor.OriginWorld, fromMillis(t.Now)
	m.RepliesElsewhere, m.Followup = !t.isReplyTo(q, repliesTo), in.Priority == supervisor.PriorityFollowup
	a, answers, reminds := t.policies.Questions.DecideMessage(q.Question, q.draft, m)
	switch {
	case answers:
		return t.answerInWords(in, q, a), true
	case a.Skipped: // the message gets a turn of its own
		t.endQuestion(q, supervisor.QuestionAnswered, a)
		return in, true
	}
	return in, reminds && t.remind(q, in)
}

// listOpenInChat selects the open questions to a user in a chat, in any of its topics.
const listOpenInChat = selectQuestion + `WHERE q.why IS NULL AND q.held IS NULL AND c.user = ? AND c.channel = ?
	AND c.chat = ?`

// putReaction lets an emoji on a question's message answer the question, as the same text would. It
// drops any other emoji, and every emoji at a closed gate.
func (t *batchTx) putReaction(item supervisor.BatchItem) []supervisor.Inbound {
	c, d := item.Inbound.Conversation, item.Decision
	closed := d.Check != nil && (d.Check.AnswerOnly || !t.useLogin(c, *d.Check))
	if item.Answer != "" || d.CheckCode != nil && d.Check == nil || closed {
		return nil
	}
	for _, q := range all(t.tx, scanQuestion, listOpenInChat, c.User, c.Channel, c.Chat) {
		deliveries := append(all(t.tx, engine.ScanInteger, listReminders, q.ID), q.delivery)
		if !slices.ContainsFunc(deliveries, func(id int64) bool { return t.shows(id, item.RepliesTo) }) {
			continue
		}
		read := q.Question // the user has read the question, even if its delivery is not recorded yet
		read.ExpiresAt = fromMillis(t.Now)
		a, answers, _ := t.policies.Questions.DecideMessage(read, q.draft,
			supervisor.AnswerMessage{Text: item.Inbound.Text, BelowQuestion: true, Now: read.ExpiresAt})
		if !answers {
			return nil
		}
		item.Inbound.Conversation = q.Conversation
		in, fresh := t.putInbound(item.Inbound)
		if !fresh {
			return nil
		}
		t.noteQueued(q.Conversation)
		return []supervisor.Inbound{t.answerInWords(in, q, a)}
	}
	return nil
}

// shows reports whether a message shows a delivery.
func (t *tx) shows(delivery int64, message string) bool {
	return slices.ContainsFunc(t.postsOf(delivery), func(p supervisor.Post) bool { return p.Message == message })
}

// isReplyTo reports whether a message may be an answer to a question. If the message replies to a
// message, that must be the question or the newest message.
func (t *tx) isReplyTo(q questionRow, message string) bool {
	return message == "" || message == value(t, engine.ScanString, newestMessage, q.Conversation.ID) ||
		t.shows(q.delivery, message)
}

// answerInWords stores a message as the answer to a question. If the question's message can't show
// the answer, the user gets a notice.
func (t *tx) answerInWords(in supervisor.Inbound, q questionRow, a supervisor.Answer) supervisor.Inbound {
	ended := t.endQuestion(q, supervisor.QuestionAnswered, a)
	t.transition(in, supervisor.InboundAnswered)
	in.State, in.Resumes = supervisor.InboundAnswered, value(t, engine.ScanInteger, findResumed, q.Turn)
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
