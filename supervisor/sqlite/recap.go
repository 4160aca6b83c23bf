package sqlite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Limits of a recap: the number of its messages, and their age.
const (
	recapMessages = 20
	recapAge      = 7 * 24 * time.Hour
)

const (
	// hasBegun selects whether a conversation has or had messages. If all of them are forgotten,
	// the window has still moved.
	hasBegun = `SELECT window_from > 0 OR EXISTS (SELECT 1 FROM message WHERE conversation = ?1) FROM conversation WHERE id = ?1`
	// listRecapped reads only few messages of each conversation, however long the conversation is.
	// The model's words of a turn with words of others count as these.
	listRecapped = `SELECT id, created_at, world FROM (SELECT id, parts, created_at, source = 'world' OR role = 'assistant'
			AND EXISTS (SELECT 1 FROM message w WHERE w.turn = message.turn AND w.source = 'world') world FROM message
			WHERE conversation = ?1 AND role <> 'tool'` + notRefused + ` ORDER BY id DESC LIMIT 100)
		WHERE created_at >= ?2 AND EXISTS (SELECT 1 FROM json_each(parts) p WHERE trim(coalesce(p.value ->> 'text', '')) <> '')
		ORDER BY id DESC LIMIT ?3`
)

// recapped is a message in a recap.
type recapped struct {
	Message int64  `json:"message"`
	At      string `json:"at"` // time and conversation of the message, in words

	world bool
}

// recap returns the latest messages of the user's other private conversations. Only the first
// message of a new private conversation gets a recap. The result world reports whether some words
// are not the user's.
func (t turnTx) recap(in supervisor.Inbound) (list []recapped, world bool) {
	here := in.Conversation
	if t.zone == nil || in.Kind != supervisor.KindText || here.IsInGroup() || !talks(here) || value(t, engine.ScanBool,
		hasBegun, here.ID) {
		return nil, false
	}
	zone := t.zoneOf(here.User)
	for _, c := range all(t, scanConversation, listOwnConversations, here.User) {
		if c.ID == here.ID || c.IsInGroup() || !talks(c) {
			continue
		}
		list = append(list, all(t, func(r *engine.Row) (m recapped) {
			var at time.Time
			r.Scan(&m.Message, &at, &m.world)
			m.At = t.policies.History.Where(supervisor.SentMessageInfo{At: at.In(zone), Conversation: c})
			return m
		}, listRecapped, c.ID, t.Now-recapAge.Milliseconds(), recapMessages)...)
	}
	slices.SortFunc(list, func(a, b recapped) int { return cmp.Compare(a.Message, b.Message) })
	list = list[max(0, len(list)-recapMessages):]
	return list, slices.ContainsFunc(list, func(m recapped) bool { return m.world })
}

const findRecap = `SELECT r.value ->> 'at', s.role, s.parts FROM message m JOIN json_each(m.recap) r
	JOIN message s ON s.id = r.value ->> 'message' AND s.user = m.user WHERE m.id = ? ORDER BY s.id`

// recapOf returns the text of a message's recap, without messages that were deleted meanwhile.
func recapOf(q engine.Querier, recap func([]supervisor.RecapLine) string, message int64) (string, error) {
	type row struct {
		supervisor.RecapLine
		parts string
	}
	rows, err := engine.AllRows(q, func(r *engine.Row) (l row) {
		r.Scan(&l.At, &l.Role, &l.parts)
		return l
	}, findRecap, message)
	lines := make([]supervisor.RecapLine, len(rows))
	for i, l := range rows {
		var said protocol.Message
		if err := json.Unmarshal([]byte(l.parts), &said.Parts); err != nil {
			return "", fmt.Errorf("read a message of the recap of message %d: %w", message, err)
		}
		lines[i], lines[i].Text = l.RecapLine, said.Text()
	}
	return recap(lines), err
}
