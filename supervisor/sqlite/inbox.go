package sqlite

import (
	"cmp"
	"context"
	"slices"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Inbox stores the inbounds of users.
type Inbox struct{ db *DB }

const selectInbound = `SELECT i.id, c.id, c.user, c.channel, c.chat, c.thread, i.source, i.key, i.message,
	i.kind, coalesce(i.command, ''), i.text, i.state, i.held, i.received_at, coalesce(i.destination, 0), i.together, i.origin,
	coalesce(i.parts, ''), i.quote, i.first_file, i.priority,
		i.own_text FROM inbox i JOIN conversation c ON c.id = i.conversation `

const insertInbound = `INSERT INTO inbox (user, conversation, source, key, message, kind, command, destination, text, state,
	together, origin, received_at, changed_at, quote, priority, own_text)
	VALUES (?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (user, source, key) DO NOTHING RETURNING id`

const findInboundByKey = selectInbound + `WHERE i.user = ? AND i.source = ? AND i.key = ?`

// StoreInbound stores one inbound that needs no check of a gate. It returns the stored inbound. If
// the user's source has sent an inbound with that key before, nothing changes. Then StoreInbound
// returns the earlier inbound, and fresh is false.
//
// A Conversation without an ID is found or created by its other fields. ID and State are ignored. A
// zero ReceivedAt means now.
func (s Inbox) StoreInbound(ctx context.Context, in supervisor.Inbound) (kept supervisor.Inbound, fresh bool,
	err error) {
	in.State = supervisor.InboundNew
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Inbound, bool) {
		kept, fresh := t.putInbound(in)
		if fresh && kept.Kind == supervisor.KindText {
			t.remindIfBlocked(kept)
		}
		return kept, fresh
	}, "store the inbound that %s sent as %s of %s", in.Conversation.User, in.Key, in.Source)
}

func (t *tx) putInbound(in supervisor.Inbound) (kept supervisor.Inbound, fresh bool) {
	in.Conversation = t.conversation(in.Conversation)
	in.Destination = t.otherDestination(in.Destination, in.Conversation)
	at := t.Now
	if !in.ReceivedAt.IsZero() {
		at = in.ReceivedAt.UnixMilli()
	}
	in.ReceivedAt, in.State, in.Origin = fromMillis(at), cmp.Or(in.State, supervisor.InboundNew), cmp.Or(in.Origin, supervisor.OriginOwn)
	in.ID, fresh = one(t, engine.ScanInteger, insertInbound, in.Conversation.User, in.Conversation.ID, in.Source,
		in.Key,
		in.Message, in.Kind, in.Command, orNull(in.Destination.ID), in.Text, in.State, in.Group, in.Origin, at, t.Now,
		in.Quote, int(in.Priority), in.OwnText)
	if fresh {
		return in, true
	}
	return value(t, scanInbound, findInboundByKey, in.Conversation.User, in.Source, in.Key), false
}

// startsTurn is true for an inbound i that may start or join a turn.
const startsTurn = `i.kind IN ('text', 'job', 'review', 'triage', 'mcp')`

const (
	readyInbound = selectInbound + `WHERE i.conversation = ?1 AND ` + startsTurn + ` AND i.state = 'new' AND i.held = 0
		AND ` + nothingArrives
	nextInbound     = readyInbound + ` ORDER BY i.priority DESC, i.id LIMIT 1`
	findSuperseding = readyInbound + ` AND i.priority = 0 LIMIT 1`
)

// NextInbound returns the inbound that starts a conversation's next turn. It is the oldest inbound
// of the highest priority. Held inbounds are left out. Inbounds that wait for an earlier inbound to
// arrive are left out too.
func (s Inbox) NextInbound(ctx context.Context, conversation int64) (supervisor.Inbound, bool, error) {
	return engine.FirstRow(s.db.reader(ctx, "find the next inbound of conversation %d", conversation), scanInbound,
		nextInbound, conversation,
		nil, s.db.engine.Now())
}

// ShouldRestartTurn reports whether a waiting inbound should stop the running turn. It returns true
// only if the user has chosen BusyRestart.
func (s Inbox) ShouldRestartTurn(ctx context.Context, conversation int64) (bool, error) {
	_, waits, err := engine.FirstRow(s.db.reader(ctx, "check for inbounds that stop the turn of conversation %d",
		conversation), scanInbound,
		findSuperseding, conversation, nil, s.db.engine.Now())
	return waits, err
}

