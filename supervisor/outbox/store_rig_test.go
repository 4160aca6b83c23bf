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

// killableStore is the real store, while its process lives.
type killableStore struct {
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

func (d killableStore) ListDueConversations(ctx context.Context, c supervisor.Channel) ([]supervisor.Conversation,
	error) {
	return got(d.process, "due", func() ([]supervisor.Conversation,
		error) {
		return d.db.Outbox().ListDueConversations(ctx, c)
	})
}

func (d killableStore) ListPendingInChat(ctx context.Context, c supervisor.Channel, chat string,
	n int) ([]supervisor.Delivery, error) {
	return got(d.process, "pending",
		func() ([]supervisor.Delivery, error) { return d.db.Outbox().ListPendingInChat(ctx, c, chat, n) })
}

func (d killableStore) ListUnreportedLosses(ctx context.Context, conversation int64) ([]int64, error) {
	return got(d.process, "untold", func() ([]int64, error) {
		return d.db.Outbox().ListUnreportedLosses(ctx,
			conversation)
	})
}

func (d killableStore) StoreOutcome(ctx context.Context, o supervisor.DeliveryOutcome) error {
	return d.use("close", func() error {
		return d.db.Outbox().StoreOutcome(ctx, o)
	})
}

func (d killableStore) ListPosts(ctx context.Context, turn, delivery int64) ([]supervisor.Post, error) {
	return got(d.process, "list", func() ([]supervisor.Post, error) {
		return d.db.Posts().ListPosts(ctx, turn,
			delivery)
	})
}

func (d killableStore) MarkSending(ctx context.Context, conversation int64, p supervisor.Post) (supervisor.Post,
	error) {
	return got(d.process, "sending", func() (supervisor.Post, error) {
		return d.db.Posts().MarkSending(ctx,
			conversation, p)
	})
}

func (d killableStore) StorePostResult(ctx context.Context, p supervisor.Post) error {
	return d.use("settle", func() error { return d.db.Posts().StorePostResult(ctx, p) })
}

func (d killableStore) CreatePosts(ctx context.Context, delivery int64, c []supervisor.RichText) ([]supervisor.Post,
	error) {
	return got(d.process, "open", func() ([]supervisor.Post, error) {
		return d.db.Posts().CreatePosts(ctx, delivery,
			c)
	})
}

func (d killableStore) ReplaceContents(ctx context.Context, delivery int64, from int,
	c []supervisor.RichText) ([]supervisor.Post, error) {
	return got(d.process, "replace", func() ([]supervisor.Post, error) {
		return d.db.Posts().ReplaceContents(ctx,
			delivery, from, c)
	})
}

func (d killableStore) FindConversation(ctx context.Context, id int64) (c supervisor.Conversation, ok bool, err error) {
	err = d.use("get", func() (err error) {
		c, ok, err = d.db.Conversations().FindConversation(ctx, id)
		return err
	})
	return c, ok, err
}

func (d killableStore) RenameChat(ctx context.Context, c supervisor.Channel, from, to string) (int, error) {
	return got(d.process, "move", func() (int, error) { return d.db.Conversations().RenameChat(ctx, c, from, to) })
}

func (d killableStore) StoreChatFreeze(ctx context.Context, source, chat string, until time.Time) error {
	return d.use("freeze", func() error { return d.db.Outbox().StoreChatFreeze(ctx, source, chat, until) })
}

func (d killableStore) ListChatFreezes(ctx context.Context, source string) (map[string]time.Time, error) {
	return got(d.process, "frozen", func() (map[string]time.Time, error) {
		return d.db.Outbox().ListChatFreezes(ctx,
			source)
	})
}

// cleanupStore is the real store of cleanings, while its process lives.
type cleanupStore struct{ killableStore }

func (r cleanupStore) ListDue(ctx context.Context, c supervisor.Channel, now time.Time,
	n int) ([]supervisor.MessageCleanup, error) {
	return got(r.process, "due cleanings", func() ([]supervisor.MessageCleanup,
		error) {
		return r.db.MessageCleanups().ListDue(ctx, c, now, n)
	})
}

func (r cleanupStore) NextDue(ctx context.Context, c supervisor.Channel) (due time.Time, ok bool, err error) {
	err = r.use("next cleaning", func() (err error) {
		due, ok, err = r.db.MessageCleanups().NextDue(ctx, c)
		return err
	})
	return due, ok, err
}

func (r cleanupStore) DeleteCleanup(ctx context.Context, id int64) error {
	return r.use("done cleaning", func() error { return r.db.MessageCleanups().DeleteCleanup(ctx, id) })
}

func (d killableStore) IsQuestionBelowReply(ctx context.Context, turn int64) (bool, error) {
	return got(d.process, "asked", func() (bool, error) { return d.db.Posts().IsQuestionBelowReply(ctx, turn) })
}
