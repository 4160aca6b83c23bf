package sqlite

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	// isHeld is true for a job j in a conversation c whose chat refuses messages.
	isHeld = `EXISTS (SELECT 1 FROM refusing_chat r WHERE r.channel = c.channel AND r.chat = c.chat AND r.user = j.user
		AND r.retry_at IS NOT NULL)`
	// endRefusals makes the jobs of a chat go on, because the chat takes messages again.
	endRefusals  = `UPDATE refusing_chat SET tries = 0, retry_at = ? WHERE channel = ? AND chat = ? AND tries > 0`
	hasRefused   = `SELECT EXISTS (SELECT 1 FROM refusing_chat WHERE channel = ? AND chat = ? AND tries > 0)`
	listReturned = `SELECT user, channel, chat FROM refusing_chat WHERE retry_at <= ? ORDER BY retry_at`
	listDueIn    = selectJob + `WHERE j.user = ? AND c.channel = ? AND c.chat = ? AND j.state = 'active' AND j.next <= ?
		ORDER BY j.next, j.id`
	// leaveRefusing makes the jobs of a chat go on. If the chat is only tried again, its row stays.
	leaveRefusing = `UPDATE refusing_chat SET retry_at = NULL
		WHERE channel = ? AND chat = ? AND user = ? AND tries > 0`
	forgetRefusing = `DELETE FROM refusing_chat WHERE channel = ? AND chat = ? AND user = ? AND tries = 0`
)

// MarkChatReachable makes the jobs of all users that wait for a chat go on. It reports whether any
// job waited for the chat.
func (s Jobs) MarkChatReachable(ctx context.Context, channel supervisor.Channel, chat string) (waited bool, err error) {
	waited, err = engine.FirstValue(s.db.reader(ctx, "find the refusals of chat %s", chat), engine.ScanBool, hasRefused,
		channel, chat)
	if err != nil || !waited {
		return false, err
	}
	return inTransaction(ctx, s.db, func(t *tx) bool { return t.ExecCount(endRefusals, t.Now, channel, chat) > 0 },
		"let the jobs of chat %s on %s go on", chat, channel)
}

// ListReachableChats lists the chats whose jobs may go on. Either the user is back, or it is time
// to try the chat again.
func (s Jobs) ListReachableChats(ctx context.Context, now time.Time) ([]supervisor.ChatRefusingMessages, error) {
	return engine.AllRows(s.db.reader(ctx, "list chats that take messages again"),
		func(r *engine.Row) (c supervisor.ChatRefusingMessages) {
			r.Scan(&c.User, &c.Channel, &c.Chat)
			return c
		}, listReturned, now.UnixMilli())
}

// ListDueInChat lists a user's due jobs that post in a chat, the longest due first.
func (s Jobs) ListDueInChat(ctx context.Context, c supervisor.ChatRefusingMessages, now time.Time) ([]supervisor.Job,
	error) {
	return engine.AllRows(s.db.reader(ctx, "list the due jobs of chat %s", c.Chat), scanJob, listDueIn, c.User,
		c.Channel, c.Chat, now.UnixMilli())
}

// PutFiresOfReachableChat stores the fires that were due while a chat refused messages. After that
// the chat's jobs go on. It returns the stored notices.
func (s Jobs) PutFiresOfReachableChat(ctx context.Context, c supervisor.ChatRefusingMessages,
	firings []supervisor.FireBatch) (
	said []supervisor.Delivery, err error) {
	return inTransaction(ctx, s.db, func(t *tx) []supervisor.Delivery {
		said := t.putFires(firings)
		t.Exec(forgetRefusing, c.Channel, c.Chat, c.User)
		t.Exec(leaveRefusing, c.Channel, c.Chat, c.User)
		return said
	}, "store the fires that chat %s has missed", c.Chat)
}
