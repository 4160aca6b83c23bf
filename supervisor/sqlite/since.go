package sqlite

import (
	"context"

	"mews/protocol"
)

// There is one bound of the id in it: of two, SQLite looks for one in the index and reads on to the other.
const (
	listMessagesSince = `SELECT id, role, parts FROM message WHERE conversation = ?1 AND id > max(?2,
		(SELECT window_from FROM conversation WHERE id = ?1) - 1) ORDER BY id`
	findWindow = `SELECT window_from FROM conversation WHERE id = ?`
)

// Since lists what Messages does, without the messages up to after, and says where the window begins: whoever has those
// drops the ones before it. Messages of a conversation are committed in the order of their ids, so none comes late.
func (s Transcript) Since(ctx context.Context, conversation, after int64) (newer []protocol.Message, from int64, err error) {
	rows, err := s.db.read(ctx, listMessagesSince, conversation, after)
	if newer, err = all(rows, err, scanMessage); err == nil {
		rows, err = s.db.read(ctx, findWindow, conversation)
		from, _, err = one(rows, err, scanInt)
	}
	return newer, from, during(err, "read the transcript of conversation %d after message %d", conversation, after)
}
