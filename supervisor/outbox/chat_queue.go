package outbox

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
)

// chatQueue works one chat. Its run belongs to one goroutine, which alone calls the channel about
// that chat.
type chatQueue struct {
	*Options
	outbox *Outbox
	chat   string
	// of calls of the channel; it ends a few seconds after the service
	calls context.Context
	wake  chan struct{} // holds a token when woken may hold something
	// conversations to look at; guarded by the outbox's mutex, as renamed is
	woken   map[int64]struct{}
	renamed bool // the chat has got a new name since the queue last looked
	// the next call may be claimed; guarded by the outbox's mutex too
	idle  bool
	claim queueClaim // likewise
	// it has, and the queue has not yet looked which conversations are still here
	movePending bool

	// the delivery that is being sent; nil between deliveries
	current *postSet
	replies map[int64]*growingReply // by conversation
	growAt  time.Time               // no reply is edited before
	// turns of which something was sent below what the chat shows of their replies
	below map[int64]bool
	// by conversation, the turn of its last delivery: the reply of that is over
	lastTurn map[int64]int64
	inChat   map[int64]supervisor.RichText // what stands in the chat, by post, where that is known

	askAt   time.Time // when to ask the store for a delivery; the zero time is at once
	askedAt time.Time // when it was last asked

	retryAt     time.Time    // nothing is tried before
	reachPauses retry.Pauses // between tries to reach the channel
	storePauses retry.Pauses // between tries to have something kept
	// when the channel did not answer; the zero time where retryAt is not about that
	unreachedAt time.Time
	// of the first try since the channel did something that it did not answer
	awaySince time.Time
	// when retryAt was last ignored, because the channel had answered other queues
	triedEarlyAt time.Time
	// when the channel last answered this queue; the zero time where it has failed to since
	answeredAt time.Time
	typingAt   time.Time // typing is not shown before
}

// queueClaim is the claim of a queue's next call.
type queueClaim struct {
	held bool     // somebody has it, and the queue waits for them
	set  *postSet // the delivery that it was for, to be sent before all else; nil for none
}

func newChatQueue(o *Outbox, chat string) *chatQueue {
	return &chatQueue{
		Options:     &o.Options,
		outbox:      o,
		chat:        chat,
		wake:        make(chan struct{}, 1),
		woken:       map[int64]struct{}{},
		replies:     map[int64]*growingReply{},
		below:       map[int64]bool{},
		lastTurn:    map[int64]int64{},
		inChat:      map[int64]supervisor.RichText{},
		reachPauses: reachPauses(),
		storePauses: retry.UpTo(retry.Longest),
	}
}

// run works the chat until there is nothing left to do, or ctx ends. Calls under way end with
// calls.
func (q *chatQueue) run(ctx, calls context.Context) {
	q.calls = calls
	for {
		var next time.Time
		claimed, err := q.sendClaimed(ctx)
		switch {
		case claimed:
		case ctx.Err() == nil:
			next, err = q.advance(ctx)
		case q.outbox.resume(q):
			return
		}
		if err != nil && ctx.Err() == nil {
			next = q.storeFailed(err)
		}
		if next.IsZero() {
			continue
		}
		if idle := q.current == nil && len(q.replies) == 0; idle && next.Equal(never) && q.outbox.remove(q) {
			return
		}
		q.outbox.setIdle(q, q.current == nil && !q.Now().Before(q.retryAt))
		wait(ctx, q.wake, next.Sub(q.Now()))
	}
}

// advance does the next thing, with at most one call of the channel, and says when to come again:
// the zero time is at once, and never is when the queue is woken.
func (q *chatQueue) advance(ctx context.Context) (time.Time, error) {
	if q.outbox.isAwaited(q) {
		return never, nil // woken by the queue of the old name
	}
	if err := q.readWoken(ctx); err != nil {
		return never, err
	}
	if q.Now().Before(q.retryAt) && !q.mayTryEarly() {
		return q.retryAt, nil
	}
	if err := q.findDelivery(ctx); err != nil {
		return never, err
	}
	var next time.Time
	var err error
	ask := never
	if q.current != nil {
		next, err = q.deliver(ctx)
	} else {
		next, err = q.growAll(ctx)
		ask = q.askAt
	}
	if err != nil || next.IsZero() {
		return next, err
	}
	typing, err := q.showTyping()
	return earlier(earlier(next, typing), ask), err
}

// storeFailed has what is known of posts be read again, later.
func (q *chatQueue) storeFailed(err error) (next time.Time) {
	if q.current != nil && !q.current.closing {
		q.restartDelivery()
	}
	for _, g := range q.replies {
		g.set.loaded = false
	}
	pause := q.storePauses.Next()
	q.Log.Error("send to a chat", "channel", q.Name, "chat", q.chat, "error", err, "again_in", pause)
	q.retryAt, q.unreachedAt = later(q.retryAt, q.Now().Add(pause)), time.Time{}
	q.outbox.health.failed(q.chat, textStoreFailed+err.Error(), q.retryAt, false)
	return q.retryAt
}

// restartDelivery begins anew with the delivery that is being sent.
func (q *chatQueue) restartDelivery() { q.current, q.askAt = nil, time.Time{} }

// persist keeps something that has to be kept before anything else is done. It tries until that is
// kept, refused for good, or the service has ended.
func (q *chatQueue) persist(what string, do func(context.Context) error) error {
	return retry.Do(
		q.calls,
		retry.UpTo(retry.Longest),
		func() error { return do(q.calls) },
		retry.Refused,
		func(err error, again time.Duration) {
			q.Log.Error(what, "channel", q.Name, "chat", q.chat, "error", err, "again_in", again)
			q.outbox.health.failed(q.chat, what+": "+err.Error(), q.Now().Add(again), false)
		},
	)
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

// repairPosts goes on from an end in the middle. Nobody sends a post that was being sent, so what
// became of it is not known; and a shift may have been cut.
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

// afterUnknown is what a post becomes that may have been taken: it is sent again once, and says so.
// A second time it is left.
func afterUnknown(p supervisor.Post) supervisor.Post {
	if p.Repeat {
		p.State = supervisor.PostUnknown
		return p
	}
	p.State, p.Repeat = supervisor.PostQueued, true
	return p
}
