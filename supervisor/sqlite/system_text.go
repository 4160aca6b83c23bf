package sqlite

import (
	"context"
	"time"

	"mews/supervisor/internal/engine"
)

// SystemTexts stores the system text of each conversation's requests. A text stays the same while
// the provider has the text in its cache. So a changed prompt file does not make the next request
// expensive.
type SystemTexts struct{ db *DB }

// SystemTexts returns the store of system texts.
func (db *DB) SystemTexts() SystemTexts { return SystemTexts{db} }

// SystemText is the stored system text of a conversation. The zero value means none.
type SystemText struct {
	Text  string
	Stale int64 // if above 0, neither this text nor an earlier one may be used
	Moved bool  // the conversation's window has moved since the text was made
	Used  time.Time
}

const findSystemText = `SELECT s.text, s.stale, s.window_from <> c.window_from, max(s.renewed_at, coalesce(
		(SELECT created_at FROM message WHERE conversation = ?1 AND role = 'assistant' ORDER BY id DESC LIMIT 1), 0))
	FROM system_text s JOIN conversation c ON c.id = s.conversation WHERE s.conversation = ?1`

// Find returns a conversation's system text, with the time of its last use.
func (s SystemTexts) Find(ctx context.Context, conversation int64) (SystemText, error) {
	text, _, err := engine.FirstRow(s.db.reader(ctx, "find the system text of conversation %d", conversation),
		func(r *engine.Row) (t SystemText) {
			r.Scan(&t.Text, &t.Stale, &t.Moved, &t.Used)
			return t
		}, findSystemText, conversation)
	return text, err
}

// putSystemText keeps a text stale if it became stale while the new text was made.
const putSystemText = `INSERT INTO system_text (conversation, user, text, window_from, renewed_at)
	SELECT id, user, ?2, window_from, ?4 FROM conversation WHERE id = ?1
	ON CONFLICT (conversation) DO UPDATE SET text = iif(stale > ?3, '', excluded.text), window_from = excluded.window_from,
		stale = stale - ?3, renewed_at = excluded.renewed_at`

// Put stores a conversation's system text. The argument stale is the Stale that Find returned
// before the new text was made.
func (s SystemTexts) Put(ctx context.Context, conversation int64, text string, stale int64) error {
	return s.db.write(ctx, func(t *tx) {
		t.Exec(putSystemText, conversation, text, stale, t.Now)
	}, "store the system text of conversation %d", conversation)
}

// MarkStale marks the system texts of a user's conversations as stale. Their next requests use new
// texts.
func (s SystemTexts) MarkStale(ctx context.Context, user string) error {
	return s.db.write(ctx, func(t *tx) { t.renewSystemText(user) }, "renew the system texts of %s", user)
}

const renewSystemText = `UPDATE system_text SET text = '', stale = stale + 1 WHERE user = ?`

// renewSystemText marks the system texts of a user's conversations as stale. Their next requests
// use new texts. Call it after a change that must count at once.
func (t *tx) renewSystemText(user string) { t.Exec(renewSystemText, user) }
