package index

import (
	"context"
	"slices"

	"mews/supervisor/internal/engine"
)

// reconcile compares the index with the transcript. It deletes messages that were deleted or
// changed in the transcript meanwhile, and marks the conversations that have more to read.
func (x *Index) reconcile(ctx context.Context) error {
	known := x.o.People()
	indexed, err := x.people(ctx)
	if err != nil {
		return err
	}
	for _, user := range indexed {
		if !slices.Contains(known, user) {
			err = x.reconcileGone(ctx, user)
		}
		if err != nil {
			return err
		}
	}
	for _, user := range known {
		if err := x.reconcilePerson(ctx, user); err != nil {
			return err
		}
	}
	return nil
}

const listPeople = `SELECT user FROM person UNION SELECT user FROM file
	UNION SELECT user FROM setting WHERE user <> '' ORDER BY user`

func (x *Index) people(ctx context.Context) ([]string, error) {
	return engine.AllRows(x.openDB().Reader(ctx), engine.ScanString, listPeople)
}

// reconcileGone deletes all data of a former user, unless their messages still exist.
func (x *Index) reconcileGone(ctx context.Context, user string) error {
	conversations, err := x.o.Transcript.ListConversations(ctx, user)
	if err == nil && len(conversations) == 0 {
		return x.EraseUser(ctx, user)
	}
	if err == nil {
		err = x.reconcilePerson(ctx, user)
	}
	return err
}

// deleteUnplaced deletes sections without a file, as after a crash between PutSections and
// SetManifest.
const deleteUnplaced = `DELETE FROM section WHERE user = ? AND hash <> '' AND path = ''`

const listRead = `SELECT conversation FROM cursor WHERE user = ?`

func (x *Index) reconcilePerson(ctx context.Context, user string) error {
	conversations, err := x.o.Transcript.ListConversations(ctx, user)
	if err != nil {
		return err
	}
	read, err := engine.AllRows(x.openDB().Reader(ctx), engine.ScanInteger, listRead, user)
	if err != nil {
		return err
	}
	for _, id := range read {
		if err := x.reconcileConversation(ctx, chat{user, id}); err != nil {
			return err
		}
	}
	if err := x.write(ctx, func(t *tx) error { return t.Exec(deleteUnplaced, user) }, "drop sections of %s", user); err != nil {
		return err
	}
	return x.beginReading(ctx, user, conversations)
}

// beginReading marks a user's conversations that have more to read, and counts their progress.
func (x *Index) beginReading(ctx context.Context, user string, conversations []int64) error {
	var p progress
	for _, id := range conversations {
		after, err := engine.FirstValue(x.openDB().Reader(ctx), engine.ScanInteger, findCursor, user, id)
		if err != nil {
			return err
		}
		all, err := x.o.Transcript.CountDialogMessages(ctx, user, id, 0)
		if err != nil {
			return err
		}
		left, err := x.o.Transcript.CountDialogMessages(ctx, user, id, after)
		if err != nil {
			return err
		}
		p.all, p.done = p.all+all, p.done+all-left
		if left > 0 {
			x.mark(chat{user, id})
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if p.done < p.all {
		x.progress[user] = p
	}
	return nil
}

const listIndexed = `SELECT message, size FROM section WHERE user = ? AND conversation = ? AND hash = '' AND message > ?
	ORDER BY message LIMIT 500`

// reconcileConversation deletes the sections of messages that are gone or have another size.
func (x *Index) reconcileConversation(ctx context.Context, c chat) error {
	type kept struct{ message, size int64 }
	for after := int64(0); ; {
		page, err := engine.AllRows(x.openDB().Reader(ctx), func(r *engine.Row) (k kept) {
			r.Scan(&k.message,
				&k.size)
			return k
		},
			listIndexed, c.user, c.id, after)
		if err != nil || len(page) == 0 {
			return err
		}
		last := page[len(page)-1].message
		sizes, err := x.o.Transcript.MessageSizes(ctx, c.user, c.id, after, last)
		if err != nil {
			return err
		}
		var gone []int64
		for _, k := range page {
			if sizes[k.message] != k.size {
				gone = append(gone, k.message)
			}
		}
		if err := x.RemoveMessages(ctx, c.user, gone); err != nil {
			return err
		}
		after = last
	}
}
