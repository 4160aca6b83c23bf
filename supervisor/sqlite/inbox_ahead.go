package sqlite

import (
	"context"
	"slices"

	"mews/protocol"
	"mews/supervisor/internal/engine"
)

// PrecedingText is what a command that has no answer yet is about: the text of its conversation
// that came before it and had no answer when it was kept, and whose turn runs, or is the next to.
// What a gate holds does not count. It is the same however often it is asked for, so that a command
// which is run again after a crash does not take the next text for the one that it has dealt with.
type PrecedingText struct {
	Inbound int64        // that text; 0 where there was none
	Why     protocol.Why // how its turn has ended since the command was kept; "" while it has not
	// the conversation's texts that have no answer now, those after the command included
	Waiting int
}

const (
	// By time, for the ids of turns and commands have no order between them. An end in the future
	// is one from before a clock was set back.
	newestEnd = `SELECT t.inbound, t.why, t.ended_at >= c.changed_at AND t.ended_at <= ? FROM inbox c
		JOIN outbox o ON o.conversation = c.conversation AND o.inbound < c.id JOIN turn t ON t.id = o.turn
		WHERE c.id = ? ORDER BY o.id DESC LIMIT 1`
	// What a turn has taken in has the name of what the turn began with. That goes before all that
	// waits.
	listUnanswered = `SELECT name FROM (
		SELECT i.id, i.id AS name, i.priority FROM inbox c JOIN inbox i ON i.conversation = c.conversation AND i.state = 'new' AND i.held = 0
			AND ` + startsTurn + ` WHERE c.id = ?1
		UNION ALL SELECT t.inbound, t.inbound, 2 FROM inbox c JOIN turn t ON t.conversation = c.conversation AND t.ended_at IS NULL
			WHERE c.id = ?1 AND t.inbound IS NOT NULL
		UNION ALL SELECT i.id, t.inbound, 2 FROM inbox c JOIN turn t ON t.conversation = c.conversation AND t.ended_at IS NULL
			JOIN inbox i ON i.turn = t.id WHERE c.id = ?1) ORDER BY priority DESC, id`
)

// Ahead is what a command is about. What has no answer is read first: what gets one in between is
// then seen as ended, and not passed over.
func (s Inbox) Ahead(ctx context.Context, command int64) (a PrecedingText, err error) {
	read := s.db.reader(ctx, "find what came before command %d", command)
	unanswered, err := engine.All(read, engine.Integer, listUnanswered, command)
	if err != nil {
		return a, err
	}
	ended, err := engine.Value(read, scanTurnEnd, newestEnd, s.db.engine.Now(), command)
	if err != nil {
		return a, err
	}
	a.Waiting = len(unanswered)
	before := func(inbound int64) bool { return inbound < command }
	if i := slices.IndexFunc(unanswered, before); ended.since {
		a.Inbound, a.Why = ended.inbound, ended.why
	} else if i >= 0 {
		a.Inbound = unanswered[i]
	}
	return a, nil
}

// turnEnd is how a text's turn ended, and whether that was since the command was kept.
type turnEnd struct {
	inbound int64
	why     protocol.Why
	since   bool
}

func scanTurnEnd(r *engine.Row) (e turnEnd) {
	r.Scan(&e.inbound, &e.why, &e.since)
	return e
}
