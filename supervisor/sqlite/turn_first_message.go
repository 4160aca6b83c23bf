package sqlite

import (
	"context"

	"mews/supervisor/internal/engine"
)

// findFirstMessage walks from a turn to those right before it, as long as each was stopped and no
// command has cut it off since its text came. What a turn's messages are preceded by in the
// transcript is of the turn before it, for one at a time runs.
const findFirstMessage = `WITH RECURSIVE chain (turn, first) AS (
	SELECT ?1, (SELECT min(id) FROM message WHERE turn = ?1)
	UNION ALL
	SELECT p.id, (SELECT min(id) FROM message WHERE turn = p.id) FROM chain
		JOIN turn p ON p.id = (SELECT m.turn FROM message m WHERE m.id < chain.first
			AND m.conversation = (SELECT conversation FROM turn WHERE id = ?1) ORDER BY m.id DESC LIMIT 1)
		WHERE p.why = 'stopped' AND NOT EXISTS (SELECT 1 FROM inbox n WHERE n.conversation = p.conversation
			AND n.state IN ('new', 'answered', 'done') AND n.id > p.inbound AND ` + endsTopic + `))
	SELECT coalesce(min(first), 0) FROM chain`

// Asked is the message with which began what a turn is to answer: its own first, or that of the
// oldest of the turns right before it that were stopped for what was sent next. A turn that a /stop
// ended is not one of those, nor is one before a /new.
func (s Turns) Asked(ctx context.Context, turn int64) (message int64, err error) {
	return engine.Value(s.db.reader(ctx, "find what turn %d is to answer", turn), engine.Integer, findFirstMessage, turn, s.db.endsTurn)
}
