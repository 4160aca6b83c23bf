package sqlite

import (
	"context"
	"slices"

	"mews/protocol"
	"mews/supervisor/internal/engine"
)

// PrecedingText is the text that an unanswered command, such as /stop, is about. The text came
// before the command and had no answer when the command was stored. Its turn runs or is next. Held
// texts are left out. Each call has the same result. So a command that runs again after a crash
// does not affect a later text.
type PrecedingText struct {
	Inbound int64 // id of the text; 0 means none
	// reason why the text's turn ended after the command was stored; "" if the turn has not ended
	Why protocol.TurnEndReason
	// number of unanswered texts of the conversation now, including those after the command
	Waiting int
}

const (
	// newestEnd compares times, since ids of turns and commands have no common order. It ignores an
	// end in the future: such an end shows that the clock was set back.
	newestEnd = `SELECT t.inbound, t.why, t.ended_at >= c.changed_at AND t.ended_at <= ? FROM inbox c
		JOIN outbox o ON o.conversation = c.conversation AND o.inbound < c.id JOIN turn t ON t.id = o.turn
		WHERE c.id = ? ORDER BY o.id DESC LIMIT 1`
	// listUnanswered lists the unanswered texts. A text that joined a turn is listed under the name
	// of the turn's first text.
	listUnanswered = `SELECT name FROM (
		SELECT i.id, i.id AS name, i.priority FROM inbox c JOIN inbox i ON i.conversation = c.conversation AND i.state = 'new' AND i.held = 0
			AND ` + startsTurn + ` WHERE c.id = ?1
		UNION ALL SELECT t.inbound, t.inbound, 2 FROM inbox c JOIN turn t ON t.conversation = c.conversation AND t.ended_at IS NULL
			WHERE c.id = ?1 AND t.inbound IS NOT NULL
		UNION ALL SELECT i.id, t.inbound, 2 FROM inbox c JOIN turn t ON t.conversation = c.conversation AND t.ended_at IS NULL
			JOIN inbox i ON i.turn = t.id WHERE c.id = ?1) ORDER BY priority DESC, id`
)

// PrecedingText returns the text that a command is about. It reads the unanswered texts first. So a
// text that is answered between the two queries counts as ended.
func (s Inbox) PrecedingText(ctx context.Context, command int64) (a PrecedingText, err error) {
	read := s.db.reader(ctx, "find the text before command %d", command)
	unanswered, err := engine.AllRows(read, engine.ScanInteger, listUnanswered, command)
	if err != nil {
		return a, err
	}
	ended, err := engine.FirstValue(read, scanTurnEnd, newestEnd, s.db.engine.Now(), command)
	if err != nil {
		return a, err
	}
	a.Waiting = len(unanswered)
	before := func(inbound int64) bool { return inbound < command }
	if i := slices.IndexFunc(unanswered, before); ended.afterCommand {
		a.Inbound, a.Why = ended.inbound, ended.why
	} else if i >= 0 {
		a.Inbound = unanswered[i]
	}
	return a, nil
}

const findOpenText = `SELECT i.state IN ('new', 'running') AND i.turn IS NULL, i.turn IS NOT NULL
	FROM inbox i WHERE i.id = ?`

// TextTurnState reports which turn answers a text. The result own means that the text waits for a
// turn of its own, or that its own turn has not ended. The result joined means that the text has
// joined the turn of another text.
func (s Inbox) TextTurnState(ctx context.Context, inbound int64) (own, joined bool, err error) {
	found, err := engine.FirstValue(s.db.reader(ctx, "find what became of text %d", inbound), scanOpenText,
		findOpenText,
		inbound)
	return found.own, found.joined, err
}

type openText struct{ own, joined bool }

func scanOpenText(r *engine.Row) (o openText) {
	r.Scan(&o.own, &o.joined)
	return o
}

// turnEnd has the reason of a turn's end, and whether the turn ended after the command was stored.
type turnEnd struct {
	inbound      int64
	why          protocol.TurnEndReason
	afterCommand bool
}

func scanTurnEnd(r *engine.Row) (e turnEnd) {
	r.Scan(&e.inbound, &e.why, &e.afterCommand)
	return e
}
