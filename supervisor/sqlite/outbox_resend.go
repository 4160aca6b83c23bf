package sqlite

import (
	"context"
	"time"

	"mews/supervisor"
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
	lost := all(t, scanOutcome, listResendable, conversation, t.Now-maxResendAge.Milliseconds(), limit)
	for _, d := range lost {
		t.moveOutcome(d, outcomePending, "")
		t.settleEffects(d, supervisor.DeliveryOutcome{Delivery: d.id, Outcome: outcomePending})
		t.requeue(d.id)
	}
	return len(lost)
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
