package sqlite

import (
	"context"

	"mews/supervisor/internal/engine"
)

// listWorked recognizes a user's message with an attachment: it has several parts, or words of
// others.
const listWorked = `SELECT DISTINCT iif(role = 'tool', json_extract(parts, '$[0].result.name'), '') FROM message WHERE id IN (
		SELECT id FROM message WHERE turn = ?1
		UNION SELECT m.id FROM turn t JOIN message m ON m.turn = t.id WHERE t.parent = ?1
		UNION SELECT id FROM (SELECT id FROM message WHERE conversation = (SELECT conversation FROM turn WHERE id = ?1)
			ORDER BY id DESC LIMIT ?2))
	AND (role = 'tool' AND json_extract(parts, '$[0].result.failed') IS NULL
		OR role = 'user' AND (source = 'world' OR json_array_length(parts) > 1))`

// ListSuccessfulTools lists the tools with successful calls in a turn and its child turns. It also
// reads the latest messages of the conversation, as many as the argument messages says. "" stands
// for an attachment of the user.
func (s Turns) ListSuccessfulTools(ctx context.Context, turn int64, messages int) (tools []string, err error) {
	return engine.AllRows(s.db.reader(ctx, "list successful tools of turn %d", turn), engine.ScanString, listWorked,
		turn, messages)
}
