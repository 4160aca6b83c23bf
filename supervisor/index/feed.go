package index

import (
	"context"
	"math"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
)

// batch is the number of messages read in one transaction. The transaction takes some 20 ms, and
// other writers wait for it.
const batch = 100

// progress is how many messages of a user have been read, and how many there are.
type progress struct{ done, all int64 }

// NotifyMessage tells the index that a message in a user's conversation was stored. It never
// blocks.
func (x *Index) NotifyMessage(user string, conversation int64) {
	x.mark(chat{user, conversation})
	signals.SendToken(x.wake)
}

// mark notes that a conversation must be read.
func (x *Index) mark(c chat) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.changed[c] = true
}

// feed reads new messages into the index until ctx ends. It returns an error only if the database
// must be rebuilt.
func (x *Index) feed(ctx context.Context) error {
	if err := x.reconcile(ctx); err != nil {
		return err
	}
	x.mu.Lock()
	x.ready = true
	x.mu.Unlock()
	if x.o.OnOpen != nil {
		x.o.OnOpen()
	}
	signals.SendToken(x.embedWake)
	for ctx.Err() == nil {
		next, ok, err := x.next()
		if err == nil && ok {
			err = x.readBatch(ctx, next)
		}
		again := time.Duration(math.MaxInt64)
		switch {
		case err == nil && ok:
			continue
		case rebuildable(err):
			return err
		case err != nil && ctx.Err() == nil:
			x.o.Log.Warn("read messages into the index", "error", err)
			x.mark(next)
			again = retryAfter
		}
		select {
		case <-ctx.Done():
		case <-x.wake:
		case <-time.After(again):
		}
	}
	return nil
}

// next takes a conversation that must be read; ok is false if there is no such conversation. The
// result err says why the database must be rebuilt.
func (x *Index) next() (c chat, ok bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for c = range x.changed {
		delete(x.changed, c)
		return c, true, x.damaged
	}
	clear(x.progress) // everything has been read, so no progress is left to show
	return c, false, x.damaged
}

// readBatch reads up to batch messages of a conversation, and marks it again if there may be more.
// It reads them within the index's transaction. So RemoveMessages, which is called after messages
// are deleted, runs completely before or after that transaction.
func (x *Index) readBatch(ctx context.Context, c chat) error {
	began, n := x.o.Now(), 0
	err := x.write(ctx, func(t *tx) error {
		after, err := engine.FirstValue(t, engine.ScanInteger, findCursor, c.user, c.id)
		if err != nil {
			return err
		}
		list, err := x.o.Transcript.ListDialogMessages(ctx, c.user, c.id, after, batch)
		if err != nil {
			return err
		}
		if n = len(list); n == 0 {
			return nil
		}
		if err := t.putMessages(c, list); err != nil {
			return err
		}
		return t.Exec(putCursor, c.user, c.id, list[n-1].ID)
	}, "read conversation %d of %s", c.id, c.user)
	if err != nil {
		return err
	}
	x.advance(c.user, int64(n))
	if n == batch {
		x.mark(c)
		// half of the processor's time is left to other work
		retry.Sleep(ctx, min(x.o.Now().Sub(began), time.Second))
	}
	return nil
}

func (x *Index) advance(user string, n int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if p, ok := x.progress[user]; ok {
		p.done += n
		x.progress[user] = p
	}
}

const (
	findCursor = `SELECT message FROM cursor WHERE user = ? AND conversation = ?`
	putCursor  = `INSERT INTO cursor (user, conversation, message) VALUES (?, ?, ?)
		ON CONFLICT (user, conversation) DO UPDATE SET message = excluded.message`
	insertMessage = `INSERT INTO section (user, at, conversation, message, size, role, world, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		RETURNING id`
)

// putMessages indexes the messages that have words.
func (t *tx) putMessages(c chat, list []supervisor.DialogMessage) error {
	var words []sectionWords
	for _, m := range list {
		text := m.Text()
		if text == "" {
			continue
		}
		id, err := t.Insert(insertMessage, c.user, m.At, c.id, m.ID, m.Size, m.Role, m.Origin == supervisor.OriginWorld, text)
		if err != nil {
			return err
		}
		words = append(words, sectionWords{id: id, text: text})
	}
	return t.putWords(c.user, words)
}
