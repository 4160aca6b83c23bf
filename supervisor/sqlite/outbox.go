package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// OutboxTexts has the texts that the outbox needs.
type OutboxTexts struct {
	DeletedText string // text that replaces the text of a delivery that was deleted from its chat
	// notice for an answer that should only be spoken, although a part of its text is shown already
	SpokenAnswerShown string
}

// Outbox stores the deliveries to users, sent or not.
type Outbox struct{ db *DB }

const (
	selectDelivery = `SELECT o.id, c.id, c.user, c.channel, c.chat, c.thread, coalesce(o.inbound, 0),
		coalesce(i.key, ''), coalesce((SELECT nullif(json_group_array(n.key ORDER BY n.id), '[]') FROM inbox n
			WHERE n.turn = o.turn AND o.kind = 'answer'), ''),
		coalesce(nullif(o.reply_to, ''), iif(t.destination IS NULL AND i.conversation = o.conversation, coalesce(i.message, ''), '')), coalesce(o.turn, 0),
			coalesce(t.why, ''), o.kind, o.text,
		o.buttons, o.files, o.effects,
		EXISTS (SELECT 1 FROM question q WHERE q.delivery = o.id AND q.kind = 'ask' UNION ALL
			SELECT 1 FROM question_reminder r JOIN question q ON q.id = r.question WHERE r.delivery = o.id AND q.kind = 'ask'), EXISTS (SELECT 1 FROM speech s WHERE s.recording = o.id), o.silent,
		coalesce(t.kind = 'job', 0), o.vanish, o.created_at FROM outbox o JOIN conversation c ON c.id = o.conversation LEFT JOIN inbox i ON i.id = o.inbound
		LEFT JOIN turn t ON t.id = o.turn `
	listDeliveries = selectDelivery + `WHERE o.conversation = ? AND o.id > ? ORDER BY o.id LIMIT ?`
	listPending    = selectDelivery + `WHERE o.conversation = ? AND o.delivered_at IS NULL AND o.id > ?
		ORDER BY o.id LIMIT ?`
)

// List lists a conversation's deliveries after an id, delivered or not, oldest first.
func (s Outbox) List(ctx context.Context, conversation, after int64, limit int) ([]supervisor.Delivery, error) {
	return engine.AllRows(s.db.reader(ctx, "list the deliveries of conversation %d", conversation), scanDelivery,
		listDeliveries, conversation, after, limit)
}

// ListPending lists a conversation's pending deliveries after an id, oldest first.
func (s Outbox) ListPending(ctx context.Context, conversation, after int64, limit int) ([]supervisor.Delivery, error) {
	return engine.AllRows(s.db.reader(ctx, "list the pending deliveries of conversation %d", conversation),
		scanDelivery, listPending, conversation, after, limit)
}

const newestDelivery = `SELECT coalesce(max(id), 0) FROM outbox WHERE conversation = ?`

// NewestID returns the id of a conversation's newest delivery, or 0 if it has none.
func (s Outbox) NewestID(ctx context.Context, conversation int64) (id int64, err error) {
	return engine.FirstValue(s.db.reader(ctx, "find the newest delivery of conversation %d", conversation),
		engine.ScanInteger, newestDelivery, conversation)
}

// PutTextNotice puts a text of the service into the outbox.
func (s Outbox) PutTextNotice(ctx context.Context, conversation int64, text string) (supervisor.Delivery, error) {
	return s.SendNotice(ctx, supervisor.Delivery{Conversation: supervisor.Conversation{ID: conversation}, Text: text})
}

// SendNotice puts a message of the service into the outbox. It reads the Conversation, Text,
// Buttons, Files, DeleteAfter and Silent of d. A Conversation without an ID is found or created by
// its other fields. SendNotice fails if a button or a file is invalid.
func (s Outbox) SendNotice(ctx context.Context, d supervisor.Delivery) (supervisor.Delivery, error) {
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Delivery { return t.putNotice(d) },
		"put a notice for conversation %d", d.Conversation.ID)
}

// findSaid selects an earlier notice about an inbound. If ?3 is above 0, it selects the notice that
// is shown until the inbound has arrived. Otherwise it selects the notice with the same text.
const findSaid = selectDelivery + `WHERE o.inbound = ?1 AND o.kind = 'notice' AND (o.vanish > 0) = (?3 > 0) AND (?3 > 0 OR o.text = ?2)`

