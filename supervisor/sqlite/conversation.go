package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Conversations stores the conversations of users.
type Conversations struct{ db *DB }

const (
	findConversation = `SELECT id, user, channel, chat, thread FROM conversation
		WHERE user = ? AND channel = ? AND chat = ? AND thread = ?`
	insertConversation = `INSERT INTO conversation (user, channel, chat, thread, created_at) VALUES (?, ?, ?, ?, ?)
		RETURNING id`
)

// FindOrCreate returns a user's conversation in a chat and thread. It creates a missing
// conversation.
func (s Conversations) FindOrCreate(ctx context.Context, user string, channel supervisor.Channel, chat, thread string) (
	supervisor.Conversation, error) {
	const doing = "find the %s conversation of %s"
	c, ok, err := engine.FirstRow(s.db.reader(ctx, doing, channel, user), scanConversation, findConversation, user,
		channel, chat,
		thread)
	if err != nil || ok {
		return c, err
	}
	c = supervisor.Conversation{User: user, Channel: channel, Chat: chat, Thread: thread}
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Conversation { return t.conversation(c) }, doing, channel, user)
}

const listConversations = `SELECT id, user, channel, chat, thread FROM conversation WHERE user = ? ORDER BY id`

// ListOfUser lists a user's conversations, oldest first.
func (s Conversations) ListOfUser(ctx context.Context, user string) ([]supervisor.Conversation, error) {
	return engine.AllRows(s.db.reader(ctx, "list the conversations of %s", user), scanConversation, listConversations,
		user)
}

const findConversationByID = `SELECT id, user, channel, chat, thread FROM conversation WHERE id = ?`

// FindConversation returns the conversation with an id, if there is one.
func (s Conversations) FindConversation(ctx context.Context, id int64) (supervisor.Conversation, bool, error) {
	return engine.FirstRow(s.db.reader(ctx, "find conversation %d", id), scanConversation, findConversationByID, id)
}

func (t *tx) conversationByID(id int64) supervisor.Conversation {
	return byID(t, "conversation", scanConversation, findConversationByID, id)
}

// conversation finds or creates the conversation that c describes. If c has an ID, conversation
// returns c unchanged: the tables refuse the ID of another user's conversation.
func (t *tx) conversation(c supervisor.Conversation) supervisor.Conversation {
	if c.ID != 0 {
		return c
	}
	found, ok := one(t, scanConversation, findConversation, c.User, c.Channel, c.Chat, c.Thread)
	if ok {
		return found
	}
	c.ID = t.Insert(insertConversation, c.User, c.Channel, c.Chat, c.Thread, t.Now)
	return c
}

// otherDestination returns the conversation for a turn's answer. The zero value means the turn's
// own conversation.
func (t *tx) otherDestination(c, own supervisor.Conversation) (none supervisor.Conversation) {
	if c == none {
		return none
	}
	if c = t.conversation(c); c.ID == own.ID {
		return none
	}
	return c
}

func scanConversation(r *engine.Row) (c supervisor.Conversation) {
	r.Scan(&c.ID, &c.User, &c.Channel, &c.Chat, &c.Thread)
	return c
}
