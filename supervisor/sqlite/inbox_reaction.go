package sqlite

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// reactable is true for an inbound i of conversation c if the channel ?1 can show an emoji on the
// inbound's message.
const reactable = ` AND i.kind = 'text' AND i.message <> '' AND c.channel = ?1 `

const listReactable = selectInbound + `WHERE i.state = 'new' AND i.held = 0` + reactable + `
	UNION ALL ` + selectInbound + `WHERE i.state = 'arriving' AND i.held = 0` + reactable + `
	UNION ALL ` + selectInbound + `WHERE i.id IN (SELECT inbound FROM turn WHERE ended_at IS NULL) AND i.state = 'running'` + reactable + `
	UNION ALL ` + selectInbound + `WHERE i.turn IN (SELECT id FROM turn WHERE ended_at IS NULL) AND i.state = 'running'` + reactable + `
	ORDER BY 1`

// ListUnansweredMessages lists a channel's unanswered messages, oldest first. These messages wait
// for a turn or are in a running turn.
func (s Inbox) ListUnansweredMessages(ctx context.Context, channel supervisor.Channel) ([]supervisor.Inbound, error) {
	return engine.AllRows(s.db.reader(ctx, "list waiting messages on %s", channel), scanInbound, listReactable, channel)
}

// maxReacted is the number of newest inbounds that may still show an emoji from an earlier process.
const maxReacted = 50

const listReacted = selectInbound + `WHERE i.id > (SELECT coalesce(max(id), 0) FROM inbox) - ?2` + reactable + `
	AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.inbound = i.id AND t.started_at - i.received_at < ?3) ORDER BY i.id`

// ListLongWaitingMessages lists a channel's newest messages that waited long for a turn. The
// service calls this method when it starts, to remove emojis of an earlier process.
func (s Inbox) ListLongWaitingMessages(ctx context.Context, channel supervisor.Channel,
	waited time.Duration) ([]supervisor.Inbound, error) {
	return engine.AllRows(s.db.reader(ctx, "list messages on %s that may have a reaction", channel), scanInbound,
		listReacted, channel, maxReacted,
		waited.Milliseconds())
}
