package outbox

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
)

// chatQueue sends all messages of one chat. Only the goroutine of run calls the channel for this
// chat.
type chatQueue struct {
	*Options
	outbox *Outbox
	chat   string
	// calls is the context for calls of the channel. It ends a few seconds after the service.
	calls context.Context
	wake  chan struct{} // holds a token if woken may hold conversations
	// woken holds the conversations to read again. The outbox's mutex guards woken and renamed.
	woken   map[int64]struct{}
	renamed bool // whether the chat was renamed since the last read of woken
	// idle is true if the next call may be claimed. The outbox's mutex guards it.
	idle  bool
	claim queueClaim // guarded by the outbox's mutex
	// movePending is true if the chat was renamed and dropMoved has not run since.
	movePending bool

	// current is the delivery that is being sent; nil between deliveries.
	current *postSet
	replies map[int64]*growingReply // growing replies, by conversation
	growAt  time.Time               // no reply is edited before this time
	// below holds the turns with a message below the shown part of their replies.
	below map[int64]bool
	// lastTurn is the turn of the last delivery, by conversation. The turn's reply is over.
	lastTurn map[int64]int64
	inChat   map[int64]supervisor.RichText // the known contents that the chat shows, by post

	askAt   time.Time // time of the next read of waiting deliveries; zero means at once
	askedAt time.Time // time of the last read of waiting deliveries

	retryAt     time.Time    // the queue tries nothing before this time
	reachPauses retry.Pauses // pauses between tries to reach the channel
	storePauses retry.Pauses // pauses between tries to write to the store
	// unreachedAt is when the channel did not answer; zero if retryAt has another cause.
	unreachedAt time.Time
	// awaySince is the time of the first failed try since the channel's last visible success.
	awaySince time.Time
	// triedEarlyAt is when retryAt was last ignored, because the channel had answered other queues.
	triedEarlyAt time.Time
	// answeredAt is the time of the channel's last answer to this queue; zero if a later call
	// failed.
	answeredAt time.Time
	typingAt   time.Time // typing is not shown before this time
}

// queueClaim is the claim of a queue's next call. A session claims that call to send its answer at
// once.
type queueClaim struct {
	held bool     // whether a session holds the claim, so that the queue waits
	set  *postSet // the claimed delivery, which goes first; nil means none
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
		storePauses: retry.PausesUpTo(retry.MaxPause),
	}
}

// run sends until the chat has no work left, or until ctx ends. The context calls ends the calls of
// the channel that are under way.
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

// advance takes the next step, with at most one call of the channel. It returns the time of the
// next step: the zero time means at once, and never means after a wake-up.
func (q *chatQueue) advance(ctx context.Context) (time.Time, error) {
	if q.outbox.isAwaited(q) {
		return never, nil // the queue of the chat's old name wakes this queue
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

// storeFailed makes the queue read its posts again later, after an error of the store.
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
	q.outbox.health.recordFailure(q.chat, textStoreFailed+err.Error(), q.retryAt, false)
	return q.retryAt
}

// restartDelivery makes the queue start the current delivery from the beginning.
func (q *chatQueue) restartDelivery() { q.current, q.askAt = nil, time.Time{} }

// persist repeats do until do succeeds, is refused for good, or the service has ended. It is for
// writes that must precede all other steps.
func (q *chatQueue) persist(what string, do func(context.Context) error) error {
	return retry.UntilDone(
		q.calls,
		retry.PausesUpTo(retry.MaxPause),
		func() error { return do(q.calls) },
		retry.IsRefused,
		func(err error, again time.Duration) {
			q.Log.Error(what, "channel", q.Name, "chat", q.chat, "error", err, "again_in", again)
			q.outbox.health.recordFailure(q.chat, what+": "+err.Error(), q.Now().Add(again), false)
		},
	)
}

// freeze stores the time before which the channel takes no messages.
func (q *chatQueue) freeze(e *supervisor.SendError, full bool) error {
	for chat, until := range q.outbox.gate.recordFlood(q.chat, full, e.RetryAfter) {
		q.Log.Warn("the channel wants less", "channel", q.Name, "chat", q.chat, "all", chat == "", "until", until)
		err := q.persist("keep a freeze", func(ctx context.Context) error {
			return q.Freezes.StoreChatFreeze(ctx, q.Source, chat, until)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settle stores a post with the result of its call.
func (q *chatQueue) settle(set *postSet, i int, p supervisor.Post) error {
	err := q.persist("keep what became of a post", func(ctx context.Context) error {
		return q.Posts.StorePostResult(ctx,
			p)
	})
	if err == nil {
		set.posts[i] = p
	}
	return err
}

// repairPosts corrects the posts after a crash. It sets the result of an interrupted send to
// unknown, and completes an interrupted call of shift.
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

// afterUnknown returns the state of a post after a send with an unknown result. The first time, the
// post is sent again with a mark; the second time, the post stays as it is.
func afterUnknown(p supervisor.Post) supervisor.Post {
	if p.Repeat {
		p.State = supervisor.PostUnknown
		return p
	}
	p.State, p.Repeat = supervisor.PostQueued, true
	return p
}
