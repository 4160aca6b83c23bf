package sqlite

import (
	"context"
	"errors"
	"slices"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Posts are the messages in a channel's chats that show replies and deliveries, kept before they
// are sent. A part of a turn or of a delivery has one post. Those that are deleted are kept, and
// not listed.
type Posts struct{ db *DB }

const (
	selectPost = `SELECT p.id, coalesce(p.turn, 0), coalesce(p.delivery, 0), p.part, p.state, p.repeat, p.message,
		p.content FROM post p `
	listTurnPosts     = selectPost + `WHERE p.turn = ? AND p.state <> 'deleted' ORDER BY p.part`
	listDeliveryPosts = selectPost + `WHERE p.delivery = ?1 AND p.state <> 'deleted' UNION ALL ` + selectPost +
		`WHERE p.turn = (SELECT turn FROM outbox WHERE id = ?1) AND p.delivery IS NULL AND p.state <> 'deleted'
		ORDER BY 4, 1`
)

// List lists the posts of a delivery, with those of its turn that belong to no delivery yet; where
// delivery is 0, those of a turn. They are in the order of their parts.
func (s Posts) List(ctx context.Context, turn, delivery int64) ([]supervisor.Post, error) {
	query, id := listTurnPosts, turn
	if delivery != 0 {
		query, id = listDeliveryPosts, delivery
	}
	return engine.All(s.db.reader(ctx, "list the posts of turn %d, delivery %d", turn, delivery), scanPost, query, id)
}

// What a turn's reply shows was changed before its person was asked, and not since.
const askedBelow = `SELECT EXISTS (SELECT 1 FROM question q CROSS JOIN post a ON a.delivery = q.delivery WHERE q.turn = ?1 AND a.state = 'sent'
	AND a.changed_at >= (SELECT max(p.changed_at) FROM post p WHERE p.turn = ?1 AND p.state = 'sent'))`

// Asked says whether a question of a turn's stands below what its reply has shown so far.
func (s Posts) Asked(ctx context.Context, turn int64) (bool, error) {
	return engine.Value(s.db.reader(ctx, "look whether turn %d has asked below its reply", turn), engine.Bool, askedBelow, turn)
}

// Sending keeps that a post is about to be sent, with its Content and Repeat, and returns it as it
// is then. One with ID 0 is new. One that is there must be queued, or its sending was cut: then it
// is taken once more, as a repeat. Whoever gets nil, and nobody else, may send it.
func (s Posts) Sending(ctx context.Context, conversation int64, p supervisor.Post) (supervisor.Post, error) {
	p.State, p.Message = supervisor.PostSending, ""
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Post {
		if p.ID == 0 {
			return t.putPost(conversation, p)
		}
		return t.startSending(p)
	}, "begin to send part %d of turn %d, delivery %d", p.Part, p.Turn, p.Delivery)
}

// Settle keeps what became of a post: its State, Message, Repeat and Content. A second time changes
// nothing.
func (s Posts) Settle(ctx context.Context, p supervisor.Post) error {
	return s.db.write(ctx, func(t *tx) { t.settlePost(p) }, "keep that post %d is %s", p.ID, p.State)
}

func (t *tx) settlePost(p supervisor.Post) { t.changePost(t.post(p.ID), p) }

const findPost = selectPost + `WHERE p.id = ?`

func (t *tx) post(id int64) supervisor.Post {
	return byID(t, "post", scanPost, findPost, id)
}

// postsOf are those that List lists for a delivery.
func (t *tx) postsOf(delivery int64) []supervisor.Post {
	return all(t, scanPost, listDeliveryPosts, delivery)
}

// startSending takes a post that is there. Its Turn, Delivery and Part are as they were kept.
func (t *tx) startSending(p supervisor.Post) supervisor.Post {
	now := t.post(p.ID)
	p.Turn, p.Delivery, p.Part = now.Turn, now.Delivery, now.Part
	t.changePost(now, p)
	return p
}

const insertPost = `INSERT INTO post (user, conversation, turn, delivery, part, state, repeat, content, changed_at)
	SELECT user, id, ?, ?, ?, ?, ?, ?, ? FROM conversation WHERE id = ? RETURNING id`

