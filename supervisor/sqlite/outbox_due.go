package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// dueConversations selects conversations with deliveries to send. It reads the few running turns
// first, and then their posts.
const dueConversations = `SELECT id, user, channel, chat, thread FROM conversation WHERE +channel = ? AND id IN (
	SELECT conversation FROM outbox WHERE delivered_at IS NULL AND id NOT IN (SELECT delivery FROM speech WHERE only = 1) UNION ALL
	SELECT coalesce(t.destination, t.conversation) FROM turn t CROSS JOIN post p ON p.turn = t.id AND p.delivery IS NULL
		AND p.state <> 'deleted' WHERE t.ended_at IS NULL) ORDER BY id`

// ListDueConversations lists a channel's conversations that have something to send. These have a
// delivery to send, or a running turn with a post. The service calls it when it starts.
func (s Outbox) ListDueConversations(ctx context.Context, channel supervisor.Channel) ([]supervisor.Conversation,
	error) {
	return engine.AllRows(s.db.reader(ctx, "list conversations of %s with pending deliveries", channel),
		scanConversation, dueConversations, channel)
}

// listPendingIn takes the ids from an index of waiting deliveries, and reads only the rows up to
// the limit.
const listPendingIn = selectDelivery + `WHERE o.id IN (SELECT w.id FROM conversation x CROSS JOIN outbox w ON w.conversation = x.id
	AND w.delivered_at IS NULL AND w.id NOT IN (SELECT delivery FROM speech WHERE only = 1) WHERE x.channel = ? AND x.chat = ? ORDER BY w.id LIMIT ?) ORDER BY o.id`

// ListPendingInChat lists the waiting deliveries to a chat, of all users, oldest first. Texts that
// wait for their recordings are left out.
func (s Outbox) ListPendingInChat(ctx context.Context, channel supervisor.Channel, chat string, limit int) (
	[]supervisor.Delivery, error) {
	return engine.AllRows(s.db.reader(ctx, "list the pending deliveries to chat %s of %s", chat, channel), scanDelivery,
		listPendingIn, channel, chat, limit)
}

const listUntoldOf = `SELECT id FROM outbox WHERE outcome IN ('unknown', 'failed') AND told = 0 AND vanish = 0
	AND conversation = ? AND created_at >= ? ORDER BY id`

// ListUnreportedLosses lists deliveries to a conversation that may not have arrived. It leaves out
// deliveries that can't be sent again. It also leaves out deliveries that the user was told about.
func (s Outbox) ListUnreportedLosses(ctx context.Context, conversation int64) ([]int64, error) {
	return engine.AllRows(s.db.reader(ctx, "list unreported deliveries of conversation %d", conversation),
		engine.ScanInteger, listUntoldOf,
		conversation, s.db.engine.Now().Add(-maxResendAge))
}

// listUndelivered relies on SQLite: with a single max() it takes the other columns from the row
// with the maximum.
const listUndelivered = `SELECT c.id, c.user, c.channel, c.chat, c.thread, o.outcome, o.why, count(*), max(o.delivered_at)
	FROM outbox o JOIN conversation c ON c.id = o.conversation WHERE o.outcome IN ('unknown', 'failed')
	GROUP BY o.conversation, o.outcome ORDER BY max(o.delivered_at) DESC, o.conversation, o.outcome`

// ListUndelivered sums up the deliveries that may not have arrived, newest first. It groups them by
// conversation and outcome. It is slow, since it reads all these deliveries.
func (s Outbox) ListUndelivered(ctx context.Context) ([]supervisor.UndeliveredSummary, error) {
	return engine.AllRows(s.db.reader(ctx, "sum undelivered messages"), scanUndelivered, listUndelivered)
}

func scanUndelivered(row *engine.Row) (u supervisor.UndeliveredSummary) {
	c := &u.Conversation
	row.Scan(&c.ID, &c.User, &c.Channel, &c.Chat, &c.Thread, &u.Outcome, &u.Why, &u.Count, &u.Last)
	return u
}
