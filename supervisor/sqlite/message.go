package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/foreign"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/internal/quotes"
	"mews/supervisor/taint"
)

// Transcript stores the messages of conversations, as the model sees them. Each conversation has a
// window that starts at a message and has no end. Models do not see messages before the window.
// They also do not see turns that a model refused to answer.
type Transcript struct{ db *DB }

const (
	// selectMessage selects the messages of conversation ?1 as a model sees them. The query
	// selectWhole selects the same messages with all their words.
	selectMessage = `SELECT id, role, parts, stamp, recap <> '', id < (SELECT foreign_from FROM conversation WHERE id = ?1), user,
		coalesce(own_part, -1), source = 'world', created_at, octet_length(parts) FROM message `
	selectWhole  = `SELECT id, role, parts, stamp, recap <> '', 0, user, -1, 0, 0, 0 FROM message `
	listMessages = selectMessage + `WHERE conversation = ?1
		AND id >= (SELECT window_from FROM conversation WHERE id = ?1)` + notRefused + ` ORDER BY id`
	notRefused       = ` AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.id = message.turn AND t.why = 'refused')`
	listTurnMessages = selectWhole + `WHERE turn = ? ORDER BY id`
)

// ListMessages lists the messages in a conversation's window, in order.
func (s Transcript) ListMessages(ctx context.Context, conversation int64) ([]protocol.Message, error) {
	read := s.db.reader(ctx, "read the transcript of conversation %d", conversation)
	return s.db.messageReader(read).messages(listMessages, conversation)
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

// restartAt selects the start of an emptied window. The window starts after the newest message, or
// at the first message of the running turn. So it never has an answer without its question.
const restartAt = `SELECT coalesce(
	(SELECT min(m.id) FROM turn t JOIN message m ON m.turn = t.id WHERE t.conversation = ?1 AND t.ended_at IS NULL),
	(SELECT max(id) + 1 FROM message WHERE conversation = ?1), 0)`

// ClearWindow empties a conversation's window. Only the messages of the running turn stay.
func (s Transcript) ClearWindow(ctx context.Context, conversation int64) error {
	return s.db.write(ctx, func(t *tx) { t.restart(conversation) }, "restart conversation %d", conversation)
}

func (t *tx) restart(conversation int64) {
	from := value(t, engine.ScanInteger, restartAt, conversation)
	t.Exec(moveWindow, from, conversation, false)
	t.Exec(closeUnkept, conversation)
}

const insertMessage = `INSERT INTO message (user, conversation, turn, role, parts, source, stamp, recap, own_part, created_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	RETURNING id`

// putMessage appends m to the transcript of the turn's conversation.
func (t turnTx) putMessage(m protocol.Message) int64 {
	parts := append([]protocol.ContentPart{}, m.Parts...) // an empty list is stored as [], not as null
	origin := supervisor.OriginOwn
	if slices.ContainsFunc(parts, func(p protocol.ContentPart) bool { return p.Result != nil && p.Result.World }) {
		origin = supervisor.OriginWorld
	}
	return t.insertMessage(newMessage{role: m.Role, parts: parts, origin: origin})
}

// newMessage is a message that is not stored yet.
type newMessage struct {
	role   protocol.Role
	parts  []protocol.ContentPart
	origin supervisor.Origin
	stamp  string
	recap  []recapped
	own    any   // index of the part with the user's own words; nil means none
	at     int64 // when the message was received, in Unix milliseconds; 0 means now
}

func (t turnTx) insertMessage(m newMessage) int64 {
	in := t.turn.Conversation
	if m.role == protocol.RoleAssistant {
		t.noteSaid()
	}
	return t.Insert(insertMessage, in.User, in.ID, t.turn.ID, m.role, columnEncoder{m.parts},
		cmp.Or(m.origin, supervisor.OriginOwn), m.stamp, encodedList(m.recap), m.own, cmp.Or(m.at, t.Now))
}

// noteSaid reports new messages of the turn's conversation to OnMessage. A message of the user is
// reported with the model's next message, or with the turn's end.
func (t turnTx) noteSaid() {
	if in := t.turn.Conversation; talks(in) && !slices.Contains(t.said, in) {
		t.said = append(t.said, in)
	}
}

// putInboundMessage appends an inbound's quote, text and parts to the transcript. No line of the
// text can pass for a stamp.
func (t turnTx) putInboundMessage(in supervisor.Inbound) {
	parts := []protocol.ContentPart{}
	if in.Parts != "" {
		if err := json.Unmarshal([]byte(in.Parts), &parts); err != nil {
			t.fail(fmt.Errorf("read what came with inbound %d: %w", in.ID, err))
		}
	}
	words := foreign.IndentStamps(in.Text)
	if in.Quote != "" {
		words = strings.TrimSuffix(in.Quote+"\n"+words, "\n")
	}
	fired, worldFired := t.untoldFires()
	var before []protocol.ContentPart
	for _, note := range []string{fired, t.untoldRefusals(), t.untoldUndos()} {
		if note != "" {
			before = append(before, protocol.ContentPart{Text: note})
		}
	}
	m := newMessage{role: protocol.RoleUser, origin: in.Origin, stamp: t.stamp(in, false),
		at: in.ReceivedAt.UnixMilli()}
	if in.OwnText && words != "" {
		m.own = len(before)
	}
	if words != "" || len(parts) == 0 {
		before = append(before, protocol.ContentPart{Text: words})
	}
	m.parts = append(before, parts...)
	recap, world := t.recap(in)
	if m.recap = recap; world || worldFired {
		m.origin = supervisor.OriginWorld
	}
	t.insertMessage(m)
}

// messageRow is a message as it is stored.
type messageRow struct {
	supervisor.OldForeignMessage
	parts string
	recap bool
	aged  bool // the model sees a line in place of words of others in the message
}

func scanMessage(row *engine.Row) (m messageRow) {
	row.Scan(&m.ID, &m.Role, &m.parts, &m.Stamp, &m.recap, &m.aged, &m.User, &m.OwnPart, &m.World, &m.At, &m.Size)
	return m
}

// messageReader reads messages from a database or within a transaction.
type messageReader struct {
	engine.Querier
	history *HistoryTexts
	zone    func(user, chosen string) *time.Location
}

func (db *DB) messageReader(q engine.Querier) messageReader {
	return messageReader{q, &db.policies.History, db.zone}
}

func (t *tx) messageReader() messageReader { return messageReader{t, &t.policies.History, t.zone} }

// messages returns the messages of a query. The messages are decoded after the query, so that other
// goroutines can use the database meanwhile.
func (q messageReader) messages(query string, args ...any) ([]protocol.Message, error) {
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
			if m.Recap, err = recapOf(q, q.history.Recap, m.ID); err != nil {
				return nil, err
			}
		}
		if m.aged && isForeign(m.OldForeignMessage) {
			if m.At, err = q.inZone(m.User, m.At); err != nil {
				return nil, err
			}
			m.Message = q.history.Aged(m.OldForeignMessage)
		}
		list[i] = m.Message
	}
	return list, nil
}

