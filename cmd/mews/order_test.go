package main_test

import (
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/sqlite"
)

// takenMessage has the times of a turn's first message in the database. Times are in milliseconds.
// An album is one message.
type takenMessage struct{ files, received, turn, began int64 }

const listTakenMessages = `SELECT i.text, count(a.inbound), max(g.received_at), t.id, t.started_at FROM inbox i
	JOIN turn t ON t.inbound = i.id
	JOIN inbox g ON g.id = i.id OR g.together <> '' AND g.together = i.together AND g.conversation = i.conversation
	LEFT JOIN attachment a ON a.inbound = g.id WHERE i.user = ? GROUP BY i.id`

// takenMessages returns the messages of a user by their texts.
func takenMessages(t *testing.T, h *apptest.Service, user string) map[string]takenMessage {
	t.Helper()
	db := h.OpenDatabaseCopy()
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), listTakenMessages, user)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := map[string]takenMessage{}
	for rows.Next() {
		var text string
		var m takenMessage
		if err := rows.Scan(&text, &m.files, &m.received, &m.turn, &m.began); err != nil {
			t.Fatal(err)
		}
		found[text] = m
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// mayOvertake reports whether a message may be answered before an earlier message. The earlier
// message must have files and a later turn. The files of the earlier message must have taken longer
// to arrive than a later message waits for them.
func (late takenMessage) mayOvertake(early takenMessage) bool {
	return early.files > 0 && late.turn != 0 && late.turn < early.turn &&
		late.began-early.received >= sqlite.MaxArrivalWait.Milliseconds()
}
