package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/protocol/foreign"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Transcript stores the messages of conversations, as the model sees them. Each conversation has a
// window that starts at a message and has no end. Models do not see earlier messages. They do not
// see turns that a model refused to answer either.
type Transcript struct{ db *DB }

const (
	listMessages = `SELECT id, role, parts, stamp, recap <> '' FROM message WHERE conversation = ?1
		AND id >= (SELECT window_from FROM conversation WHERE id = ?1)` + notRefused + ` ORDER BY id`
	notRefused       = ` AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.id = message.turn AND t.why = 'refused')`
	listTurnMessages = `SELECT id, role, parts, stamp, recap <> '' FROM message WHERE turn = ? ORDER BY id`
)

// ListMessages lists the messages in a conversation's window, in order.
func (s Transcript) ListMessages(ctx context.Context, conversation int64) ([]protocol.Message, error) {
	read := s.db.reader(ctx, "read the transcript of conversation %d", conversation)
	return messages(read, s.db.policies.History.Recap, listMessages, conversation)
}

const (
	findMessage = `SELECT count(*) FROM message WHERE id = ? AND conversation = ?`
	moveWindow  = `UPDATE conversation SET window_from = ?1, trimmed = ?3 WHERE id = ?2 AND window_from < ?1`
)

// MoveWindow moves the start of the window to a message of the conversation. The window never moves
// backwards.
func (s Transcript) MoveWindow(ctx context.Context, conversation, from int64) error {
	return s.db.write(ctx, func(t *tx) {
		if !value(t, engine.ScanBool, findMessage, from, conversation) {
			t.fail(notFound("there is no message %d in conversation %d", from, conversation))
		}
		t.Exec(moveWindow, from, conversation, true)
	}, "trim the transcript of conversation %d", conversation)
}

// restartAt selects the start of an emptied window. That is after the newest message, or at the
// first message of the running turn: the window never has an answer without its question.
const restartAt = `SELECT coalesce(
	(SELECT min(m.id) FROM turn t JOIN message m ON m.turn = t.id WHERE t.conversation = ?1 AND t.ended_at IS NULL),
	(SELECT max(id) + 1 FROM message WHERE conversation = ?1), 0)`

// EmptyWindow empties a conversation's window. Only the messages of the running turn stay.
func (s Transcript) EmptyWindow(ctx context.Context, conversation int64) error {
	return s.db.write(ctx, func(t *tx) { t.restart(conversation) }, "restart conversation %d", conversation)
}

func (t *tx) restart(conversation int64) {
	from := value(t, engine.ScanInteger, restartAt, conversation)
	t.Exec(moveWindow, from, conversation, false)
	t.Exec(closeUnkept, conversation)
}

const insertMessage = `INSERT INTO message (user, conversation, turn, role, parts, source, stamp, recap, created_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
	RETURNING id`

// putMessage appends m to the transcript of the turn's conversation.
func (t turnTx) putMessage(m protocol.Message) int64 {
	parts := append([]protocol.Part{}, m.Parts...) // an empty list is stored as [], not as null
	origin := supervisor.OriginOwn
	if slices.ContainsFunc(parts, func(p protocol.Part) bool { return p.Result != nil && p.Result.World }) {
		origin = supervisor.OriginWorld
	}
	return t.insertMessage(m.Role, columnEncoder{parts}, origin, "", nil)
}

func (t turnTx) insertMessage(role protocol.Role, parts any, origin supervisor.Origin, stamp string, recap []recapped) int64 {
	in := t.turn.Conversation
	if role != protocol.RoleTool && talks(in) {
		t.said = append(t.said, in)
	}
	return t.Insert(insertMessage, in.User, in.ID, t.turn.ID, role, parts, cmp.Or(origin, supervisor.OriginOwn), stamp, encodedList(recap), t.Now)
}