// isForeign reports whether a message may have words of others.
func isForeign(m supervisor.OldForeignMessage) bool {
	if m.Role == protocol.RoleUser {
		return m.World || m.Recap != "" || slices.ContainsFunc(m.Parts, func(p protocol.ContentPart) bool {
			return quotes.BeginsWithQuote(p.Text)
		})
	}
	return slices.ContainsFunc(m.Parts, func(p protocol.ContentPart) bool {
		return p.Result != nil && taint.IsForeignResult(*p.Result)
	})
}

// inZone returns a time in a user's time zone, or in UTC without Options.Zone.
func (q messageReader) inZone(user string, at time.Time) (time.Time, error) {
	if q.zone == nil {
		return at.UTC(), nil
	}
	chosen, _, err := engine.FirstRow(q, engine.ScanString, findSetting, user, "timezone")
	return at.In(q.zone(user, chosen)), err
}

// Each query bounds the id only once. With two bounds SQLite would use one bound in the index and
// read all rows up to the other bound.
const (
	listMessagesSince = selectMessage + `WHERE conversation = ?1 AND id > max(?2,
		(SELECT window_from FROM conversation WHERE id = ?1) - 1)` + notRefused + ` ORDER BY id`
	findWindow = `SELECT window_from, trimmed, forgotten, foreign_from FROM conversation WHERE id = ?`
)

// ModelWindow is the part of a conversation that the model sees.
type ModelWindow struct {
	From      int64 // id of the first message
	Trimmed   bool  // earlier messages were left out for lack of room
	Forgotten int64 // number of deletions so far; if it has changed, messages that were read before may be gone
	// id before which words of others are shown as lines; if it has changed, messages that were
	// read before may look different
	ForeignFrom int64
}

func scanWindow(row *engine.Row) (w ModelWindow) {
	row.Scan(&w.From, &w.Trimmed, &w.Forgotten, &w.ForeignFrom)
	return w
}

// ListSince lists the messages of the window after an id, and returns the window. A reader that has
// earlier messages drops the messages before the window. After a refused turn the reader drops all
// its messages. Messages of a conversation are committed in the order of their ids, so that no
// message comes late.
func (s Transcript) ListSince(ctx context.Context, conversation, after int64) (newer []protocol.Message,
	window ModelWindow, err error) {
	read := s.db.reader(ctx, "read the transcript of conversation %d after message %d", conversation, after)
	before, err := engine.FirstValue(read, scanWindow, findWindow, conversation)
	if err != nil {
		return nil, window, err
	}
	if newer, err = s.db.messageReader(read).messages(listMessagesSince, conversation, after); err != nil {
		return nil, window, err
	}
	window, err = engine.FirstValue(read, scanWindow, findWindow, conversation)
	// Messages that are forgotten meanwhile are reported by the next call.
	window.Forgotten = before.Forgotten
	return newer, window, err
}
