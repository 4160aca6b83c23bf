package outbox_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

var errDead = errors.New("this process is over")

// process is a supervisor that may die. After its death, none of its calls reaches the disk.
type process struct {
	mu    sync.Mutex // guards the fields below
	over  bool
	fails func(what string) error // decides whether a write fails; nil means never
	left  int                     // calls of the store until the process dies; 0 means no limit
}

// use makes one call of the store. The process may die before or after it.
func (l *process) use(what string, do func() error) error {
	before, err := l.enter(what)
	if before != nil {
		return before
	}
	if failed := do(); failed != nil {
		return failed
	}
	return err
}

// enter returns the error to return instead of a call, and the error to return after it.
func (l *process) enter(what string) (before, after error) {
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

func (l *process) ended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// processStore is the real store, while its process lives.
type processStore struct {
	db *sqlite.DB
	*process
}

func got[T any](l *process, what string, do func() (T, error)) (v T, err error) {
	err = l.use(what, func() (err error) {
		v, err = do()
		return err
	})
	return v, err
}

func (d processStore) ListDue(ctx context.Context, c supervisor.Channel) ([]supervisor.Conversation, error) {
	return got(d.process, "due", func() ([]supervisor.Conversation, error) { return d.db.Outbox().ListDue(ctx, c) })
}

func (d processStore) ListPendingIn(ctx context.Context, c supervisor.Channel, chat string,
	n int) ([]supervisor.Delivery, error) {
	return got(d.process, "pending",
		func() ([]supervisor.Delivery, error) { return d.db.Outbox().ListPendingIn(ctx, c, chat, n) })
}

func (d processStore) ListUntold(ctx context.Context, conversation int64) ([]int64, error) {
	return got(d.process, "untold", func() ([]int64, error) { return d.db.Outbox().ListUntold(ctx, conversation) })
}

func (d processStore) Close(ctx context.Context, o supervisor.DeliveryOutcome) error {
	return d.use("close", func() error {
		return d.db.Outbox().Close(ctx, o)
	})
}

func (d processStore) List(ctx context.Context, turn, delivery int64) ([]supervisor.Post, error) {
	return got(d.process, "list", func() ([]supervisor.Post, error) { return d.db.Posts().List(ctx, turn, delivery) })
}

func (d processStore) StartSending(ctx context.Context, conversation int64, p supervisor.Post) (supervisor.Post, error) {
	return got(d.process, "sending", func() (supervisor.Post, error) { return d.db.Posts().StartSending(ctx, conversation, p) })
}

func (d processStore) Settle(ctx context.Context, p supervisor.Post) error {
	return d.use("settle", func() error { return d.db.Posts().Settle(ctx, p) })
}

func (d processStore) Open(ctx context.Context, delivery int64, c []supervisor.RichText) ([]supervisor.Post, error) {
	return got(d.process, "open", func() ([]supervisor.Post, error) { return d.db.Posts().Open(ctx, delivery, c) })
}

func (d processStore) Replace(ctx context.Context, delivery int64, from int, c []supervisor.RichText) ([]supervisor.Post, error) {
	return got(d.process, "replace", func() ([]supervisor.Post, error) { return d.db.Posts().Replace(ctx, delivery, from, c) })
}

func (d processStore) FindByID(ctx context.Context, id int64) (c supervisor.Conversation, ok bool, err error) {
	err = d.use("get", func() (err error) {
		c, ok, err = d.db.Conversations().FindByID(ctx, id)
		return err
	})
	return c, ok, err
}

func (d processStore) Move(ctx context.Context, c supervisor.Channel, from, to string) (int, error) {
	return got(d.process, "move", func() (int, error) { return d.db.Conversations().Move(ctx, c, from, to) })
}

func (d processStore) Freeze(ctx context.Context, source, chat string, until time.Time) error {
	return d.use("freeze", func() error { return d.db.Outbox().Freeze(ctx, source, chat, until) })
}

func (d processStore) ListFreezes(ctx context.Context, source string) (map[string]time.Time, error) {
	return got(d.process, "frozen", func() (map[string]time.Time, error) { return d.db.Outbox().ListFreezes(ctx, source) })
}

// cleaningStore is the real store of cleanings, while its process lives.
type cleaningStore struct{ processStore }

func (r cleaningStore) ListDue(ctx context.Context, c supervisor.Channel, now time.Time, n int) ([]supervisor.Cleaning, error) {
	return got(r.process, "due cleanings", func() ([]supervisor.Cleaning, error) { return r.db.Cleanings().ListDue(ctx, c, now, n) })
}

func (r cleaningStore) Next(ctx context.Context, c supervisor.Channel) (due time.Time, ok bool, err error) {
	err = r.use("next cleaning", func() (err error) {
		due, ok, err = r.db.Cleanings().Next(ctx, c)
		return err
	})
	return due, ok, err
}

func (r cleaningStore) Done(ctx context.Context, id int64) error {
	return r.use("done cleaning", func() error { return r.db.Cleanings().Done(ctx, id) })
}

func (d processStore) HasQuestionBelow(ctx context.Context, turn int64) (bool, error) {
	return got(d.process, "asked", func() (bool, error) { return d.db.Posts().HasQuestionBelow(ctx, turn) })
}
