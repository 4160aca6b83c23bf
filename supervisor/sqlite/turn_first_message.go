package sqlite

import (
	"context"

	"mews/supervisor/internal/engine"
)

// findFirstMessage goes from a turn back to the stopped turns right before it, up to a command
// between them. One turn runs at a time. So the message before a turn's first message belongs to
// the turn before.
const findFirstMessage = `WITH RECURSIVE chain (turn, first) AS (
	SELECT ?1, (SELECT min(id) FROM message WHERE turn = ?1)
	UNION ALL
	SELECT p.id, (SELECT min(id) FROM message WHERE turn = p.id) FROM chain
		JOIN turn p ON p.id = (SELECT m.turn FROM message m WHERE m.id < chain.first
			AND m.conversation = (SELECT conversation FROM turn WHERE id = ?1) ORDER BY m.id DESC LIMIT 1)
		WHERE p.why = 'stopped' AND NOT EXISTS (SELECT 1 FROM inbox n WHERE n.conversation = p.conversation
			AND n.state IN ('new', 'answered', 'done') AND n.id > p.inbound AND ` + endsTopic + `))
	SELECT coalesce(min(first), 0) FROM chain`

// FindFirstMessage returns the first message that a turn must answer. If turns right before it were
// stopped for the next message, it returns the first message of the oldest of these turns.
// Otherwise it returns the turn's own first message. Turns before a /stop or a /new are left out.
func (s Turns) FindFirstMessage(ctx context.Context, turn int64) (message int64, err error) {
	return engine.FirstValue(s.db.reader(ctx, "find the first message of turn %d", turn), engine.ScanInteger,
		findFirstMessage, turn, s.db.endsTurn)
}
