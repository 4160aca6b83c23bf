package outbox

import (
	"context"
	"slices"
	"time"

	"mews/supervisor"
)

// askInterval is how long after it has asked a queue asks again because a reply has grown: there may be a delivery beside that.
const askInterval = 500 * time.Millisecond

// noRecipient is why what is for people who are no longer there is not sent.
const noRecipient = "nobody here any more"

// findDelivery looks for a delivery, where there is none yet and there may be one.
func (q *chatQueue) findDelivery(ctx context.Context) error {
	now := q.Now()
	if q.current != nil || q.askAt.After(now) {
		return nil
	}
	if err := q.takeOldest(ctx); err != nil {
		return err
	}
	q.askAt, q.askedAt = never, now
	return nil
}

// takeOldest begins with the oldest delivery that waits in the chat, if there is one. Until it is closed there is no other, so
// that its parts stay together.
func (q *chatQueue) takeOldest(ctx context.Context) error {
	pending, err := q.Deliveries.PendingIn(ctx, q.Name, q.chat, 1)
	if err != nil || len(pending) == 0 {
		return err
	}
	set, err := q.openDelivery(ctx, pending[0])
	if err != nil {
		return err
	}
	q.current = set
	q.endReply(set)
	return nil
}

// endReply ends the reply that grew into a delivery: neither typing nor an earlier text is shown after this.
func (q *chatQueue) endReply(set *postSet) {
	if set.turn == 0 {
		return
	}
	id := set.conversation.ID
	q.lastTurn[id] = set.turn
	if s := q.replies[id]; s != nil && s.set.turn == set.turn {
		delete(q.replies, id)
	}
}

// openDelivery finds what stands in the chat of a delivery, and says what it is to show.
func (q *chatQueue) openDelivery(ctx context.Context, d supervisor.Delivery) (*postSet, error) {
	set := &postSet{conversation: d.Conversation, turn: d.Turn, message: d.Message, delivery: d, unfit: map[int64]bool{}}
	now := q.Now()
	set.giveUpAt = now.Add(min(max(d.CreatedAt.Add(giveUpAfter).Sub(now), minTryTime), giveUpAfter))
	posts, err := q.Posts.List(ctx, d.Turn, d.ID)
	if err != nil {
		return nil, err
	}
	set.posts, set.loaded = posts, true
	if err := q.repairPosts(set); err != nil {
		return nil, err
	}
	set.stored = slices.ContainsFunc(set.posts, func(p supervisor.Post) bool { return p.Delivery != 0 })
	if set.stored {
		return set, nil
	}
	return set, q.composeParts(ctx, set)
}

// composeParts says what a delivery is to show, for the first time. It is put on disk before anything is sent, unless that is
// only to be edited in, or there is no more than one part: that one is on disk when it is sent.
func (q *chatQueue) composeParts(ctx context.Context, set *postSet) error {
	untold, err := q.Deliveries.UntoldOf(ctx, set.conversation.ID)
	if err != nil {
		return err
	}
	parts := q.contents(set.delivery, len(untold) > 0)
	if len(set.posts) == 0 && len(parts) == 1 {
		set.posts = []supervisor.Post{{Turn: set.turn, Delivery: set.delivery.ID, State: supervisor.PostQueued, Content: parts[0]}}
		return nil
	}
	if set.allSent(len(parts)) {
		set.setContents(parts)
		return nil
	}
	return q.storeContents(ctx, set, parts)
}

// allSent says that the posts are so many, and all in the chat.
func (set *postSet) allSent(parts int) bool {
	return len(set.posts) == parts && !slices.ContainsFunc(set.posts, func(p supervisor.Post) bool {
		return p.State != supervisor.PostSent
	})
}

// deliver takes the current delivery's next step.
func (q *chatQueue) deliver(ctx context.Context) (time.Time, error) {
	set := q.current
	what, _ := set.nextCall(q.inChat)
	if what != "" && !set.ended() && !q.Serves(set.conversation) {
		set.result, set.why = supervisor.OutcomeFailed, noRecipient
	}
	if what != "" && !set.ended() {
		return q.callNext(ctx, set, func() bool { return true })
	}
	set.closing = true
	return time.Time{}, q.closeDelivery(set)
}

// closeDelivery keeps what became of the current delivery. What it says of earlier ones counts as told where it was sent itself.
func (q *chatQueue) closeDelivery(set *postSet) error {
	d := set.delivery
	outcome, why := set.outcome()
	told, err := q.toldWith(set, outcome)
	if err != nil {
		return err
	}
	if d.DeleteAfter > 0 && q.Forget != nil {
		for _, f := range d.Files {
			q.Forget(f)
		}
	}
	if err := q.Deliveries.Close(q.callCtx, d.ID, outcome, why, told); err != nil {
		return err
	}
	if d.DeleteAfter > 0 {
		signal(q.outbox.cleaningDue)
	}
	for _, p := range set.posts {
		delete(q.inChat, p.ID)
	}
	q.restartDelivery()
	q.storePause.Reset()
	if outcome != supervisor.OutcomeSent {
		q.Log.Warn("a delivery did not arrive for certain", "channel", q.Name, "chat", q.chat, "user", d.Conversation.User,
			"delivery", d.ID, "outcome", outcome, "why", why)
	}
	return nil
}

// toldWith are the deliveries of whose outcome nobody needs to be told after this one.
func (q *chatQueue) toldWith(set *postSet, outcome supervisor.Outcome) ([]int64, error) {
	switch {
	case set.why == noRecipient:
		return []int64{set.delivery.ID}, nil
	case outcome == supervisor.OutcomeSent && apologizes(set.posts):
		return q.Deliveries.UntoldOf(q.callCtx, set.conversation.ID)
	}
	return nil, nil
}