// putPost keeps a post that was not there.
func (t *tx) putPost(conversation int64, p supervisor.Post) supervisor.Post {
	id, ok := one(t, engine.Integer, insertPost, orNull(p.Turn), orNull(p.Delivery), p.Part, p.State, p.Repeat,
		encoded{p.Content}, t.Now, conversation)
	switch {
	case errors.Is(t.err, engine.ErrUnique):
		t.err = invalid("part %d of turn %d, delivery %d has a post", p.Part, p.Turn, p.Delivery)
	case !ok:
		t.fail(notFound("there is no conversation %d", conversation))
	}
	p.ID = id
	return p
}

// What else there is to send to a chat, or to say in it: ?1 is a delivery, ?2 its turn, ?3 its
// conversation, ?4 and ?5 the chat, ?6 since when an earlier delivery to it that may not have
// arrived is told of.
const firstInChat = `SELECT NOT EXISTS (SELECT 1 FROM post WHERE turn = ?2 AND state <> 'deleted')
	AND NOT EXISTS (SELECT 1 FROM outbox WHERE delivered_at IS NULL AND id <> ?1 AND id NOT IN (SELECT delivery FROM speech WHERE only = 1) AND conversation IN
		(SELECT id FROM conversation WHERE channel = ?4 AND chat = ?5))
	AND NOT EXISTS (SELECT 1 FROM outbox WHERE outcome IN ('unknown', 'failed') AND told = 0 AND vanish = 0
		AND conversation = ?3 AND created_at >= ?6)`

// putFirstPost keeps the only post of a delivery as being sent, where there is nothing to be sent
// before it. Else it keeps none.
func (t *tx) putFirstPost(d supervisor.Delivery, content supervisor.RichText) (none supervisor.Post) {
	c := d.Conversation
	if !value(t, engine.Bool, firstInChat, d.ID, d.Turn, c.ID, c.Channel, c.Chat, t.Now-resendAge.Milliseconds()) {
		return none
	}
	return t.putPost(c.ID, supervisor.Post{Turn: d.Turn, Delivery: d.ID, State: supervisor.PostSending, Content: content})
}

// postTransitions says which states a post may go to from each. It may also stay what it is, except
// when it is being sent.
var postTransitions = map[supervisor.PostState][]supervisor.PostState{
	supervisor.PostQueued: {supervisor.PostSending, supervisor.PostFailed, supervisor.PostDeleted},
	supervisor.PostSending: {supervisor.PostSent, supervisor.PostQueued, supervisor.PostUnknown, supervisor.PostFailed,
		supervisor.PostDeleted}, // deleted: not needed, and nobody knows its name
	// queued: it is gone from the chat
	supervisor.PostSent: {supervisor.PostSurplus, supervisor.PostQueued},
	// sent: it is needed after all
	supervisor.PostSurplus: {supervisor.PostDeleted, supervisor.PostSent},
	// queued: the person asked for it again
	supervisor.PostUnknown: {supervisor.PostQueued, supervisor.PostDeleted},
	// queued: with other content, or asked for
	supervisor.PostFailed: {supervisor.PostQueued, supervisor.PostDeleted},
}

// postMayBecome says whether a post may become another.
func postMayBecome(now, to supervisor.Post) bool {
	switch {
	case now.State == supervisor.PostSending && to.State == supervisor.PostSending:
		return to.Repeat && !now.Repeat // a repeat that may have arrived is not sent again
	case now.Repeat && !to.Repeat && now.State != supervisor.PostSent:
		return false // it says so until it is known that none stands in the chat
	case to.State == supervisor.PostSent && to.Message == "":
		return false
	}
	return now.State == to.State || slices.Contains(postTransitions[now.State], to.State)
}

const movePost = `UPDATE post SET state = ?, repeat = ?, message = ?, content = ?, changed_at = ? WHERE id = ?`

// changePost is the only place where a post's state changes. now is as it was read in this
// transaction.
func (t *tx) changePost(now, to supervisor.Post) {
	if !postMayBecome(now, to) {
		t.fail(invalid("post %d is %s (repeat %t) and cannot become %s (repeat %t, named %q)", now.ID, now.State,
			now.Repeat, to.State, to.Repeat, to.Message))
	}
	if to.State == supervisor.PostDeleted {
		to.Content = supervisor.RichText{} // nobody is shown it again
	}
	t.Exec(movePost, to.State, to.Repeat, to.Message, encoded{to.Content}, t.Now, now.ID)
}

func scanPost(row *engine.Row) (p supervisor.Post) {
	row.Scan(&p.ID, &p.Turn, &p.Delivery, &p.Part, &p.State, &p.Repeat, &p.Message, decoded{&p.Content})
	return p
}