// putInboundMessage appends an inbound's quote, text and parts to the transcript. No line of the
// text can pass for a stamp.
func (t turnTx) putInboundMessage(in supervisor.Inbound) {
	parts := []protocol.Part{}
	if in.Parts != "" {
		if err := json.Unmarshal([]byte(in.Parts), &parts); err != nil {
			t.fail(fmt.Errorf("read what came with inbound %d: %w", in.ID, err))
		}
	}
	words := foreign.IndentStamps(in.Text)
	if in.Quote != "" {
		words = strings.TrimSuffix(in.Quote+"\n"+words, "\n")
	}
	if words != "" || len(parts) == 0 {
		parts = append([]protocol.Part{{Text: words}}, parts...)
	}
	if undone := t.untoldUndos(); undone != "" {
		parts = append([]protocol.Part{{Text: undone}}, parts...)
	}
	if refused := t.untoldRefusals(); refused != "" {
		parts = append([]protocol.Part{{Text: refused}}, parts...)
	}
	fired, worldFired := t.untoldFires()
	if fired != "" {
		parts = append([]protocol.Part{{Text: fired}}, parts...)
	}
	recap, world := t.recap(in)
	if world || worldFired {
		in.Origin = supervisor.OriginWorld
	}
	t.insertMessage(protocol.RoleUser, columnEncoder{parts}, in.Origin, t.stamp(in, false), recap)
}

// messageRow is a message as it is stored.
type messageRow struct {
	protocol.Message
	parts string
	recap bool
}

func scanMessage(row *engine.Row) (m messageRow) {
	row.Scan(&m.ID, &m.Role, &m.parts, &m.Stamp, &m.recap)
	return m
}

// messages returns the messages of a query. The function recap makes the text of a message's recap.
// Decoding comes after the query, so that other goroutines can use the database meanwhile.
func messages(q engine.Querier, recap func([]supervisor.RecapLine) string, query string, args ...any) ([]protocol.Message, error) {
	rows, err := engine.AllRows(q, scanMessage, query, args...)
	if err != nil {
		return nil, err
	}
	list := make([]protocol.Message, len(rows))
	for i, m := range rows {
		if err := json.Unmarshal([]byte(m.parts), &m.Parts); err != nil {
			return nil, fmt.Errorf("read message %d: %w", m.ID, err)
		}
		if m.recap {
			if m.Recap, err = recapOf(q, recap, m.ID); err != nil {
				return nil, err
			}
		}
		list[i] = m.Message
	}
	return list, nil
}

// Each query bounds the id only once. With two bounds SQLite would use one bound in the index and
// read all rows up to the other bound.
const (
	listMessagesSince = `SELECT id, role, parts, stamp, recap <> '' FROM message WHERE conversation = ?1 AND id > max(?2,
		(SELECT window_from FROM conversation WHERE id = ?1) - 1)` + notRefused + ` ORDER BY id`
	findWindow = `SELECT window_from, trimmed, forgotten FROM conversation WHERE id = ?`
)

// ModelWindow is the part of a conversation that the model sees.
type ModelWindow struct {
	From      int64 // id of the first message
	Trimmed   bool  // earlier messages were left out for lack of room
	Forgotten int64 // number of deletions so far; if it has changed, messages that were read before may be gone
}

func scanWindow(row *engine.Row) (w ModelWindow) {
	row.Scan(&w.From, &w.Trimmed, &w.Forgotten)
	return w
}

// ListSince lists the messages of the window after an id, and returns the window. A reader that has
// earlier messages drops those before the window. After a refused turn it drops all of them.
// Messages of a conversation are committed in the order of their ids, so that no message comes
// late.
func (s Transcript) ListSince(ctx context.Context, conversation, after int64) (newer []protocol.Message,
	window ModelWindow, err error) {
	read := s.db.reader(ctx, "read the transcript of conversation %d after message %d", conversation, after)
	before, err := engine.FirstValue(read, scanWindow, findWindow, conversation)
	if err != nil {
		return nil, window, err
	}
	if newer, err = messages(read, s.db.policies.History.Recap, listMessagesSince, conversation, after); err != nil {
		return nil, window, err
	}
	window, err = engine.FirstValue(read, scanWindow, findWindow, conversation)
	// Messages that are forgotten meanwhile are reported by the next call.
	window.Forgotten = before.Forgotten
	return newer, window, err
}
