package sqlite

import (
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	setUnread  = `UPDATE inbox SET unread = 1 WHERE id = ?`
	takeUnread = `UPDATE inbox SET unread = 0 WHERE conversation = ? AND unread = 1 RETURNING text`
	addToText  = `UPDATE inbox SET text = text || ? WHERE id = ?`
)

// markUnread records that an inbound could not be read.
func (t *batchTx) markUnread(in supervisor.Inbound, unread bool) {
	if unread {
		t.Exec(setUnread, in.ID)
	}
}

// mentionUnread adds a note about earlier unreadable messages to a text, once. The user may speak
// of those messages.
func (t *batchTx) mentionUnread(in supervisor.Inbound) supervisor.Inbound {
	unread := all(t, engine.ScanString, takeUnread, in.Conversation.ID)
	if len(unread) == 0 {
		return in
	}
	note := t.policies.Edits.UnreadNote(unread)
	in.Text += note
	t.Exec(addToText, note, in.ID)
	return in
}
