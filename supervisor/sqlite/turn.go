package sqlite

import (
	"context"
	"errors"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Turns stores turns step by step, so that a turn continues after any crash. An invalid call fails
// with a supervisor.Error with CodeInvalid. If the turn never existed, the code is CodeNotFound.
type Turns struct{ db *DB }

const insertTurn = `INSERT INTO turn (user, conversation, destination, kind, inbound, parent, started_at)
	VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`

// turnKinds maps the kind of an inbound to the kind of its turn. Kinds that are not listed start no
// turn.
var turnKinds = map[supervisor.InboundKind]supervisor.TurnKind{
	supervisor.KindText: supervisor.TurnChat, supervisor.KindJob: supervisor.TurnJob, supervisor.KindReview: supervisor.TurnReview,
	supervisor.KindTriage: supervisor.TurnTriage, supervisor.KindMCP: supervisor.TurnMCP,
}

// Start starts the turn of an inbound. The inbound becomes running, and its text goes into the
// transcript. Start fails unless the inbound is new and of a kind that starts a turn. It also fails
// if another turn runs in the conversation.
//
// The argument c requests a lease: Start sets money aside for the turn, as far as the limits in c
// allow. The lease is zero if nothing was set aside, or if c is nil.
func (s Turns) Start(ctx context.Context, inbound int64, c *supervisor.LeaseRequest) (
	turn supervisor.Turn, lease supervisor.Lease, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Turn, supervisor.Lease) { return t.startTurn(inbound, c) },
		"start the turn of inbound %d", inbound)
}

func (t *tx) startTurn(inbound int64, c *supervisor.LeaseRequest) (turn supervisor.Turn, lease supervisor.Lease) {
	in := t.inbound(inbound)
	kind, starts := turnKinds[in.Kind]
	if !starts {
		t.fail(invalid("inbound %d is a %s; a turn is for a text", in.ID, in.Kind))
	}
	t.transition(in, supervisor.InboundRunning)
	turn = supervisor.Turn{Conversation: in.Conversation, Kind: kind, Inbound: in.ID, Message: in.Message}
	if in.Destination.ID != 0 {
		turn.Message = "" // the message that the turn's answer replies to is in another chat
		turn.Destination = t.conversationByID(in.Destination.ID)
	}
	if kind == supervisor.TurnJob { // a job's turn sees no earlier messages
		t.restart(in.Conversation.ID)
	}
	turn = t.putTurn(turn, in)
	turnTx{tx: t, turn: turn}.takeTogether(in)
	turnTx{tx: t, turn: turn}.ageForeign()
	if c != nil {
		claim := *c
		claim.Turn = turn.ID
		lease, _ = t.takeLease(claim)
	}
	return turn, lease
}

// putTurn stores a turn that an inbound starts. A zero Destination means the turn's own
// conversation.
func (t *tx) putTurn(turn supervisor.Turn, begins supervisor.Inbound) supervisor.Turn {
	in := turn.Conversation
	turn.StartedAt = fromMillis(t.Now)
	turn.ID = t.Insert(insertTurn, in.User, in.ID, orNull(turn.Destination.ID), turn.Kind, orNull(turn.Inbound),
		orNull(turn.Parent), t.Now)
	switch {
	case errors.Is(t.err, engine.ErrUnique):
		t.err = invalid("another turn runs in conversation %d", in.ID)
	case errors.Is(t.err, engine.ErrForeignKey):
		t.err = notFound("there is no conversation %d of %s", turn.Destination.ID, in.User)
	}
	turnTx{tx: t, turn: turn}.putInboundMessage(begins)
	return turn
}

// ChildTurn is a turn that another turn starts and waits for.
type ChildTurn struct {
	Parent int64
	Kind   supervisor.TurnKind
	// conversation of the child, with the same user; without an ID it is found or created by its
	// other fields
	Conversation supervisor.Conversation
	// conversation for the child's questions and files; the zero value means the child's own
	Destination supervisor.Conversation
	Text        string // the prompt of the child turn
}

// StartChild starts a child turn of a running turn. The child's model sees only the child's text.
// The answer does not go into the outbox. The child ends when its parent ends, at the latest.
// StartChild fails if another turn runs in the child's conversation.
func (s Turns) StartChild(ctx context.Context, c ChildTurn) (supervisor.Turn, error) {
	return inTurn(ctx, s.db, c.Parent, func(t turnTx) supervisor.Turn { return t.startChild(c) }, "start a child turn of turn %d", c.Parent)
}

func (t turnTx) startChild(c ChildTurn) supervisor.Turn {
	c.Conversation.User = t.turn.Conversation.User
	turn := supervisor.Turn{Kind: c.Kind, Parent: t.turn.ID, Conversation: t.conversation(c.Conversation)}
	turn.Destination = t.otherDestination(c.Destination, turn.Conversation)
	t.restart(turn.Conversation.ID)
	return t.putTurn(turn, supervisor.Inbound{Text: c.Text})
}

// RunningTurn is a turn that has not ended, with its progress.
type RunningTurn struct {
	Turn     supervisor.Turn
	Messages []protocol.Message // messages of the turn, oldest first
	// ids of calls that began and have no result, so that their effects are unknown
	Begun        []string
	WaitsForUser bool // the turn has an open question
	Asked        bool // the turn has asked a question and has not used its answer yet
}

