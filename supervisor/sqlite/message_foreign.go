package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Words of others leave a conversation's window at the end of their day. From then on a model sees
// a line in place of the words. The first turn of a day moves the border in its own transaction. So
// requests change their beginning at most once a day, and a repeated request is the same.

// isSeen selects the messages m of a conversation c that a model sees whole.
const isSeen = `m.id >= max(c.window_from, c.foreign_from)`

const (
	// oldestSeen selects when the oldest message that a model sees whole was stored, and the user's
	// time zone.
	oldestSeen = `SELECT m.created_at, coalesce((SELECT value FROM setting WHERE user = c.user AND name = 'timezone'), '')
		FROM conversation c JOIN message m ON m.conversation = c.id AND ` + isSeen + `
		WHERE c.id = ? ORDER BY m.id LIMIT 1`
	// firstOfDay selects the first message of a day, in a conversation with a message of that day.
	firstOfDay = `SELECT coalesce((SELECT id FROM message WHERE conversation = ?1 AND created_at < ?2
		ORDER BY id DESC LIMIT 1), 0) + 1`
	moveBorder = `UPDATE conversation SET foreign_from = ?1 WHERE id = ?2 AND foreign_from < ?1`
	listAged   = selectMessage + `WHERE conversation = ?1 AND id >= (SELECT window_from FROM conversation WHERE id = ?1)
		AND id < (SELECT foreign_from FROM conversation WHERE id = ?1) ORDER BY id`
)

// ageForeign lets words of others of earlier days leave the turn's window. Messages that the turn
// must still answer stay whole.
func (t turnTx) ageForeign() {
	if t.turn.Kind != supervisor.TurnChat {
		return // other turns see only their own messages
	}
	in := t.turn.Conversation
	var chosen string
	oldest, seen := one(t, func(r *engine.Row) (at int64) {
		r.Scan(&at, &chosen)
		return at
	}, oldestSeen, in.ID)
	zone := time.UTC
	if t.zone != nil {
		zone = t.zone(in.User, chosen)
	}
	now := fromMillis(t.Now).In(zone)
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, zone).UnixMilli()
	if !seen || oldest >= midnight {
		return
	}
	first := value(t, engine.ScanInteger, findFirstMessage, t.turn.ID, t.endsTurn)
	border := min(value(t, engine.ScanInteger, firstOfDay, in.ID, midnight), first)
	if t.ExecCount(moveBorder, border, in.ID) == 0 {
		return
	}
	for _, m := range all(t, scanMessage, listAged, in.ID) {
		if json.Unmarshal([]byte(m.parts), &m.Parts) == nil && (m.recap || isForeign(m.OldForeignMessage)) {
			t.openTools(in, []supervisor.OpenedTool{{Name: supervisor.ReadMessageToolName}})
			return
		}
	}
}

const (
	// listForeign selects the newest messages that the model of a turn sees whole, and that may
	// have words of others.
	listForeign = `SELECT m.id, m.role, m.parts, m.stamp, m.recap <> '', 0, m.user, -1, m.source = 'world',
		m.created_at, octet_length(m.parts) FROM turn t JOIN conversation c ON c.id = t.conversation JOIN message m
		ON m.conversation = c.id AND ` + isSeen + `
		WHERE t.id = ? AND m.role <> 'assistant' ORDER BY m.id DESC LIMIT 500`
	findWhole = `SELECT m.id, m.role, m.parts, m.stamp, m.recap <> '', 0, m.user, -1, m.source = 'world', m.created_at,
		octet_length(m.parts), m.conversation FROM message m WHERE m.user = ? AND m.id = ?`
)

// ListWorldWords lists the messages with words of others that a turn's model sees. The newest
// message is first.
func (s Transcript) ListWorldWords(ctx context.Context, turn int64) (list []supervisor.OldForeignMessage, err error) {
	read := s.db.reader(ctx, "list the words of others of turn %d", turn)
	rows, err := engine.AllRows(read, scanMessage, listForeign, turn)
	for _, m := range rows {
		if err := json.Unmarshal([]byte(m.parts), &m.Parts); err != nil {
			return nil, fmt.Errorf("read message %d: %w", m.ID, err)
		}
		if m.recap || isForeign(m.OldForeignMessage) {
			list = append(list, m.OldForeignMessage)
		}
	}
	return list, err
}

// FindWholeMessage finds a message of a user with all of its words, and its conversation. If World
// is set, the message may have words of others.
func (s Transcript) FindWholeMessage(ctx context.Context, user string, id int64) (m supervisor.OldForeignMessage,
	conversation int64, ok bool, err error) {
	read := s.db.reader(ctx, "find message %d of %s", id, user)
	row, ok, err := engine.FirstRow(read, func(r *engine.Row) (m messageRow) {
		r.Scan(&m.ID, &m.Role, &m.parts, &m.Stamp, &m.recap, &m.aged, &m.User, &m.OwnPart, &m.World, &m.At, &m.Size,
			&conversation)
		return m
	}, findWhole, user, id)
	if err == nil && ok {
		err = json.Unmarshal([]byte(row.parts), &row.Parts)
	}
	if err != nil {
		return m, 0, false, fmt.Errorf("read message %d: %w", id, err)
	}
	row.World = row.World || row.Role != protocol.RoleAssistant && isForeign(row.OldForeignMessage)
	return row.OldForeignMessage, conversation, ok, nil
}
