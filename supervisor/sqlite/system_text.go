package sqlite

import (
	"context"
	"time"

	"mews/supervisor/internal/engine"
)

// SystemTexts are the system texts that the requests of conversations begin with. One stays as it
// is while a provider has it in its cache, so that a change of what it was made of costs nothing.
type SystemTexts struct{ db *DB }

// SystemTexts are what requests begin with.
func (db *DB) SystemTexts() SystemTexts { return SystemTexts{db} }

// SystemText is what is kept of a conversation's. The zero value is of one that has none.
type SystemText struct {
	Text  string
	Stale int64 // above 0: it must not be used, nor may one be that was put together before
	Moved bool  // the conversation's window has moved since
	Used  time.Time
}

const findSystemText = `SELECT s.text, s.stale, s.window_from <> c.window_from, max(s.renewed_at, coalesce(
		(SELECT created_at FROM message WHERE conversation = ?1 AND role = 'assistant' ORDER BY id DESC LIMIT 1), 0))
	FROM system_text s JOIN conversation c ON c.id = s.conversation WHERE s.conversation = ?1`

// Find is a conversation's system text. It was used at the newest answer, if not later.
func (s SystemTexts) Find(ctx context.Context, conversation int64) (SystemText, error) {
	text, _, err := engine.One(s.db.reader(ctx, "find the system text of conversation %d", conversation), func(r *engine.Row) (t SystemText) {
		r.Scan(&t.Text, &t.Stale, &t.Moved, &t.Used)
		return t
	}, findSystemText, conversation)
	return text, err
}

// What was said of it meanwhile still holds.
const putSystemText = `INSERT INTO system_text (conversation, user, text, window_from, renewed_at)
	SELECT id, user, ?2, window_from, ?4 FROM conversation WHERE id = ?1
	ON CONFLICT (conversation) DO UPDATE SET text = iif(stale > ?3, '', excluded.text), window_from = excluded.window_from,
		stale = stale - ?3, renewed_at = excluded.renewed_at`

// Put keeps a conversation's system text. stale is what Find had said before it was put together.
func (s SystemTexts) Put(ctx context.Context, conversation int64, text string, stale int64) error {
	return s.db.write(ctx, func(t *tx) {
		t.Exec(putSystemText, conversation, text, stale, t.Now)
	}, "keep the system text of conversation %d", conversation)
}

// Renew has the next request of each of a person's conversations begin with a text that is put
// together after this.
func (s SystemTexts) Renew(ctx context.Context, user string) error {
	return s.db.write(ctx, func(t *tx) { t.renewSystemText(user) }, "renew the system texts of %s", user)
}

const renewSystemText = `UPDATE system_text SET text = '', stale = stale + 1 WHERE user = ?`

// renewSystemText has no request begin any more with what a person's system texts are now: the next
// one of each conversation begins with one that is put together after this. It is for whatever has
// changed what must count at once.
func (t *tx) renewSystemText(user string) { t.Exec(renewSystemText, user) }
