package sqlite

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// MessageCleanups stores pending changes of messages in a channel's chats. A row stays until its
// change is made. If a channel cannot delete messages, the row names a file of the spool by the
// file's SHA-256.
type MessageCleanups struct{ db *DB }

// Put stores a pending change of a message. A zero Due means at once. The conversation needs only
// its ID. Put ignores the ID of c.
func (s MessageCleanups) Put(ctx context.Context, c supervisor.MessageCleanup) error {
	return s.db.write(ctx, func(t *tx) { t.putCleaning(c) }, "store for message %s of conversation %d the cleaning %s", c.Message, c.Conversation.ID, c.Kind)
}

const insertCleaning = `INSERT INTO cleaning (user, conversation, message, what, content, due_at)
	SELECT user, id, ?, ?, ?, ? FROM conversation WHERE id = ?`

func (t *tx) putCleaning(c supervisor.MessageCleanup) {
	due := t.Now
	if !c.Due.IsZero() {
		due = c.Due.UnixMilli()
	}
	var content any = ""
	if c.Kind == supervisor.CleanupEdit {
		content = columnEncoder{c.Content}
	}
	if t.ExecCount(insertCleaning, c.Message, c.Kind, content, due, c.Conversation.ID) == 0 {
		t.fail(notFound("there is no conversation %d", c.Conversation.ID))
	}
}

// The query reads the few pending changes in the order of their index, and then their
// conversations.
const listCleanings = `SELECT k.id, c.id, c.user, c.channel, c.chat, c.thread, k.message, k.what, k.content, k.due_at
	FROM cleaning k CROSS JOIN conversation c ON c.id = k.conversation WHERE c.channel = ? AND k.due_at <= ?
	ORDER BY k.due_at, k.id LIMIT ?`

// ListDue lists the due changes of messages in a channel's chats, the earliest first.
func (s MessageCleanups) ListDue(ctx context.Context, channel supervisor.Channel, now time.Time, limit int) (
	[]supervisor.MessageCleanup, error) {
	return engine.AllRows(s.db.reader(ctx, "list due cleanings on %s", channel), scanCleaning, listCleanings, channel,
		now.UnixMilli(), limit)
}

const nextCleaning = `SELECT k.due_at FROM cleaning k CROSS JOIN conversation c ON c.id = k.conversation
	WHERE c.channel = ? ORDER BY k.due_at LIMIT 1`

// NextDue returns when the next change of a message in a channel's chats is due. ok is false
// without a change.
func (s MessageCleanups) NextDue(ctx context.Context, channel supervisor.Channel) (due time.Time, ok bool, err error) {
	return engine.FirstRow(s.db.reader(ctx, "find the next cleaning on %s", channel), engine.ScanTime, nextCleaning,
		channel)
}

const deleteCleaning = `DELETE FROM cleaning WHERE id = ?`

// DeleteCleanup deletes a pending change that was made or is impossible. A second call changes
// nothing.
func (s MessageCleanups) DeleteCleanup(ctx context.Context, id int64) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(deleteCleaning, id) }, "delete cleaning %d", id)
}

func scanCleaning(row *engine.Row) (k supervisor.MessageCleanup) {
	c := &k.Conversation
	row.Scan(&k.ID, &c.ID, &c.User, &c.Channel, &c.Chat, &c.Thread, &k.Message, &k.Kind, columnDecoder{&k.Content},
		&k.Due)
	return k
}
