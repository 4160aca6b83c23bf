package sqlite

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// maxResendAge is the greatest age of a delivery that is sent again. Older texts would confuse the
// chat, and the user finds them in the history.
const maxResendAge = 7 * 24 * time.Hour

// listResendable leaves out deliveries with a DeleteAfter, whose text is gone, and deliveries that
// were sent to another conversation.
const listResendable = `SELECT id, conversation, coalesce(inbound, 0), outcome, vanish, 0 FROM outbox
	WHERE outcome IN ('unknown', 'failed') AND told < 2 AND vanish = 0 AND conversation = ? AND created_at >= ? ORDER BY id LIMIT ?`

// ResendUndelivered queues a conversation's deliveries that may not have arrived. It takes the
// oldest deliveries of the last week, up to limit, and returns their number. Failed posts are sent
// again. Posts with an unknown result are sent as repeats.
func (s Outbox) ResendUndelivered(ctx context.Context, conversation int64, limit int) (n int, err error) {
	return inTransaction(ctx, s.db, func(t *tx) int { return t.resend(conversation, limit) }, "resend deliveries of conversation %d", conversation)
}

func (t *tx) resend(conversation int64, limit int) int {
	return t.resendAll(all(t, scanOutcome, listResendable, conversation, t.Now-maxResendAge.Milliseconds(), limit))
}

func (t *tx) resendAll(lost []outcomeRow) int {
	for _, d := range lost {
		t.moveOutcome(d, outcomePending, "")
		t.settleEffects(d, supervisor.DeliveryOutcome{Delivery: d.id, Outcome: outcomePending})
		t.requeue(d.id)
	}
	return len(lost)
}

const (
	listFailed = `SELECT DISTINCT c.id, c.user, c.channel, c.chat, c.thread FROM outbox o JOIN conversation c ON c.id = o.conversation
		WHERE o.outcome IN ('unknown', 'failed') AND o.why = ? AND o.created_at >= ? ORDER BY c.id`
	listFailedOf = `SELECT id, conversation, coalesce(inbound, 0), outcome, vanish, 0 FROM outbox
		WHERE outcome IN ('unknown', 'failed') AND outcome = 'failed' AND told < 2 AND vanish = 0 AND conversation = ?
		AND why = ? AND created_at >= ? ORDER BY id LIMIT ?`
)

// ListFailedConversations lists conversations with deliveries that failed in the last week.
func (s Outbox) ListFailedConversations(ctx context.Context, why string) ([]supervisor.Conversation, error) {
	return engine.AllRows(s.db.reader(ctx, "list deliveries that failed for %q", why), scanConversation, listFailed,
		why, s.db.engine.Now().Add(-maxResendAge))
}

// ResendFailed resends like ResendUndelivered, but only deliveries that failed for a reason.
func (s Outbox) ResendFailed(ctx context.Context, conversation int64, why string, limit int) (n int, err error) {
	return inTransaction(ctx, s.db, func(t *tx) int {
		since := t.Now - maxResendAge.Milliseconds()
		return t.resendAll(all(t, scanOutcome, listFailedOf, conversation, why, since, limit))
	}, "resend deliveries of conversation %d that failed for %q", conversation, why)
}

// requeue queues the posts of a delivery whose result is unknown or that the channel refused.
func (t *tx) requeue(delivery int64) {
	for _, p := range t.postsOf(delivery) {
		again := p
		again.State, again.Repeat = supervisor.PostQueued, p.Repeat || p.State == supervisor.PostUnknown
		if p.State == supervisor.PostUnknown || p.State == supervisor.PostFailed {
			t.changePost(p, again)
		}
	}
}
