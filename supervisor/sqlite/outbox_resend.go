package sqlite

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite/internal/engine"
)

// resendAge is how old a delivery may be that is sent again when its person asks for that: what is older is in the
// history, and out of place in a chat.
const resendAge = 7 * 24 * time.Hour

// What was to vanish is not there any more.
const listResendable = `SELECT id, coalesce(inbound, 0), outcome, vanish FROM outbox
	WHERE outcome IN ('unknown', 'failed') AND vanish = 0 AND conversation = ? AND created_at >= ? ORDER BY id LIMIT ?`

// Resend has what did not arrive for certain in a conversation wait again: the oldest deliveries that are not older than a
// week, at most limit of them. Their posts that failed are queued, those that are unknown as repeats. It returns how many
// there are.
func (s Outbox) Resend(ctx context.Context, conversation int64, limit int) (n int, err error) {
	n, err = inTransaction(ctx, s.db, func(t tx) (int, error) { return t.resend(conversation, limit) })
	return n, wrap(err, "send again what did not arrive in conversation %d", conversation)
}

func (t tx) resend(conversation int64, limit int) (int, error) {
	lost, err := engine.All(t, scanOutcome, listResendable, conversation, t.Now-resendAge.Milliseconds(), limit)
	if err != nil {
		return 0, err
	}
	for _, d := range lost {
		if err := t.moveOutcome(d, outcomePending, ""); err != nil {
			return 0, err
		}
		if err := t.requeue(d.id); err != nil {
			return 0, err
		}
	}
	return len(lost), nil
}

// requeue queues the posts of a delivery whose fate is not known or that were refused.
func (t tx) requeue(delivery int64) error {
	posts, err := t.postsOf(delivery)
	if err != nil {
		return err
	}
	for _, p := range posts {
		if p.State != supervisor.PostUnknown && p.State != supervisor.PostFailed {
			continue
		}
		again := p
		again.State, again.Repeat = supervisor.PostQueued, p.Repeat || p.State == supervisor.PostUnknown
		if err := t.changePost(p, again); err != nil {
			return err
		}
	}
	return nil
}