// SendInboundNotice puts a notice about an inbound into the outbox. The notice goes to the
// inbound's conversation, and does not answer the inbound. A notice with the same text is not
// repeated.
//
// A notice with a DeleteAfter is removed when the inbound has arrived, is dropped or, for a
// command, is answered. An inbound has at most one such notice: SendInboundNotice returns an
// earlier one unchanged.
func (s Outbox) SendInboundNotice(ctx context.Context, d supervisor.Delivery) (supervisor.Delivery, error) {
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Delivery {
		in := t.inbound(d.Inbound)
		if said, ok := one(t, scanDelivery, findSaid, in.ID, d.Text, d.DeleteAfter); ok {
			return said
		}
		return t.putDelivery(supervisor.Delivery{Conversation: in.Conversation, Inbound: in.ID, Key: in.Key, Message: in.Message,
			Kind: supervisor.DeliveryNotice, Text: d.Text, Buttons: d.Buttons, DeleteAfter: d.DeleteAfter})
	}, "put a notice about inbound %d", d.Inbound)
}

const (
	isShownNotice = ` IN (SELECT o.id FROM outbox o WHERE o.inbound = ?2 AND o.kind = 'notice' AND o.vanish > 0)`
	cleanShown    = `UPDATE cleaning SET due_at = ?1 WHERE (conversation, message) IN (SELECT conversation, message FROM post WHERE delivery` +
		isShownNotice + `)`
	vanishShown = `UPDATE outbox SET vanish = ?1 WHERE delivered_at IS NULL AND id` + isShownNotice
)

// hideShown removes the notice that is shown until an inbound has arrived or is answered. A notice
// that is not sent yet is removed right after sending.
func (t *tx) hideShown(inbound int64) {
	t.Exec(cleanShown, t.Now, inbound)
	t.Exec(vanishShown, 1, inbound)
}

func (t *tx) putNotice(d supervisor.Delivery) supervisor.Delivery {
	c := d.Conversation
	if c.ID == 0 {
		c = t.conversation(c)
	} else {
		c = t.conversationByID(c.ID)
	}
	return t.putDelivery(supervisor.Delivery{Conversation: c, Kind: supervisor.DeliveryNotice, Text: d.Text,
		Buttons: d.Buttons, Files: d.Files, Effects: d.Effects, DeleteAfter: d.DeleteAfter, Silent: d.Silent})
}

// AnswerCommand answers a command or a press, which is then done. It reads the Text, Buttons, Files
// and DeleteAfter of d. Without text and files it sends nothing. It fails if the inbound was
// answered before.
func (s Outbox) AnswerCommand(ctx context.Context, inbound int64, d supervisor.Delivery) (supervisor.Delivery, error) {
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Delivery { return t.answerCommand(inbound, d) }, "answer command %d", inbound)
}

func (t *tx) answerCommand(inbound int64, d supervisor.Delivery) supervisor.Delivery {
	in := t.inbound(inbound)
	if in.Kind != supervisor.KindCommand && in.Kind != supervisor.KindPress {
		t.fail(invalid("inbound %d is a %s, not a command or a press", in.ID, in.Kind))
	}
	t.transition(in, supervisor.InboundAnswered)
	t.hideShown(in.ID)
	t.endQuestionsOf(0, in.ID)
	if d.Text == "" && len(d.Files) == 0 {
		in.State = supervisor.InboundAnswered
		t.transition(in, supervisor.InboundDone)
		return d
	}
	return t.putDelivery(supervisor.Delivery{Conversation: in.Conversation, Inbound: in.ID, Key: in.Key,
		Message: in.Message, Kind: supervisor.DeliveryCommand, Text: d.Text, Buttons: d.Buttons, Files: d.Files,
		DeleteAfter: d.DeleteAfter})
}

const insertDelivery = `INSERT INTO outbox (user, conversation, inbound, turn, kind, text, buttons, files, effects,
	vanish, silent, reply_to, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`

// putDelivery puts d into the outbox and returns d with its id and time. It fails if a button or a
// file is invalid.
func (t *tx) putDelivery(d supervisor.Delivery) supervisor.Delivery {
	t.fail(checkDelivery(d))
	d.CreatedAt = fromMillis(t.Now)
	d.ID = t.Insert(insertDelivery, d.Conversation.User, d.Conversation.ID, orNull(d.Inbound), orNull(d.Turn), d.Kind,
		d.Text, encodedList(d.Buttons), encodedList(d.Files), encodedList(d.Effects), d.DeleteAfter, d.Silent,
		d.ReplyTo, t.Now)
	return d
}

func scanDelivery(row *engine.Row) (d supervisor.Delivery) {
	c := &d.Conversation
	row.Scan(&d.ID, &c.ID, &c.User, &c.Channel, &c.Chat, &c.Thread, &d.Inbound, &d.Key, columnDecoder{&d.AlsoKeys},
		&d.Message,
		&d.Turn, &d.TurnEnd, &d.Kind, &d.Text, columnDecoder{&d.Buttons}, columnDecoder{&d.Files},
		columnDecoder{&d.Effects}, &d.IsQuestion, &d.IsRecording, &d.Silent, &d.Proactive, &d.DeleteAfter,
		&d.CreatedAt)
	return d
}
