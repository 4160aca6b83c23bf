package sqlite

import (
	"context"
	"time"

	"mews/supervisor"
)

// resendAge is how old a delivery may be that is sent again when its person asks for that. What is
// older is in the history, and out of place in a chat.
const resendAge = 7 * 24 * time.Hour

// What was to be deleted from its chat is not kept any more, and what was said elsewhere is there.
const listResendable = `SELECT id, conversation, coalesce(inbound, 0), outcome, vanish, 0 FROM outbox
	WHERE outcome IN ('unknown', 'failed') AND told < 2 AND vanish = 0 AND conversation = ? AND created_at >= ? ORDER BY id LIMIT ?`

// Resend has deliveries wait again that may not have arrived in a conversation: the oldest of the
// last week, at most limit of them. Their posts that failed are queued; those that are unknown are
// queued as repeats. It returns how many deliveries they are.
func (s Outbox) Resend(ctx context.Context, conversation int64, limit int) (n int, err error) {
	return inTransaction(ctx, s.db, func(t *tx) int { return t.resend(conversation, limit) }, "send again what did not arrive in conversation %d", conversation)
}

func (t *tx) resend(conversation int64, limit int) int {
	lost := all(t, scanOutcome, listResendable, conversation, t.Now-resendAge.Milliseconds(), limit)
	for _, d := range lost {
		t.moveOutcome(d, outcomePending, "")
		t.requeue(d.id)
	}
	return len(lost)
}

// requeue queues the posts of a delivery of which nobody knows whether they arrived, or that were
// refused.
func (t *tx) requeue(delivery int64) {
	for _, p := range t.postsOf(delivery) {
		again := p
		again.State, again.Repeat = supervisor.PostQueued, p.Repeat || p.State == supervisor.PostUnknown
		if p.State == supervisor.PostUnknown || p.State == supervisor.PostFailed {
			t.changePost(p, again)
		}
	}
}