const unfinishedConversations = `SELECT id, user, channel, chat, thread FROM conversation
	WHERE id IN (SELECT i.conversation FROM inbox i WHERE i.state = 'new' AND i.held = 0 AND ` + startsTurn + `
		UNION ALL SELECT conversation FROM turn WHERE ended_at IS NULL AND inbound IS NOT NULL)
	AND id NOT IN (SELECT t.conversation FROM question q JOIN turn t ON t.id = q.turn WHERE q.why IS NULL)
	ORDER BY id`

// ListUnfinishedConversations lists all conversations with unfinished inbounds. Held inbounds do
// not count. Conversations whose turn waits for its user are left out. The service calls this
// method when it starts.
func (s Inbox) ListUnfinishedConversations(ctx context.Context) ([]supervisor.Conversation, error) {
	return engine.AllRows(s.db.reader(ctx, "list the conversations with unfinished inbounds"), scanConversation,
		unfinishedConversations)
}

// newOfKind selects the waiting inbounds of a kind by their index.
const newOfKind = selectInbound + `WHERE i.state = 'new' AND i.kind = ? AND i.held = 0 ORDER BY +i.id`

// ListCommands lists the unanswered commands of all users that no gate holds, oldest first. The
// service calls this method when it starts.
func (s Inbox) ListCommands(ctx context.Context) ([]supervisor.Inbound, error) {
	return s.listNew(ctx, supervisor.KindCommand)
}

// ListPresses lists the unanswered presses of all users that no gate holds, oldest first. The
// service calls this method when it starts.
func (s Inbox) ListPresses(ctx context.Context) ([]supervisor.Inbound, error) {
	return s.listNew(ctx, supervisor.KindPress)
}

func (s Inbox) listNew(ctx context.Context, kind supervisor.InboundKind) ([]supervisor.Inbound, error) {
	return engine.AllRows(s.db.reader(ctx, "list unanswered inbounds of the kind %s", kind), scanInbound, newOfKind,
		kind)
}

const findInbound = selectInbound + `WHERE i.id = ?`

// Find returns a user's inbound by its id.
func (s Inbox) Find(ctx context.Context, user string, id int64) (in supervisor.Inbound, ok bool, err error) {
	in, ok, err = engine.FirstRow(s.db.reader(ctx, "find inbound %d", id), scanInbound, findInbound, id)
	return in, ok && in.Conversation.User == user, err
}

func (t *tx) inbound(id int64) supervisor.Inbound {
	return byID(t, "inbound", scanInbound, findInbound, id)
}

func scanInbound(row *engine.Row) (in supervisor.Inbound) {
	c := &in.Conversation
	row.Scan(&in.ID, &c.ID, &c.User, &c.Channel, &c.Chat, &c.Thread, &in.Source, &in.Key, &in.Message, &in.Kind, &in.Command,
		&in.Text, &in.State, &in.Held, &in.ReceivedAt, &in.Destination.ID, &in.Group, &in.Origin, &in.Parts, &in.Quote,
		&in.FirstFile, (*int)(&in.Priority),
		&in.OwnText)
	return in
}

// inboundTransitions lists the allowed next states of each state of an inbound. An inbound that
// starts a turn goes through running. A command is answered at once. A held inbound does not change
// its state.
var inboundTransitions = map[supervisor.InboundState][]supervisor.InboundState{
	supervisor.InboundArriving: {supervisor.InboundNew, supervisor.InboundAnswered, supervisor.InboundDropped},
	supervisor.InboundNew: {supervisor.InboundRunning, supervisor.InboundAnswered, supervisor.InboundDropped,
		supervisor.InboundArriving}, // back to arriving: the user has replaced the files
	supervisor.InboundRunning:  {supervisor.InboundAnswered, supervisor.InboundParked},
	supervisor.InboundAnswered: {supervisor.InboundDone},
}

const moveInbound = `UPDATE inbox SET state = ?, changed_at = ? WHERE id = ?`

// transition changes an inbound's state; no other function does. The argument in must have been
// read in this transaction.
func (t *tx) transition(in supervisor.Inbound, to supervisor.InboundState) {
	if in.Held {
		t.fail(invalid("inbound %d is held until a code has opened the gate, and cannot become %s", in.ID, to))
	}
	if !slices.Contains(inboundTransitions[in.State], to) {
		t.fail(invalid("inbound %d is %s and cannot become %s", in.ID, in.State, to))
	}
	t.Exec(moveInbound, to, t.Now, in.ID)
}
