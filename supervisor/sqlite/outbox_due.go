package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/sqlite/internal/engine"
)

const dueConversations = `SELECT id, user, channel, chat, thread FROM conversation WHERE +channel = ? AND id IN (
	SELECT conversation FROM outbox WHERE delivered_at IS NULL UNION ALL
	SELECT coalesce(t.destination, t.conversation) FROM turn t CROSS JOIN post p ON p.turn = t.id AND p.delivery IS NULL AND p.state <> 'deleted'
	WHERE t.ended_at IS NULL) ORDER BY id` // from the few turns that run to their posts, in this order

// Due lists a channel's conversations, of all persons, with a delivery that waits or a post of a turn that runs. It is
// for the start of the service.
func (s Outbox) Due(ctx context.Context, channel supervisor.Channel) ([]supervisor.Conversation, error) {
	list, err := engine.All(s.db.reader(ctx), scanConversation, dueConversations, channel)
	return list, wrap(err, "list the conversations of %s with something to send", channel)
}

// Which they are is read off an index of what waits, however much that is; the rest of them alone is read whole.
const listPendingIn = selectDelivery + `WHERE o.id IN (SELECT id FROM outbox WHERE delivered_at IS NULL AND conversation IN
	(SELECT id FROM conversation WHERE channel = ? AND chat = ?) ORDER BY id LIMIT ?) ORDER BY o.id`

// PendingIn lists what waits in all conversations of a channel's chat, of all persons in it, oldest first, at most limit
// of them.
func (s Outbox) PendingIn(ctx context.Context, channel supervisor.Channel, chat string, limit int) (
	[]supervisor.Delivery, error) {
	list, err := engine.All(s.db.reader(ctx), scanDelivery, listPendingIn, channel, chat, limit)
	return list, wrap(err, "list the pending deliveries to chat %s of %s", chat, channel)
}

const listUntoldOf = `SELECT id FROM outbox WHERE outcome IN ('unknown', 'failed') AND told = 0 AND vanish = 0
	AND conversation = ? AND created_at >= ? ORDER BY id`

// UntoldOf lists the deliveries to a conversation that did not arrive for certain, whose outcome the person has not been
// told, and that Resend would take.
func (s Outbox) UntoldOf(ctx context.Context, conversation int64) ([]int64, error) {
	oldest := s.db.engine.Now().Add(-resendAge).UnixMilli()
	list, err := engine.All(s.db.reader(ctx), engine.Integer, listUntoldOf, conversation, oldest)
	return list, wrap(err, "list what conversation %d was not told", conversation)
}

// With a single max() SQLite takes the other columns from the row that has it.
const listUndelivered = `SELECT c.id, c.user, c.channel, c.chat, c.thread, o.outcome, o.why, count(*), max(o.delivered_at)
	FROM outbox o JOIN conversation c ON c.id = o.conversation WHERE o.outcome IN ('unknown', 'failed')
	GROUP BY o.conversation, o.outcome ORDER BY max(o.delivered_at) DESC, o.conversation, o.outcome`

// Undelivered sums up, by conversation and outcome, what did not arrive for certain, the newest first. It reads all of
// those: it is for people who ask.
func (s Outbox) Undelivered(ctx context.Context) ([]supervisor.Undelivered, error) {
	list, err := engine.All(s.db.reader(ctx), scanUndelivered, listUndelivered)
	return list, wrap(err, "sum up what was not delivered")
}

func scanUndelivered(row *engine.Row) (u supervisor.Undelivered) {
	c := &u.Conversation
	row.Scan(&c.ID, &c.User, &c.Channel, &c.Chat, &c.Thread, &u.Outcome, &u.Why, &u.Count, &u.Last)
	return u
}
