package sqlite

import (
	"context"
	"database/sql"

	"mews/supervisor"
)

// Conversations are where people talk.
type Conversations struct{ db *DB }

const (
	findConversation = `SELECT id, user, channel, chat, thread FROM conversation
		WHERE user = ? AND channel = ? AND chat = ? AND thread = ?`
	insertConversation = `INSERT INTO conversation (user, channel, chat, thread, created_at) VALUES (?, ?, ?, ?, ?)
		RETURNING id`
)

// Find is a person's conversation in a channel's chat and thread; it is made if there is none.
func (s Conversations) Find(ctx context.Context, user string, channel supervisor.Channel, chat, thread string) (
	supervisor.Conversation, error) {
	rows, err := s.db.read(ctx, findConversation, user, channel, chat, thread)
	c, ok, err := one(rows, err, scanConversation)
	if err == nil && !ok {
		want := supervisor.Conversation{User: user, Channel: channel, Chat: chat, Thread: thread}
		c, err = inTransaction(ctx, s.db.writer, func(t *tx) (supervisor.Conversation, error) {
			return t.conversation(want)
		})
	}
	return c, wrap(err, "find the %s conversation of %s", channel, user)
}

const findConversationByID = `SELECT id, user, channel, chat, thread FROM conversation WHERE id = ?`

// Get is the conversation with that id, if there is one.
func (s Conversations) Get(ctx context.Context, id int64) (supervisor.Conversation, bool, error) {
	rows, err := s.db.read(ctx, findConversationByID, id)
	c, ok, err := one(rows, err, scanConversation)
	return c, ok, wrap(err, "find conversation %d", id)
}

// conversation finds or makes the one that c describes. One with an ID is taken as it is: the tables refuse an ID of
// another person's.
func (t *tx) conversation(c supervisor.Conversation) (supervisor.Conversation, error) {
	if c.ID != 0 {
		return c, nil
	}
	rows, err := t.query(findConversation, c.User, c.Channel, c.Chat, c.Thread)
	found, ok, err := one(rows, err, scanConversation)
	if err != nil || ok {
		return found, err
	}
	c.ID, err = t.insert(insertConversation, c.User, c.Channel, c.Chat, c.Thread, t.now)
	return c, err
}

func scanConversation(rows *sql.Rows) (c supervisor.Conversation, err error) {
	err = rows.Scan(&c.ID, &c.User, &c.Channel, &c.Chat, &c.Thread)
	return c, err
}
