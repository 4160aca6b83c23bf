package outbox

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"

	"mews/supervisor"
)

// lane is one chat's. Its run belongs to one goroutine, which alone calls the channel about that chat.
type lane struct {
	*Options
	home   *Outbox
	chat   string
	hard   context.Context    // ends a few seconds after the service
	wake   chan struct{}      // holds a token when woken may hold something
	woken  map[int64]struct{} // conversations to look at; the home's mutex guards it and left
	left   bool               // the chat has got a new name since the lane last looked
	unseen bool               // it has, and the lane has not looked yet who is still here

	current *board                        // the delivery that is being sent; nil between deliveries
	shows   map[int64]*show               // replies that are being given, by conversation
	grow    time.Time                     // when one of them may take its next step
	over    map[int64]int64               // by conversation, the turn whose delivery came last: its reply is over
	shown   map[int64]supervisor.RichText // what stands in the chat, by post, where that is known

	tries
	asking
}

func newLane(o *Outbox, chat string) *lane {
	return &lane{
		Options: &o.o,
		home:    o,
		chat:    chat,
		wake:    make(chan struct{}, 1),
		woken:   map[int64]struct{}{},
		shows:   map[int64]*show{},
		over:    map[int64]int64{},
		shown:   map[int64]supervisor.RichText{},
		tries:   tries{reach: reachBackOff(), store: storeBackOff()},
	}
}

// run does what there is to do in the chat, and ends when that is nothing, or with ctx. Calls under way end with hard.
func (l *lane) run(ctx, hard context.Context) {
	l.hard = hard
	for ctx.Err() == nil {
		next, err := l.step(ctx)
		if err != nil && ctx.Err() == nil {
			next = l.stumble(err)
		}
		if next.IsZero() {
			continue
		}
		if l.idle() && next.Equal(never) && l.home.leave(l) {
			return
		}
		wait(ctx, l.wake, next.Sub(l.Now()))
	}
}

func (l *lane) idle() bool { return l.current == nil && len(l.shows) == 0 }

// step does the next thing, one call of the channel at most, and says when to come again: the zero time is at once, and
// never is when the lane is woken.
func (l *lane) step(ctx context.Context) (time.Time, error) {
	if err := (stage{l}).look(ctx); err != nil {
		return never, err
	}
	if l.Now().Before(l.retry) && !l.relieved() {
		return l.retry, nil
	}
	if err := (courier{l}).ask(ctx); err != nil {
		return never, err
	}
	next, err := l.speak(ctx)
	if err != nil || next.IsZero() {
		return next, err
	}
	typing, err := stage{l}.typeAll()
	return earlier(earlier(next, typing), l.nextAsking()), err
}

// nextAsking is when the store is to be asked for deliveries again: not while there is one.
func (l *lane) nextAsking() time.Time {
	if l.current != nil {
		return never
	}
	return l.due
}

// speak goes on with the delivery that is being sent, or with the replies that grow where there is none.
func (l *lane) speak(ctx context.Context) (time.Time, error) {
	if l.current != nil {
		return courier{l}.deliver(ctx)
	}
	return stage{l}.growAll(ctx)
}

// stumble is after the store has failed: what is known of posts is read again, later.
func (l *lane) stumble(err error) (next time.Time) {
	if l.current != nil && !l.current.done {
		l.drop()
	}
	for _, s := range l.shows {
		s.board.loaded = false
	}
	pause := l.store.NextBackOff()
	l.Log.Error("send to a chat", "channel", l.Name, "chat", l.chat, "error", err, "again_in", pause)
	l.retry, l.away = later(l.retry, l.Now().Add(pause)), time.Time{}
	l.home.health.stuck(l.chat, "the store failed: "+err.Error(), l.retry)
	return l.retry
}

// drop begins anew with the delivery that is being sent.
func (l *lane) drop() { l.current, l.due = nil, time.Time{} }

// persist repeats what has to be kept before anything else is done, until it is kept, refused for good, or the service is
// at its end.
func (l *lane) persist(what string, do func(context.Context) error) error {
	_, err := backoff.Retry(l.hard, func() (struct{}, error) { return struct{}{}, final(do(l.hard)) },
		backoff.WithBackOff(storeBackOff()),
		backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, again time.Duration) {
			l.Log.Error(what, "channel", l.Name, "chat", l.chat, "error", err, "again_in", again)
			l.home.health.stuck(l.chat, what+": "+err.Error(), l.Now().Add(again))
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
func (l *lane) freeze(e *supervisor.SendError, full bool) error {
	for chat, until := range l.home.gate.flood(l.chat, full, e.RetryAfter) {
		l.Log.Warn("the channel wants less", "channel", l.Name, "chat", l.chat, "all", chat == "", "until", until)
		err := l.persist("keep a freeze", func(ctx context.Context) error {
			return l.Freezes.Freeze(ctx, l.Source, chat, until)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settle keeps what became of a post.
func (l *lane) settle(b *board, i int, p supervisor.Post) error {
	err := l.persist("keep what became of a post", func(ctx context.Context) error { return l.Posts.Settle(ctx, p) })
	if err == nil {
		b.posts[i] = p
	}
	return err
}

// fix puts what the delivery is to show on disk.
func (l *lane) fix(ctx context.Context, b *board, contents []supervisor.RichText) error {
	posts, err := l.Posts.Open(ctx, b.delivery.ID, contents)
	if err == nil {
		b.posts, b.fixed = posts, true
	}
	return err
}

// mend sees to posts whose sending was cut: nobody sends them, so their fate is not known; and to a shift that was cut.
func (l *lane) mend(b *board) error {
	for i, p := range b.posts {
		if p.State != supervisor.PostSending {
			continue
		}
		if err := l.settle(b, i, unsure(p)); err != nil {
			return err
		}
	}
	if i, ok := b.doubled(); ok {
		return remedy{l}.shift(b, i)
	}
	return nil
}

// unsure is what a post becomes that may or may not have been taken: it is sent again once, and says so; a second time it
// is left at that.
func unsure(p supervisor.Post) supervisor.Post {
	if p.Repeat {
		p.State = supervisor.PostUnknown
		return p
	}
	p.State, p.Repeat = supervisor.PostQueued, true
	return p
}
