package sqlite

import (
	"context"

	"mews/supervisor/internal/engine"
)

// SuccessfulCall is a successful call of a tool.
type SuccessfulCall struct {
	Tool    string // name of the tool; "" stands for an attachment of the user
	Earlier bool   // the call was in an earlier turn
	Row     string // the call's arguments, the beginning of its result, and its effects
	Result  string // the first words of the result
	Changed bool   // a program of the call changed files
	Sent    bool   // files of the call were sent, and the channel has not refused them
}

const (
	toolOfMessage = `iif(m.role = 'tool', json_extract(m.parts, '$[0].result.name'), '')`

	// hasWorked recognizes a user's message with an attachment: it has several parts, or words of
	// others. A call has not worked if the channel refused the call's message or file, unless its
	// tool does more than send.
	hasWorked = `(m.role = 'tool' AND json_extract(m.parts, '$[0].result.failed') IS NULL AND NOT (
			json_extract(m.parts, '$[0].result.name') NOT IN ('plot_chart', 'run_python') AND EXISTS (SELECT 1 FROM effect e
			WHERE e.turn = m.turn AND e.call = json_extract(m.parts, '$[0].result.call') AND e.kind IN ('file.refused',
				'message.refused')))
		OR m.role = 'user' AND (m.source = 'world' OR json_array_length(m.parts) > 1))`

	// rowOfMessage has the fields of a SuccessfulCall from Row on. It reads only the beginnings of
	// long texts.
	rowOfMessage = `iif(m.role = 'user', substr(m.parts, 1, 2000),
		coalesce((SELECT substr(json_extract(p.value, '$.call.arguments'), 1,
			20000) FROM tool_call c JOIN message a ON a.id = c.message, json_each(a.parts) p
			WHERE c.conversation = m.conversation AND c.call = json_extract(m.parts,
				'$[0].result.call') AND json_extract(p.value, '$.call.id') = c.call), '')
		|| ' ' || substr(json_extract(m.parts, '$[0].result.text'), 1, 500) || ' ' ||
			coalesce((SELECT group_concat(e.target || ' ' || e.detail, ' ')
			FROM effect e WHERE e.turn = m.turn AND e.call = json_extract(m.parts, '$[0].result.call')), '')),
		coalesce(substr(json_extract(m.parts, '$[0].result.text'), 1, 30), ''),
		EXISTS (SELECT 1 FROM effect e WHERE e.turn = m.turn AND e.call = json_extract(m.parts, '$[0].result.call') AND e.kind = 'program'),
		EXISTS (SELECT 1 FROM effect e WHERE e.turn = m.turn AND e.call = json_extract(m.parts, '$[0].result.call')
			AND e.kind IN ('file.queued', 'file.sent', 'file.unknown'))`

	listWorked = `SELECT ` + toolOfMessage +
		`, 0, ` + rowOfMessage + ` FROM message m WHERE m.id IN (SELECT id FROM message WHERE turn = ?1
			UNION SELECT b.id FROM turn t JOIN message b ON b.turn = t.id WHERE t.parent = ?1) AND ` + hasWorked + `
		UNION ALL SELECT ` + toolOfMessage + `, 1,
			` + rowOfMessage + ` FROM message m WHERE m.turn IN (SELECT DISTINCT turn FROM (SELECT turn FROM message
			WHERE conversation = (SELECT conversation FROM turn WHERE id = ?1) AND turn < ?1 ORDER BY id DESC LIMIT 1000)
			ORDER BY turn DESC LIMIT ?2) AND ` + hasWorked
)

// ListSuccessfulTools lists the successful calls of a turn and its child turns. It also lists the
// successful calls of earlier turns of the conversation. The argument turns is the number of these
// earlier turns.
func (s Turns) ListSuccessfulTools(ctx context.Context, turn int64, turns int) (calls []SuccessfulCall, err error) {
	return engine.AllRows(s.db.reader(ctx, "list successful tools of turn %d", turn),
		func(r *engine.Row) (c SuccessfulCall) {
			r.Scan(&c.Tool, &c.Earlier, &c.Row, &c.Result, &c.Changed, &c.Sent)
			return c
		}, listWorked, turn, turns)
}
