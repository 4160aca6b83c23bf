package outbox

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

// ReserveSend reserves a chat's next call for an answer that is about to be stored. The answer's
// only post is then stored as being sent. The chat's queue waits until the claim is released.
// ReserveSend fails, with ok false, if the answer needs several posts. It also fails if the chat
// has other work, waits for its pace or is in trouble. The chat's queue then sends the answer as
// usual.
func (o *Outbox) ReserveSend(to supervisor.Conversation, turn supervisor.Turn,
	text string) (claim supervisor.SendReservation, ok bool) {
	if to.Channel != o.Name || !o.Serves(to) {
		return claim, false
	}
	q := o.claimQueue(to.Chat)
	if q == nil {
		return claim, false
	}
	if !o.gate.enterNow(q.chat) {
		o.endClaim(q, nil)
		return claim, false
	}
	end := func(d supervisor.Delivery, p supervisor.Post) {
		if p.ID == 0 {
			o.gate.leave(q.chat, false)
			o.endClaim(q, nil)
			return
		}
		set := o.newPostSet(d)
		set.posts, set.loaded, set.stored = []supervisor.Post{p}, true, true
		o.endClaim(q, set)
	}
	parts := o.contents(supervisor.Delivery{Text: text}, false)
	if len(parts) != 1 {
		end(supervisor.Delivery{}, supervisor.Post{})
		return claim, false
	}
	return supervisor.SendReservation{Content: parts[0], End: end}, true
}

// claimQueue claims a chat's queue if the queue is idle; otherwise it returns nil. The queue does
// nothing until endClaim.
func (o *Outbox) claimQueue(chat string) *chatQueue {
	o.mu.Lock()
	defer o.mu.Unlock()
	q := o.queues[chat]
	if q == nil || !q.idle || q.renamed || q.claim.held || q.claim.set != nil {
		return nil
	}
	q.claim.held = true
	return q
}

// endClaim lets a queue continue, first with the delivery whose post is to be sent; nil means none.
func (o *Outbox) endClaim(q *chatQueue, set *postSet) {
	o.mu.Lock()
	defer o.mu.Unlock()
	q.claim = queueClaim{set: set}
	signals.SendToken(q.wake)
}

// setIdle sets whether a queue's next call may be claimed.
func (o *Outbox) setIdle(q *chatQueue, idle bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	q.idle = idle
}

// resume ends a queue's idle time. The queue calls it before it uses the store or the channel. It
// returns false if a claim of the next call comes first.
func (o *Outbox) resume(q *chatQueue) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if q.claim.held || q.claim.set != nil {
		return false
	}
	q.idle = false
	return true
}

// takeClaim returns the delivery for which a queue's next call was claimed, or nil. held is true if
// the claim has not ended.
func (o *Outbox) takeClaim(q *chatQueue) (set *postSet, held bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	set, q.claim.set = q.claim.set, nil
	q.idle = q.idle && set == nil
	return set, q.claim.held
}

// sendClaimed waits for the end of a claim and sends its delivery. It returns whether there was a
// claim.
func (q *chatQueue) sendClaimed(ctx context.Context) (claimed bool, err error) {
	set, held := q.outbox.takeClaim(q)
	switch {
	case held:
		<-q.wake
		return true, nil
	case set == nil:
		return false, nil
	}
	q.startDelivery(set)
	if ctx.Err() != nil {
		q.outbox.gate.leave(q.chat, false)
		return true, q.settle(set, 0, afterUnsent(set.posts[0]))
	}
	return true, q.makeCall(ctx, set, callSend, 0)
}
