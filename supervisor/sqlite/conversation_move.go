package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// RenameChat records a chat's new name and returns the number of changed conversations. The chat's
// conversations, logins and permission to speak move to the new name. A second call moves the rows
// that came after the first call. The caller wakes the sessions of the new chat.
//
// If a user already has a conversation under the new name, only pending rows move into it. These
// are inbounds that have not begun, and deliveries that wait or may be sent again, with their
// posts.
func (s Conversations) RenameChat(ctx context.Context, channel supervisor.Channel, from, to string) (moved int,
	err error) {
	if from == to {
		return 0, nil
	}
	return inTransaction(ctx, s.db, func(t *tx) int { return t.moveChat(channel, from, to) }, "move chat %s of %s to %s",
		from, channel, to)
}

// movedConversation has the ids of a conversation in the old and in the new chat.
type movedConversation struct {
	old int64
	new int64 // id in the new chat; 0 means that the user has no conversation there
}

const (
	listMoving = `SELECT c.id, coalesce(n.id, 0) FROM conversation c LEFT JOIN conversation n
		ON n.user = c.user AND n.channel = c.channel AND n.chat = ? AND n.thread = c.thread
		WHERE c.channel = ? AND c.chat = ?`
	moveLogins = `UPDATE OR REPLACE login SET chat = ? WHERE channel = ? AND chat = ?`
	moveGroup  = `UPDATE OR REPLACE allowed_group SET chat = ? WHERE channel = ? AND chat = ?`
)

func (t *tx) moveChat(channel supervisor.Channel, from, to string) (moved int) {
	pairs := all(t, scanMove, listMoving, to, channel, from)
	t.Exec(moveLogins, to, channel, from)
	t.Exec(moveGroup, to, channel, from)
	for _, p := range pairs {
		if t.moveConversation(p, to) > 0 {
			moved++
		}
	}
	return moved
}

func scanMove(row *engine.Row) (p movedConversation) { row.Scan(&p.old, &p.new); return p }

const (
	renameConversation = `UPDATE conversation SET chat = ? WHERE id = ?`
	movePosts          = `UPDATE post SET conversation = ?, changed_at = ? WHERE state <> 'deleted' AND delivery IN
		(SELECT id FROM outbox WHERE conversation = ? AND outcome IS NOT 'sent')`
	moveInbounds   = `UPDATE inbox SET conversation = ? WHERE conversation = ? AND state = 'new'`
	moveDeliveries = `UPDATE outbox SET conversation = ? WHERE conversation = ? AND outcome IS NOT 'sent'`
	redirectInbox  = `UPDATE inbox SET destination = ? WHERE destination = ? AND state = 'new'`
	redirectJobs   = `UPDATE job SET conversation = ? WHERE conversation = ? AND state <> 'done'`
	redirectTurns  = `UPDATE turn SET destination = ? WHERE destination = ? AND ended_at IS NULL`
)

// moveConversation moves a conversation or its pending rows, and returns how many rows it moved.
func (t *tx) moveConversation(p movedConversation, to string) int64 {
	if p.new == 0 {
		return t.ExecCount(renameConversation, to, p.old)
	}
	t.Exec(movePosts, p.new, t.Now, p.old)
	t.Exec(redirectInbox, p.new, p.old)
	t.Exec(redirectTurns, p.new, p.old)
	t.Exec(redirectJobs, p.new, p.old)
	return t.ExecCount(moveInbounds, p.new, p.old) + t.ExecCount(moveDeliveries, p.new, p.old)
}
