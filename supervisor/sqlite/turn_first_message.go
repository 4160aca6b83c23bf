package sqlite

import (
	"context"

	"mews/supervisor/internal/engine"
)

// findFirstMessage walks from a turn to the stopped turns right before it, until a command
// separates them. One turn runs at a time, so the message before a turn's first belongs to the turn
// before it.
const findFirstMessage = `WITH RECURSIVE chain (turn, first) AS (
	SELECT ?1, (SELECT min(id) FROM message WHERE turn = ?1)
	UNION ALL
	SELECT p.id, (SELECT min(id) FROM message WHERE turn = p.id) FROM chain
		JOIN turn p ON p.id = (SELECT m.turn FROM message m WHERE m.id < chain.first
			AND m.conversation = (SELECT conversation FROM turn WHERE id = ?1) ORDER BY m.id DESC LIMIT 1)
		WHERE p.why = 'stopped' AND NOT EXISTS (SELECT 1 FROM inbox n WHERE n.conversation = p.conversation
			AND n.state IN ('new', 'answered', 'done') AND n.id > p.inbound AND ` + endsTopic + `))
	SELECT coalesce(min(first), 0) FROM chain`

// FirstMessage returns the first message that a turn is to answer. That is its own first message, or that
// of the oldest turn right before it that was stopped for the next message. Turns before a /stop or
// a /new do not count.
func (s Turns) FirstMessage(ctx context.Context, turn int64) (message int64, err error) {
	return engine.Value(s.db.reader(ctx, "find the first message of turn %d", turn), engine.Integer, findFirstMessage, turn, s.db.endsTurn)
}
