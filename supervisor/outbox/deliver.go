package outbox

import (
	"context"
	"slices"
	"time"

	"mews/supervisor"
)

// courier is a lane that sends deliveries.
type courier struct{ *lane }

// asking is when a lane asks the store for a delivery that waits in its chat.
type asking struct {
	due   time.Time // it asks then; the zero time is at once
	asked time.Time // when it last has
}

// askAgain is how long after it has asked a lane asks again because a reply has grown: there may be a delivery beside that.
const askAgain = 500 * time.Millisecond

// nobody is why what is for people who are no longer there is not sent.
const nobody = "nobody here any more"

// ask looks for a delivery, where there is none yet and there may be one.
func (l courier) ask(ctx context.Context) error {
	now := l.Now()
	if l.current != nil || l.due.After(now) {
		return nil
	}
	if err := l.take(ctx); err != nil {
		return err
	}
	l.due, l.asked = never, now
	return nil
}

// take begins with the oldest delivery that waits in the chat, if there is one. Until it is closed there is no other, so
// that its parts stay together.
func (l courier) take(ctx context.Context) error {
	pending, err := l.Deliveries.PendingIn(ctx, l.Name, l.chat, 1)
	if err != nil || len(pending) == 0 {
		return err
	}
	b, err := l.open(ctx, pending[0])
	if err != nil {
		return err
	}
	l.current = b
	l.supersede(b)
	return nil
}

// supersede ends the reply that grew into a delivery: neither typing nor an earlier text is shown after this.
func (l courier) supersede(b *board) {
	if b.turn == 0 {
		return
	}
	id := b.conversation.ID
	l.over[id] = b.turn
	if s := l.shows[id]; s != nil && s.board.turn == b.turn {
		delete(l.shows, id)
	}
}

// open finds what stands in the chat of a delivery, and says what it is to show.
func (l courier) open(ctx context.Context, d supervisor.Delivery) (*board, error) {
	b := &board{conversation: d.Conversation, turn: d.Turn, message: d.Message, delivery: d, unfit: map[int64]bool{}}
	now := l.Now()
	b.until = now.Add(min(max(d.CreatedAt.Add(patience).Sub(now), lateness), patience))
	posts, err := l.Posts.List(ctx, d.Turn, d.ID)
	if err != nil {
		return nil, err
	}
	b.posts, b.loaded = posts, true
	if err := l.mend(b); err != nil {
		return nil, err
	}
	b.fixed = slices.ContainsFunc(b.posts, func(p supervisor.Post) bool { return p.Delivery != 0 })
	if b.fixed {
		return b, nil
	}
	return b, l.compose(ctx, b)
}

// compose says what a delivery is to show, for the first time. It is put on disk before anything is sent, unless that is
// only to be edited in, or there is no more than one part: that one is on disk when it is sent.
func (l courier) compose(ctx context.Context, b *board) error {
	untold, err := l.Deliveries.UntoldOf(ctx, b.conversation.ID)
	if err != nil {
		return err
	}
	parts := l.contents(b.delivery, len(untold) > 0)
	if len(b.posts) == 0 && len(parts) == 1 {
		b.posts = []supervisor.Post{{Turn: b.turn, Delivery: b.delivery.ID, State: supervisor.PostQueued, Content: parts[0]}}
		return nil
	}
	if b.stands(len(parts)) {
		b.want(parts)
		return nil
	}
	return l.fix(ctx, b, parts)
}

// stands says that the posts are so many, and all in the chat.
func (b *board) stands(parts int) bool {
	return len(b.posts) == parts && !slices.ContainsFunc(b.posts, func(p supervisor.Post) bool {
		return p.State != supervisor.PostSent
	})
}

// deliver takes the current delivery's next step.
func (l courier) deliver(ctx context.Context) (time.Time, error) {
	b := l.current
	what, _ := b.next(l.shown)
	if what != "" && !b.over() && !l.Serves(b.conversation) {
		b.given, b.why = supervisor.OutcomeFailed, nobody
	}
	if what != "" && !b.over() {
		return caller(l).call(ctx, b, func() bool { return true })
	}
	b.done = true
	return time.Time{}, l.close(b)
}

// close keeps what became of the current delivery. What it says of earlier ones counts as told where it was sent itself.
func (l courier) close(b *board) error {
	d := b.delivery
	outcome, why := b.outcome()
	told, err := l.told(b, outcome)
	if err != nil {
		return err
	}
	if d.DeleteAfter > 0 && l.Forget != nil {
		for _, f := range d.Files {
			l.Forget(f)
		}
	}
	if err := l.Deliveries.Close(l.hard, d.ID, outcome, why, told); err != nil {
		return err
	}
	if d.DeleteAfter > 0 {
		signal(l.home.dirty)
	}
	for _, p := range b.posts {
		delete(l.shown, p.ID)
	}
	l.drop()
	l.store.Reset()
	if outcome != supervisor.OutcomeSent {
		l.Log.Warn("a delivery did not arrive for certain", "channel", l.Name, "chat", l.chat, "user", d.Conversation.User,
			"delivery", d.ID, "outcome", outcome, "why", why)
	}
	return nil
}

// told are the deliveries of whose outcome nobody needs to be told after this one.
func (l courier) told(b *board, outcome supervisor.Outcome) ([]int64, error) {
	switch {
	case b.why == nobody:
		return []int64{b.delivery.ID}, nil
	case outcome == supervisor.OutcomeSent && apologizes(b.posts):
		return l.Deliveries.UntoldOf(l.hard, b.conversation.ID)
	}
	return nil, nil
}
