package sqlite

import (
	"context"
	"encoding/json"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	selectHistory = `SELECT m.id, m.role, m.parts, m.source, m.created_at, octet_length(m.parts), c.id, c.user, c.channel, c.chat, c.thread,
		coalesce((SELECT i.message FROM turn t JOIN inbox i ON i.id = t.inbound WHERE t.id = m.turn), '')
		FROM message m JOIN conversation c ON c.id = m.conversation WHERE m.user = ?1 AND m.role <> 'tool'
		AND c.channel IN (SELECT value FROM json_each(?2)) `
	historySpan = selectHistory + `AND (?3 = 0 OR m.conversation = ?3) AND m.created_at >= ?4 AND (?5 = 0 OR m.created_at < ?5)
		AND (?6 = '' OR m.role = ?6) AND (?11 = 0 OR m.role = 'user' OR ` + hasWords + `) `
	listHistory = historySpan + `AND (m.created_at, m.id) > (?7, ?8) ORDER BY m.created_at, m.id LIMIT ?9 OFFSET ?10`
	listNewest  = historySpan + `AND (?7 = 0 OR (m.created_at, m.id) < (?7, ?8)) ORDER BY m.created_at DESC, m.id DESC LIMIT ?9 OFFSET ?10`

	hasWords     = `EXISTS (SELECT 1 FROM json_each(m.parts) p WHERE coalesce(p.value ->> 'text', '') <> '')`
	selectWorded = selectHistory + `AND m.conversation = ?3 AND ` + hasWords
	listAround   = `SELECT * FROM (` + selectWorded + ` AND m.id <= ?4 ORDER BY m.id DESC LIMIT 2) UNION ALL
		SELECT * FROM (` + selectWorded + ` AND m.id > ?4 ORDER BY m.id LIMIT 1) ORDER BY 1`
	windowFrom = `SELECT max(window_from, foreign_from) FROM conversation WHERE user = ? AND id = ?`
)

// historyRow is a message of the history as it is stored.
type historyRow struct {
	supervisor.HistoryMessage
	parts string
}

func scanHistory(r *engine.Row) (m historyRow) {
	r.Scan(&m.ID, &m.Role, &m.parts, &m.Origin, &m.At, &m.Size, &m.Conversation.ID, &m.Conversation.User, &m.Conversation.Channel, &m.Conversation.Chat, &m.Conversation.Thread, &m.ChannelMessage)
	return m
}

func (s Transcript) history(ctx context.Context, user, query string, args ...any) ([]supervisor.HistoryMessage, error) {
	talked, _ := json.Marshal(supervisor.FilterChannels(func(can supervisor.Capabilities) bool { return can != supervisor.Capabilities{} }))
	rows, err := engine.AllRows(s.db.reader(ctx, "list the history of %s", user), scanHistory, query, append([]any{user,
		string(talked)}, args...)...)
	list := make([]supervisor.HistoryMessage, len(rows))
	for i, m := range rows { // decoded after the query, so that other goroutines can use the database
		if err := json.Unmarshal([]byte(m.parts), &m.Parts); err != nil {
			return nil, fmt.Errorf("read message %d: %w", m.ID, err)
		}
		list[i] = m.HistoryMessage
	}
	return list, err
}

// ListHistory lists messages of a user and the assistant's answers, without tool results.
func (s Transcript) ListHistory(ctx context.Context, q supervisor.HistoryQuery) ([]supervisor.HistoryMessage, error) {
	query := listHistory
	if q.Newest {
		query = listNewest
	}
	return s.history(ctx, q.User, query, q.Conversation, q.Span.From, q.Span.To, supervisor.SpeakerRoles[q.Speaker],
		q.After.At, q.After.Message, q.Limit, q.Skip, q.NoBareCalls)
}

// FindWithNeighbours lists a message with its neighbours in the conversation. Messages without
// words are left out.
func (s Transcript) FindWithNeighbours(ctx context.Context, user string, conversation,
	message int64) ([]supervisor.HistoryMessage, error) {
	return s.history(ctx, user, listAround, conversation, message)
}

// FirstMessageInWindow returns the id of the first message that a model sees whole.
func (s Transcript) FirstMessageInWindow(ctx context.Context, user string, conversation int64) (int64, error) {
	return engine.FirstValue(s.db.reader(ctx, "find the window of conversation %d", conversation), engine.ScanInteger,
		windowFrom, user, conversation)
}
