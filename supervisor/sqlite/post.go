package sqlite

import (
	"context"
	"errors"
	"slices"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Posts stores the messages in chats that show replies and deliveries, before they are sent. Each
// part of a turn or a delivery has one post. Deleted posts stay in the table and are not listed.
type Posts struct{ db *DB }

const (
	selectPost = `SELECT p.id, coalesce(p.turn, 0), coalesce(p.delivery, 0), p.part, p.state, p.repeat, p.message,
		p.content FROM post p `
	listTurnPosts     = selectPost + `WHERE p.turn = ? AND p.state <> 'deleted' ORDER BY p.part`
	listDeliveryPosts = selectPost + `WHERE p.delivery = ?1 AND p.state <> 'deleted' UNION ALL ` + selectPost +
		`WHERE p.turn = (SELECT turn FROM outbox WHERE id = ?1) AND p.delivery IS NULL AND p.state <> 'deleted'
		ORDER BY 4, 1`
)

// ListPosts lists the posts of a delivery, and posts of its turn that have no delivery yet. With
// delivery 0 it lists the posts of a turn. Posts are in the order of their parts.
func (s Posts) ListPosts(ctx context.Context, turn, delivery int64) ([]supervisor.Post, error) {
	query, id := listTurnPosts, turn
	if delivery != 0 {
		query, id = listDeliveryPosts, delivery
	}
	return engine.AllRows(s.db.reader(ctx, "list the posts of turn %d, delivery %d", turn, delivery), scanPost, query,
		id)
}

// isAskedBelowReply selects whether a turn's question is in the chat below the turn's reply. Once
// it is there, the posts of the reply do not change.
const isAskedBelowReply = `SELECT EXISTS (SELECT 1 FROM question q CROSS JOIN post a ON a.delivery = q.delivery WHERE q.turn = ?1 AND a.state = 'sent'
	AND a.changed_at >= (SELECT max(p.changed_at) FROM post p WHERE p.turn = ?1 AND p.state = 'sent'))`

// IsQuestionBelowReply reports whether the chat shows a question below a reply. Both are of the
// given turn.
func (s Posts) IsQuestionBelowReply(ctx context.Context, turn int64) (bool, error) {
	return engine.FirstValue(s.db.reader(ctx, "check for a question below the reply of turn %d", turn), engine.ScanBool,
		isAskedBelowReply, turn)
}

// MarkSending marks a post as being sent, and stores its Content and Repeat. It returns the post.
// With ID 0 it creates the post. An existing post must be queued or have been interrupted while it
// was sent. An interrupted post is sent again as a repeat. Only the caller that gets a nil error
// may send the post.
func (s Posts) MarkSending(ctx context.Context, conversation int64, p supervisor.Post) (supervisor.Post, error) {
	p.State, p.Message = supervisor.PostSending, ""
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Post {
		if p.ID == 0 {
			return t.putPost(conversation, p)
		}
		return t.startSending(p)
	}, "start sending part %d of turn %d, delivery %d", p.Part, p.Turn, p.Delivery)
}

// StorePostResult stores the result of a send: State, Message, Repeat and Content. A second call
// changes nothing.
func (s Posts) StorePostResult(ctx context.Context, p supervisor.Post) error {
	return s.db.write(ctx, func(t *tx) { t.settlePost(p) }, "settle post %d as %s", p.ID, p.State)
}

func (t *tx) settlePost(p supervisor.Post) { t.changePost(t.post(p.ID), p) }

const findPost = selectPost + `WHERE p.id = ?`

func (t *tx) post(id int64) supervisor.Post {
	return byID(t, "post", scanPost, findPost, id)
}

// postsOf returns the posts of a delivery, with those posts of its turn that have no delivery yet.
func (t *tx) postsOf(delivery int64) []supervisor.Post {
	return all(t, scanPost, listDeliveryPosts, delivery)
}

// startSending marks an existing post as being sent. It ignores the Turn, Delivery and Part of p.
func (t *tx) startSending(p supervisor.Post) supervisor.Post {
	now := t.post(p.ID)
	p.Turn, p.Delivery, p.Part = now.Turn, now.Delivery, now.Part
	t.changePost(now, p)
	return p
}

const insertPost = `INSERT INTO post (user, conversation, turn, delivery, part, state, repeat, content, changed_at)
	SELECT user, id, ?, ?, ?, ?, ?, ?, ? FROM conversation WHERE id = ? RETURNING id`

