package sqlite

import (
	"context"
	"strconv"

	"mews/supervisor"
)

const (
	// sourceRetry is the source of inbounds that are tried again. The key of such an inbound is the
	// id of the parked inbound. So each parked inbound is tried again only once.
	sourceRetry = "retry"

	listParked = selectInbound + `WHERE (i.turn = ?1 OR i.id = (SELECT inbound FROM turn WHERE id = ?1)) AND ` +
		`i.conversation = ?2
		AND i.kind = 'text' AND i.state = 'parked' ORDER BY i.id`
	copyParts = `UPDATE inbox SET parts = (SELECT parts FROM inbox WHERE id = ?) WHERE id = ?`
)

// RequeueParkedTexts queues the texts of a parked turn again, each text once. It returns the texts
// that this call has queued. The text of files that came with the texts is queued too.
func (s Inbox) RequeueParkedTexts(ctx context.Context, conversation, turn int64) ([]supervisor.Inbound, error) {
	return inTransaction(ctx, s.db, func(t *tx) (queued []supervisor.Inbound) {
		for _, in := range all(t, scanInbound, listParked, turn, conversation) {
			again, fresh := t.putInbound(supervisor.Inbound{Conversation: in.Conversation, Source: sourceRetry,
				Key: strconv.FormatInt(in.ID, 10), Message: in.Message, Kind: in.Kind, Text: in.Text, Quote: in.Quote,
				Origin: in.Origin})
			if fresh {
				t.Exec(copyParts, in.ID, again.ID)
				queued = append(queued, again)
			}
		}
		return queued
	}, "try turn %d again", turn)
}
