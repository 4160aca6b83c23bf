package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
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
	const doing = "find the %s conversation of %s"
	c, ok, err := engine.One(s.db.reader(ctx, doing, channel, user), scanConversation, findConversation, user, channel, chat,
		thread)
	if err != nil || ok {
		return c, err
	}
	c = supervisor.Conversation{User: user, Channel: channel, Chat: chat, Thread: thread}
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Conversation { return t.conversation(c) }, doing, channel, user)
}

const listConversations = `SELECT id, user, channel, chat, thread FROM conversation WHERE user = ? ORDER BY id`

// ListOf lists a person's conversations, in the order in which they began.
func (s Conversations) ListOf(ctx context.Context, user string) ([]supervisor.Conversation, error) {
	return engine.All(s.db.reader(ctx, "list the conversations of %s", user), scanConversation, listConversations, user)
}

const findConversationByID = `SELECT id, user, channel, chat, thread FROM conversation WHERE id = ?`

// FindByID is the conversation with that id, if there is one.
func (s Conversations) FindByID(ctx context.Context, id int64) (supervisor.Conversation, bool, error) {
	return engine.One(s.db.reader(ctx, "find conversation %d", id), scanConversation, findConversationByID, id)
}

func (t *tx) conversationByID(id int64) supervisor.Conversation {
	return byID(t, "conversation", scanConversation, findConversationByID, id)
}

// conversation finds or makes the one that c describes. One with an ID is taken as it is: the
// tables refuse the ID of another person's.
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

// destination is where something answers to that has the conversation own: the zero value where
// that is own itself.
func (t *tx) destination(c, own supervisor.Conversation) (none supervisor.Conversation) {
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