// putPost stores a new post.
func (t *tx) putPost(conversation int64, p supervisor.Post) supervisor.Post {
	id, ok := one(t, engine.ScanInteger, insertPost, orNull(p.Turn), orNull(p.Delivery), p.Part, p.State, p.Repeat,
		columnEncoder{p.Content}, t.Now, conversation)
	switch {
	case errors.Is(t.err, engine.ErrUnique):
		t.err = invalid("part %d of turn %d, delivery %d has a post", p.Part, p.Turn, p.Delivery)
	case !ok:
		t.fail(notFound("there is no conversation %d", conversation))
	}
	p.ID = id
	return p
}

// isFirstInChat selects whether a delivery is the next message to send to its chat. ?1 is the
// delivery, ?2 its turn, ?3 its conversation, ?4 and ?5 the chat. A delivery since ?6 that may not
// have arrived comes first, since the user will get a notice about that delivery.
const isFirstInChat = `SELECT NOT EXISTS (SELECT 1 FROM post WHERE turn = ?2 AND state <> 'deleted')
	AND NOT EXISTS (SELECT 1 FROM outbox WHERE delivered_at IS NULL AND id <> ?1 AND id NOT IN (SELECT delivery FROM speech WHERE only = 1) AND conversation IN
		(SELECT id FROM conversation WHERE channel = ?4 AND chat = ?5))
	AND NOT EXISTS (SELECT 1 FROM outbox WHERE outcome IN ('unknown', 'failed') AND told = 0 AND vanish = 0
		AND conversation = ?3 AND created_at >= ?6)`

// putFirstPost stores the only post of a delivery as being sent, if the delivery is the next
// message to send to its chat.
func (t *tx) putFirstPost(d supervisor.Delivery, content supervisor.RichText) (none supervisor.Post) {
	c := d.Conversation
	if !value(t, engine.ScanBool, isFirstInChat, d.ID, d.Turn, c.ID, c.Channel, c.Chat,
		t.Now-maxResendAge.Milliseconds()) {
		return none
	}
	return t.putPost(c.ID, supervisor.Post{Turn: d.Turn, Delivery: d.ID, State: supervisor.PostSending, Content: content})
}

// postTransitions lists the allowed next states of each state of a post. A post may also keep its
// state, unless it is being sent.
var postTransitions = map[supervisor.PostState][]supervisor.PostState{
	supervisor.PostQueued: {supervisor.PostSending, supervisor.PostFailed, supervisor.PostDeleted},
	supervisor.PostSending: {supervisor.PostSent, supervisor.PostQueued, supervisor.PostUnknown, supervisor.PostFailed,
		supervisor.PostDeleted}, // deleted if the post is not needed, and its message's id on the channel is unknown
	// queued if the message is gone from the chat
	supervisor.PostSent: {supervisor.PostSurplus, supervisor.PostQueued},
	// sent if the post is needed after all
	supervisor.PostSurplus: {supervisor.PostDeleted, supervisor.PostSent},
	// queued if the user asked to send the post again
	supervisor.PostUnknown: {supervisor.PostQueued, supervisor.PostDeleted},
	// queued if the post got other content, or the user asked to send the post again
	supervisor.PostFailed: {supervisor.PostQueued, supervisor.PostDeleted},
}

// postMayBecome reports whether a post may change from the post now to the post to.
func postMayBecome(now, to supervisor.Post) bool {
	switch {
	case now.State == supervisor.PostSending && to.State == supervisor.PostSending:
		return to.Repeat && !now.Repeat // a post that may have arrived is repeated only once
	case now.Repeat && !to.Repeat && now.State != supervisor.PostSent:
		return false // a repeated post stays marked as a repeat, since the first message may be in the chat
	case to.State == supervisor.PostSent && to.Message == "":
		return false
	}
	return now.State == to.State || slices.Contains(postTransitions[now.State], to.State)
}

const movePost = `UPDATE post SET state = ?, repeat = ?, message = ?, content = ?, changed_at = ? WHERE id = ?`

// changePost changes a post's state; no other function does. The argument now must have been read
// in this transaction.
func (t *tx) changePost(now, to supervisor.Post) {
	if !postMayBecome(now, to) {
		t.fail(invalid("post %d is %s (repeat %t) and cannot become %s (repeat %t, named %q)", now.ID, now.State,
			now.Repeat, to.State, to.Repeat, to.Message))
	}
	if to.State == supervisor.PostDeleted {
		to.Content = supervisor.RichText{} // the content of a deleted post is not needed
	}
	t.Exec(movePost, to.State, to.Repeat, to.Message, columnEncoder{to.Content}, t.Now, now.ID)
}

func scanPost(row *engine.Row) (p supervisor.Post) {
	row.Scan(&p.ID, &p.Turn, &p.Delivery, &p.Part, &p.State, &p.Repeat, &p.Message, columnDecoder{&p.Content})
	return p
}
