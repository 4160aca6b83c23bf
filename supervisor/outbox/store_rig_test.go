package outbox_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

var errDead = errors.New("this life is over")

// life is a process: once it is over, nothing that it does reaches the disk.
type life struct {
	mu    sync.Mutex // guards what follows
	over  bool
	fails func(what string) error // how the disk is; nil is well
	left  int                     // calls of the store until the life is over; 0 for no end
}

// use is one call of the store. A life ends before or after one.
func (l *life) use(what string, do func() error) error {
	before, err := l.enter(what)
	if before != nil {
		return before
	}
	if failed := do(); failed != nil {
		return failed
	}
	return err
}

// enter says what a call comes to instead of being made, and what it comes to after that.
func (l *life) enter(what string) (before, after error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return errDead, nil
	}
	if l.fails != nil {
		if err := l.fails(what); err != nil {
			return err, nil
		}
	}
	if l.left > 0 {
		l.left--
		if l.left == 0 {
			l.over = true
			return nil, errDead
		}
	}
	return nil, nil
}

func (l *life) ended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// disk is the real store, as long as its life lasts.
type disk struct {
	db *sqlite.DB
	*life
}

func got[T any](l *life, what string, do func() (T, error)) (v T, err error) {
	err = l.use(what, func() (err error) {
		v, err = do()
		return err
	})
	return v, err
}

func (d disk) Due(ctx context.Context, c supervisor.Channel) ([]supervisor.Conversation, error) {
	return got(d.life, "due", func() ([]supervisor.Conversation, error) { return d.db.Outbox().Due(ctx, c) })
}

func (d disk) PendingIn(ctx context.Context, c supervisor.Channel, chat string, n int) ([]supervisor.Delivery, error) {
	return got(d.life, "pending", func() ([]supervisor.Delivery, error) { return d.db.Outbox().PendingIn(ctx, c, chat, n) })
}

func (d disk) UntoldOf(ctx context.Context, conversation int64) ([]int64, error) {
	return got(d.life, "untold", func() ([]int64, error) { return d.db.Outbox().UntoldOf(ctx, conversation) })
}

func (d disk) Close(ctx context.Context, o supervisor.DeliveryOutcome) error {
	return d.use("close", func() error {
		return d.db.Outbox().Close(ctx, o)
	})
}

func (d disk) List(ctx context.Context, turn, delivery int64) ([]supervisor.Post, error) {
	return got(d.life, "list", func() ([]supervisor.Post, error) { return d.db.Posts().List(ctx, turn, delivery) })
}

func (d disk) Sending(ctx context.Context, conversation int64, p supervisor.Post) (supervisor.Post, error) {
	return got(d.life, "sending", func() (supervisor.Post, error) { return d.db.Posts().Sending(ctx, conversation, p) })
}

func (d disk) Settle(ctx context.Context, p supervisor.Post) error {
	return d.use("settle", func() error { return d.db.Posts().Settle(ctx, p) })
}

func (d disk) Open(ctx context.Context, delivery int64, c []supervisor.RichText) ([]supervisor.Post, error) {
	return got(d.life, "open", func() ([]supervisor.Post, error) { return d.db.Posts().Open(ctx, delivery, c) })
}

func (d disk) Replace(ctx context.Context, delivery int64, from int, c []supervisor.RichText) ([]supervisor.Post, error) {
	return got(d.life, "replace", func() ([]supervisor.Post, error) { return d.db.Posts().Replace(ctx, delivery, from, c) })
}

func (d disk) Get(ctx context.Context, id int64) (c supervisor.Conversation, ok bool, err error) {
	err = d.use("get", func() (err error) {
		c, ok, err = d.db.Conversations().Get(ctx, id)
		return err
	})
	return c, ok, err
}

func (d disk) Move(ctx context.Context, c supervisor.Channel, from, to string) (int, error) {
	return got(d.life, "move", func() (int, error) { return d.db.Conversations().Move(ctx, c, from, to) })
}

func (d disk) Freeze(ctx context.Context, source, chat string, until time.Time) error {
	return d.use("freeze", func() error { return d.db.Outbox().Freeze(ctx, source, chat, until) })
}

func (d disk) Frozen(ctx context.Context, source string) (map[string]time.Time, error) {
	return got(d.life, "frozen", func() (map[string]time.Time, error) { return d.db.Outbox().Frozen(ctx, source) })
}

// rows are the real cleanings, as long as their life lasts.
type rows struct{ disk }

func (r rows) Due(ctx context.Context, c supervisor.Channel, now time.Time, n int) ([]supervisor.Cleaning, error) {
	return got(r.life, "due cleanings", func() ([]supervisor.Cleaning, error) { return r.db.Cleanings().Due(ctx, c, now, n) })
}

func (r rows) Next(ctx context.Context, c supervisor.Channel) (due time.Time, ok bool, err error) {
	err = r.use("next cleaning", func() (err error) {
		due, ok, err = r.db.Cleanings().Next(ctx, c)
		return err
	})
	return due, ok, err
}

func (r rows) Done(ctx context.Context, id int64) error {
	return r.use("done cleaning", func() error { return r.db.Cleanings().Done(ctx, id) })
}