const (
	selectTurn = `SELECT t.id, c.id, c.user, c.channel, c.chat, c.thread, d.id, d.user, d.channel, d.chat, d.thread, t.kind,
		coalesce(t.inbound, 0), coalesce(t.parent, 0), iif(t.destination IS NULL, coalesce(i.message, ''), ''), t.deaths,
		t.started_at, t.ran, t.ended_at IS NOT NULL, EXISTS (SELECT 1 FROM question q WHERE q.turn = t.id AND q.why IS NULL),
		EXISTS (SELECT 1 FROM question q WHERE q.turn = t.id AND q.used_at IS NULL) FROM turn t JOIN conversation c ON c.id = t.conversation
		JOIN conversation d ON d.id = coalesce(t.destination, t.conversation) LEFT JOIN inbox i ON i.id = t.inbound `
	findTurn        = selectTurn + `WHERE t.id = ?`
	findRunningTurn = selectTurn + `WHERE t.conversation = ? AND t.ended_at IS NULL`
)

// FindRunning returns the running turn of a conversation, if there is one. Nobody may work on the
// turn meanwhile, since its parts are read one after the other.
func (s Turns) FindRunning(ctx context.Context, conversation int64) (open RunningTurn, ok bool, err error) {
	read := s.db.reader(ctx, "find the running turn of conversation %d", conversation)
	turn, ok, err := engine.FirstRow(read, scanTurn, findRunningTurn, conversation)
	if err != nil || !ok {
		return open, false, err
	}
	open.Turn, open.WaitsForUser, open.Asked = turn.Turn, turn.waits, turn.asked
	if open.Messages, err = s.db.messageReader(read).messages(listTurnMessages, turn.ID); err != nil {
		return RunningTurn{}, false, err
	}
	open.Begun, err = engine.AllRows(read, engine.ScanString, listBegun, turn.ID)
	return open, err == nil, err
}

// Find returns a turn, running or ended.
func (s Turns) Find(ctx context.Context, id int64) (supervisor.Turn, error) {
	row, ok, err := engine.FirstRow(s.db.reader(ctx, "find turn %d", id), scanTurn, findTurn, id)
	if err == nil && !ok {
		err = notFound("there is no turn %d", id)
	}
	return row.Turn, err
}

const addRunTime = `UPDATE turn SET ran = ran + ? WHERE id = ?`

// Suspend stores the run time of a turn that will wait for its user. The result waits is false if
// the answer has come meanwhile.
func (s Turns) Suspend(ctx context.Context, turn int64, ran time.Duration) (waits bool, err error) {
	return inTurn(ctx, s.db, turn, func(t turnTx) bool {
		t.Exec(addRunTime, ran, turn)
		return byID(t, "turn", scanTurn, findTurn, turn).waits
	}, "suspend turn %d", turn)
}

const countDeath = `UPDATE turn SET deaths = deaths + 1 WHERE id = ? RETURNING deaths`

// CountWorkerDeath counts a worker that crashed in a turn. It returns the number of crashed
// workers.
func (s Turns) CountWorkerDeath(ctx context.Context, turn int64) (deaths int, err error) {
	return inTurn(ctx, s.db, turn, func(t turnTx) int { return int(t.Insert(countDeath, turn)) }, "count a worker crash of turn %d", turn)
}

// turnTx is a transaction within a running turn. Function inTurn checks that the turn runs. Method
// putTurn stores a new turn.
type turnTx struct {
	*tx
	turn supervisor.Turn

	callsDone bool // all calls of the turn are known to have results
}

// inTurn runs fn in a transaction within a running turn. It fails if the turn has ended.
func inTurn[T any](ctx context.Context, db *DB, id int64, fn func(turnTx) T, format string, args ...any) (T, error) {
	return inTransaction(ctx, db, func(t *tx) T { return fn(turnTx{tx: t, turn: t.runningTurn(id)}) }, format, args...)
}

// runningTurn returns the turn with an id. It fails if the turn has ended.
func (t *tx) runningTurn(id int64) supervisor.Turn {
	turn := byID(t, "turn", scanTurn, findTurn, id)
	if turn.ended {
		t.fail(invalid("turn %d has ended", id))
	}
	return turn.Turn
}

// turnRow is a turn as it is stored.
type turnRow struct {
	supervisor.Turn
	ended bool
	waits bool // the turn has an open question
	asked bool // the turn has asked a question and has not used its answer yet
}

func scanTurn(row *engine.Row) (turn turnRow) {
	c, d := &turn.Conversation, &turn.Destination
	row.Scan(&turn.ID, &c.ID, &c.User, &c.Channel, &c.Chat, &c.Thread, &d.ID, &d.User, &d.Channel, &d.Chat, &d.Thread,
		&turn.Kind, &turn.Inbound, &turn.Parent, &turn.Message, &turn.Deaths, &turn.StartedAt, &turn.RunTime, &turn.ended, &turn.waits,
		&turn.asked)
	if d.ID == c.ID {
		*d = supervisor.Conversation{}
	}
	return turn
}
