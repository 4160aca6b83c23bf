package sqlite

import (
	"context"
	"database/sql"

	"mews/supervisor"
)

// Outbox is what people are to be told, kept until their channel has taken it, and after.
type Outbox struct{ db *DB }

const (
	selectDelivery = `SELECT o.id, c.id, c.user, c.channel, c.chat, c.thread, coalesce(o.inbound, 0),
		coalesce(i.key, ''), coalesce(o.turn, 0), coalesce(t.why, ''), o.kind, o.text, o.created_at
		FROM outbox o JOIN conversation c ON c.id = o.conversation LEFT JOIN inbox i ON i.id = o.inbound
		LEFT JOIN turn t ON t.id = o.turn `
	listDeliveries = selectDelivery + `WHERE o.conversation = ? AND o.id > ? ORDER BY o.id LIMIT ?`
	listPending    = selectDelivery + `WHERE o.conversation = ? AND o.delivered_at IS NULL AND o.id > ?
		ORDER BY o.id LIMIT ?`
)

// List lists a conversation's deliveries with an id above after, delivered or not, in order, at most limit of them.
func (s Outbox) List(ctx context.Context, conversation, after int64, limit int) ([]supervisor.Delivery, error) {
	rows, err := s.db.readers.QueryContext(ctx, listDeliveries, conversation, after, limit)
	list, err := all(rows, err, scanDelivery)
	return list, during(err, "list the deliveries of conversation %d", conversation)
}

// Pending lists a conversation's deliveries with an id above after that its channel has not taken yet, oldest first, at
// most limit of them.
func (s Outbox) Pending(ctx context.Context, conversation, after int64, limit int) ([]supervisor.Delivery, error) {
	rows, err := s.db.readers.QueryContext(ctx, listPending, conversation, after, limit)
	list, err := all(rows, err, scanDelivery)
	return list, during(err, "list the pending deliveries of conversation %d", conversation)
}

const newestDelivery = `SELECT coalesce(max(id), 0) FROM outbox WHERE conversation = ?`

// Newest is the id of a conversation's newest delivery, 0 where it has none.
func (s Outbox) Newest(ctx context.Context, conversation int64) (id int64, err error) {
	rows, err := s.db.readers.QueryContext(ctx, newestDelivery, conversation)
	id, _, err = one(rows, err, scanInt)
	return id, during(err, "find the newest delivery of conversation %d", conversation)
}

const (
	findDelivery     = selectDelivery + `WHERE o.id = ?`
	markDelivered    = `UPDATE outbox SET delivered_at = ? WHERE id = ? AND delivered_at IS NULL`
	countUndelivered = `SELECT count(*) FROM outbox WHERE inbound = ? AND delivered_at IS NULL`
)

// Delivered keeps that the channel has taken a delivery; to say so again changes nothing. When all that answers an
// inbound was delivered, the inbound is done; a parked one stays parked.
func (s Outbox) Delivered(ctx context.Context, id int64) error {
	err := s.db.writer.do(ctx, func(t *tx) error { return t.delivered(id) })
	return during(err, "mark delivery %d as delivered", id)
}

func (t *tx) delivered(id int64) error {
	rows, err := t.query(findDelivery, id)
	d, ok, err := one(rows, err, scanDelivery)
	if err != nil {
		return err
	}
	if !ok {
		return missing("There is no delivery %d.", id)
	}
	if err := t.exec(markDelivered, t.now, id); err != nil || d.Inbound == 0 {
		return err
	}
	return t.settle(d.Inbound)
}

// settle moves an answered inbound to done when nothing that answers it waits any longer.
func (t *tx) settle(inbound int64) error {
	rows, err := t.query(countUndelivered, inbound)
	waiting, _, err := one(rows, err, scanInt)
	if err != nil || waiting > 0 {
		return err
	}
	in, err := t.inbound(inbound)
	if err != nil || in.State != supervisor.InboundAnswered {
		return err
	}
	return t.transition(in, supervisor.InboundDone)
}

const findConversationByID = `SELECT id, user, channel, chat, thread FROM conversation WHERE id = ?`

// PutNotice puts something into the outbox that the service has to say by itself.
func (s Outbox) PutNotice(ctx context.Context, conversation int64, text string) (supervisor.Delivery, error) {
	d, err := inTransaction(ctx, s.db.writer, func(t *tx) (d supervisor.Delivery, err error) {
		rows, err := t.query(findConversationByID, conversation)
		c, ok, err := one(rows, err, scanConversation)
		if err == nil && !ok {
			err = missing("There is no conversation %d.", conversation)
		}
		if err != nil {
			return d, err
		}
		return t.putDelivery(supervisor.Delivery{Conversation: c, Kind: supervisor.DeliveryNotice, Text: text})
	})
	return d, during(err, "put a notice for conversation %d", conversation)
}

// AnswerCommand answers a command: the answer is in the outbox and the command will not be run again. Refused if it has
// been answered.
func (s Outbox) AnswerCommand(ctx context.Context, inbound int64, text string) (supervisor.Delivery, error) {
	d, err := inTransaction(ctx, s.db.writer, func(t *tx) (supervisor.Delivery, error) {
		return t.answerCommand(inbound, text)
	})
	return d, during(err, "answer command %d", inbound)
}

func (t *tx) answerCommand(inbound int64, text string) (d supervisor.Delivery, err error) {
	in, err := t.inbound(inbound)
	if err != nil {
		return d, err
	}
	if in.Kind != supervisor.KindCommand {
		return d, refuse("Inbound %d is a %s, not a command.", in.ID, in.Kind)
	}
	if err := t.transition(in, supervisor.InboundAnswered); err != nil {
		return d, err
	}
	return t.putDelivery(supervisor.Delivery{Conversation: in.Conversation, Inbound: in.ID, Key: in.Key,
		Kind: supervisor.DeliveryCommand, Text: text})
}

const insertDelivery = `INSERT INTO outbox (user, conversation, inbound, turn, kind, text, created_at)
	VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`

// putDelivery puts d into the outbox and returns it with its id and time.
func (t *tx) putDelivery(d supervisor.Delivery) (_ supervisor.Delivery, err error) {
	d.CreatedAt = instant(t.now)
	d.ID, err = t.insert(insertDelivery, d.Conversation.User, d.Conversation.ID, orNull(d.Inbound), orNull(d.Turn),
		d.Kind, d.Text, t.now)
	return d, err
}

func scanDelivery(rows *sql.Rows) (d supervisor.Delivery, err error) {
	c, at := &d.Conversation, int64(0)
	err = rows.Scan(&d.ID, &c.ID, &c.User, &c.Channel, &c.Chat, &c.Thread, &d.Inbound, &d.Key, &d.Turn, &d.Why,
		&d.Kind, &d.Text, &at)
	d.CreatedAt = instant(at)
	return d, err
}
