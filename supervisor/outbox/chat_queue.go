package outbox

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"

	"mews/supervisor"
)

// queue is one chat's. Its run belongs to one goroutine, which alone calls the channel about that chat.
type chatQueue struct {
	*Options
	outbox      *Outbox
	chat        string
	callCtx     context.Context    // ends a few seconds after the service
	wake        chan struct{}      // holds a token when woken may hold something
	woken       map[int64]struct{} // conversations to look at; the home's mutex guards it and left
	renamed     bool               // the chat has got a new name since the queue last looked
	movePending bool               // it has, and the queue has not looked yet who is still here

	current  *postSet                      // the delivery that is being sent; nil between deliveries
	replies  map[int64]*growingReply       // replies that are being given, by conversation
	growAt   time.Time                     // when one of them may take its next step
	lastTurn map[int64]int64               // by conversation, the turn whose delivery came last: its reply is over
	inChat   map[int64]supervisor.RichText // what stands in the chat, by post, where that is known

	askAt   time.Time // the store is asked then for a delivery that waits in the chat; the zero time is at once
	askedAt time.Time // when it was last

	retryAt      time.Time                   // nothing is tried before
	reachPause   *backoff.ExponentialBackOff // between tries to reach the channel
	storePause   *backoff.ExponentialBackOff // between tries to have something kept
	unreachedAt  time.Time                   // since when retry is waited for because the channel did not answer
	triedEarlyAt time.Time                   // when that was last not waited for, because the channel has answered others
	answeredAt   time.Time                   // when the channel last answered this queue; the zero time where it has not since
	typingAt     time.Time                   // typing is not shown before
}

func newChatQueue(o *Outbox, chat string) *chatQueue {
	return &chatQueue{
		Options:    &o.o,
		outbox:     o,
		chat:       chat,
		wake:       make(chan struct{}, 1),
		woken:      map[int64]struct{}{},
		replies:    map[int64]*growingReply{},
		lastTurn:   map[int64]int64{},
		inChat:     map[int64]supervisor.RichText{},
		reachPause: newReachPause(),
		storePause: newStorePause(),
	}
}

// run does what there is to do in the chat, and ends when that is nothing, or with ctx. Calls under way end with callCtx.
func (q *chatQueue) run(ctx, hard context.Context) {
	q.callCtx = hard
	for ctx.Err() == nil {
		next, err := q.advance(ctx)
		if err != nil && ctx.Err() == nil {
			next = q.storeFailed(err)
		}
		if next.IsZero() {
			continue
		}
		if q.idle() && next.Equal(never) && q.outbox.remove(q) {
			return
		}
		wait(ctx, q.wake, next.Sub(q.Now()))
	}
}

func (q *chatQueue) idle() bool { return q.current == nil && len(q.replies) == 0 }

// advance does the next thing, one call of the channel at most, and says when to come again: the zero time is at once, and
// never is when the queue is woken.
func (q *chatQueue) advance(ctx context.Context) (time.Time, error) {
	if err := q.readWoken(ctx); err != nil {
		return never, err
	}
	if q.Now().Before(q.retryAt) && !q.mayTryEarly() {
		return q.retryAt, nil
	}
	if err := q.findDelivery(ctx); err != nil {
		return never, err
	}
	next, err := q.deliverOrGrow(ctx)
	if err != nil || next.IsZero() {
		return next, err
	}
	typing, err := q.showTyping()
	return earlier(earlier(next, typing), q.nextAsk()), err
}

// nextAsk is when the store is to be asked for deliveries again: not while there is one.
func (q *chatQueue) nextAsk() time.Time {
	if q.current != nil {
		return never
	}
	return q.askAt
}

// deliverOrGrow goes on with the delivery that is being sent, or with the replies that grow where there is none.
func (q *chatQueue) deliverOrGrow(ctx context.Context) (time.Time, error) {
	if q.current != nil {
		return q.deliver(ctx)
	}
	return q.growAll(ctx)
}

// storeFailed is after the store has failed: what is known of posts is read again, later.
func (q *chatQueue) storeFailed(err error) (next time.Time) {
	if q.current != nil && !q.current.closing {
		q.restartDelivery()
	}
	for _, s := range q.replies {
		s.set.loaded = false
	}
	pause := q.storePause.NextBackOff()
	q.Log.Error("send to a chat", "channel", q.Name, "chat", q.chat, "error", err, "again_in", pause)
	q.retryAt, q.unreachedAt = later(q.retryAt, q.Now().Add(pause)), time.Time{}
	q.outbox.health.stuck(q.chat, "the store failed: "+err.Error(), q.retryAt)
	return q.retryAt
}

// restartDelivery begins anew with the delivery that is being sent.
func (q *chatQueue) restartDelivery() { q.current, q.askAt = nil, time.Time{} }

// persist repeats what has to be kept before anything else is done, until it is kept, refused for good, or the service is
// at its end.
func (q *chatQueue) persist(what string, do func(context.Context) error) error {
	_, err := backoff.Retry(q.callCtx, func() (struct{}, error) { return struct{}{}, final(do(q.callCtx)) },
		backoff.WithBackOff(newStorePause()),
		backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, again time.Duration) {
			q.Log.Error(what, "channel", q.Name, "chat", q.chat, "error", err, "again_in", again)
			q.outbox.health.stuck(q.chat, what+": "+err.Error(), q.Now().Add(again))
		}))
	return err
}

// final marks the store's refusals as such.
func final(err error) error {
	switch supervisor.ErrorCode(err) {
	case supervisor.CodeInvalid, supervisor.CodeNotFound:
		return backoff.Permanent(err)
	}
	return err
}

// freeze keeps until when the channel wants nothing.
func (q *chatQueue) freeze(e *supervisor.SendError, full bool) error {
	for chat, until := range q.outbox.gate.flood(q.chat, full, e.RetryAfter) {
		q.Log.Warn("the channel wants less", "channel", q.Name, "chat", q.chat, "all", chat == "", "until", until)
		err := q.persist("keep a freeze", func(ctx context.Context) error {
			return q.Freezes.Freeze(ctx, q.Source, chat, until)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settle keeps what became of a post.
func (q *chatQueue) settle(set *postSet, i int, p supervisor.Post) error {
	err := q.persist("keep what became of a post", func(ctx context.Context) error { return q.Posts.Settle(ctx, p) })
	if err == nil {
		set.posts[i] = p
	}
	return err
}

// storeContents puts what the delivery is to show on disk.
func (q *chatQueue) storeContents(ctx context.Context, set *postSet, contents []supervisor.RichText) error {
	posts, err := q.Posts.Open(ctx, set.delivery.ID, contents)
	if err == nil {
		set.posts, set.stored = posts, true
	}
	return err
}

// repairPosts sees to posts whose sending was cut: nobody sends them, so their fate is not known; and to a shift that was cut.
func (q *chatQueue) repairPosts(set *postSet) error {
	for i, p := range set.posts {
		if p.State != supervisor.PostSending {
			continue
		}
		if err := q.settle(set, i, afterUnknown(p)); err != nil {
			return err
		}
	}
	if i, ok := set.duplicate(); ok {
		return q.shift(set, i)
	}
	return nil
}

// afterUnknown is what a post becomes that may or may not have been taken: it is sent again once, and says so; a second time it
// is left at that.
func afterUnknown(p supervisor.Post) supervisor.Post {
	if p.Repeat {
		p.State = supervisor.PostUnknown
		return p
	}
	p.State, p.Repeat = supervisor.PostQueued, true
	return p
}
