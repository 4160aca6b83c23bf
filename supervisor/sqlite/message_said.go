package sqlite

import (
	"context"
	"encoding/json"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const listOwnConversations = `SELECT id, user, channel, chat, thread FROM conversation WHERE user = ? ORDER BY id`

// ListConversations lists a user's conversations on channels where people talk.
func (s Transcript) ListConversations(ctx context.Context, user string) (ids []int64, err error) {
	list, err := engine.AllRows(s.db.reader(ctx, "list the conversations of %s", user), scanConversation,
		listOwnConversations, user)
	for _, c := range list {
		if talks(c) {
			ids = append(ids, c.ID)
		}
	}
	return ids, err
}

// talks reports whether people talk in a conversation. In jobs and on GitHub only the service
// writes.
func talks(c supervisor.Conversation) bool {
	return c.Channel.Capabilities() != supervisor.Capabilities{}
}

const (
	listSaid = `SELECT id, role, parts, source, created_at, octet_length(parts) FROM message
		WHERE user = ? AND conversation = ? AND id > ? AND role <> 'tool' ORDER BY id LIMIT ?`
	listSizes = `SELECT id, octet_length(parts) FROM message WHERE user = ? AND conversation = ? AND id > ? AND id <= ?`
	countSaid = `SELECT count(*) FROM message WHERE user = ? AND conversation = ? AND id > ? AND role <> 'tool'`
)

// ListDialogMessages lists messages of the user and the assistant after an id. It leaves out tool
// results.
func (s Transcript) ListDialogMessages(ctx context.Context, user string, conversation, after int64,
	limit int) ([]supervisor.DialogMessage, error) {
	type row struct {
		supervisor.DialogMessage
		parts string
	}
	rows, err := engine.AllRows(s.db.reader(ctx, "list spoken messages of conversation %d", conversation),
		func(r *engine.Row) (m row) {
			r.Scan(&m.ID, &m.Role, &m.parts, &m.Origin, &m.At, &m.Size)
			return m
		}, listSaid, user, conversation, after, limit)
	list := make([]supervisor.DialogMessage, len(rows))
	for i, m := range rows { // decoded after the query, so that other goroutines can use the database
		if err := json.Unmarshal([]byte(m.parts), &m.Parts); err != nil {
			return nil, fmt.Errorf("read message %d: %w", m.ID, err)
		}
		list[i] = m.DialogMessage
	}
	return list, err
}

// MessageSizes returns the size in bytes of each message after one id up to another id.
func (s Transcript) MessageSizes(ctx context.Context, user string, conversation, after, last int64) (map[int64]int64,
	error) {
	sizes := map[int64]int64{}
	err := s.db.reader(ctx, "list message sizes of conversation %d", conversation).Query(func(r *engine.Row) bool {
		var id, size int64
		r.Scan(&id, &size)
		sizes[id] = size
		return true
	}, listSizes, user, conversation, after, last)
	return sizes, err
}

// CountDialogMessages counts the messages of the user and the assistant after an id.
func (s Transcript) CountDialogMessages(ctx context.Context, user string, conversation, after int64) (int64, error) {
	return engine.FirstValue(s.db.reader(ctx, "count spoken messages of conversation %d", conversation),
		engine.ScanInteger, countSaid,
		user, conversation, after)
}
