package sqlite

import (
	"context"
	"encoding/json"
	"time"

	"mews/protocol"
	"mews/supervisor/internal/engine"
	"mews/supervisor/internal/quotes"
)

// WebAddresses stores which addresses of the web users, pages and searches have named.
type WebAddresses struct{ db *DB }

// WebAddresses returns the store of named addresses.
func (db *DB) WebAddresses() WebAddresses { return WebAddresses{db} }

// WebAddressSource says what has named an address.
type WebAddressSource string

const (
	WebAddressFromPage   WebAddressSource = "page"
	WebAddressFromSearch WebAddressSource = "search"
)

// webAddressRetention is how long a named address is stored. Words of others leave a window sooner,
// at the end of their day.
const webAddressRetention = 48 * time.Hour

const (
	insertWebAddress = `INSERT INTO web_address (turn, digest, source, user, created_at)
		SELECT ?1, d.value, ?2, ?3, ?4 FROM json_each(?5) d WHERE true ON CONFLICT DO NOTHING`
	deleteOldWebAddress = `DELETE FROM web_address WHERE created_at < ?`
	deleteOldWebFetch   = `DELETE FROM web_fetch WHERE created_at < ?`
	// listWordsOfUser selects the messages of a user that the model of a turn sees whole.
	listWordsOfUser = `SELECT m.parts, m.source = 'world', coalesce(m.own_part, -1) FROM turn t
		JOIN conversation c ON c.id = t.conversation JOIN message m ON m.conversation = c.id AND ` + isSeen + `
		WHERE t.id = ?1 AND m.role = 'user' AND m.user = t.user ORDER BY m.id DESC LIMIT 500`
	// listWebSources selects what has named an address in messages that the model of a turn sees.
	listWebSources = `SELECT DISTINCT a.source FROM turn t JOIN conversation c ON c.id = t.conversation
		JOIN web_address a ON a.digest = ?2 JOIN turn n ON n.id = a.turn AND n.conversation = c.id
		WHERE t.id = ?1 AND (a.turn = t.id
			OR EXISTS (SELECT 1 FROM message m WHERE m.turn = a.turn AND m.conversation = c.id AND ` + isSeen + `))`
	insertWebFetch = `INSERT INTO web_fetch (turn, call, domain, user, created_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`
	countWebFetch = `SELECT count(*) FROM web_fetch WHERE turn = ? AND domain = ? AND call <> ?`
)

// PutWebAddresses stores that a page or a search has named addresses. They are known by their
// digests.
func (s WebAddresses) PutWebAddresses(ctx context.Context, turn int64, source WebAddressSource,
	digests []string) error {
	if len(digests) == 0 {
		return nil
	}
	_, err := inTurn(ctx, s.db, turn, func(t turnTx) (none struct{}) {
		t.Exec(insertWebAddress, turn, string(source), t.turn.Conversation.User, t.Now, encodedList(digests))
		return none
	}, "store the addresses that a %s has named in turn %d", source, turn)
	return err
}

// Prune deletes old rows of all users.
func (s WebAddresses) Prune(ctx context.Context) error {
	return s.db.write(ctx, func(t *tx) {
		t.Exec(deleteOldWebAddress, t.Now-webAddressRetention.Milliseconds())
		t.Exec(deleteOldWebFetch, t.Now-webAddressRetention.Milliseconds())
	}, "delete old addresses of the web")
}

// ListWebSources returns what has named an address, which is known by its digest. It looks at the
// messages that the model of a turn sees.
func (s WebAddresses) ListWebSources(ctx context.Context, turn int64, digest string) ([]WebAddressSource, error) {
	return engine.AllRows(s.db.reader(ctx, "find what has named an address in turn %d", turn),
		func(r *engine.Row) WebAddressSource { return WebAddressSource(engine.ScanString(r)) },
		listWebSources, turn, digest)
}

// ListOwnWords returns the words of the user that the model of a turn sees, newest first. They have
// no quotes, and no words of others.
func (s WebAddresses) ListOwnWords(ctx context.Context, turn int64) (words []string, err error) {
	_, err = engine.AllRows(s.db.reader(ctx, "list the own words of turn %d", turn),
		func(r *engine.Row) (none struct{}) {
			var raw string
			var world bool
			var own int
			r.Scan(&raw, &world, &own)
			var parts []protocol.ContentPart
			if json.Unmarshal([]byte(raw), &parts) != nil {
				return none // a message that can't be decoded counts as empty
			}
			for i, p := range parts {
				if !world || i == own {
					words = append(words, quotes.RemoveQuotes(p.Text))
				}
			}
			return none
		}, listWordsOfUser, turn)
	return words, err
}

// CountWebFetch counts a turn's fetches of a domain's links. It counts the given call too, and each
// call once. Links are addresses that only pages have named.
func (s WebAddresses) CountWebFetch(ctx context.Context, turn int64, call, domain string) (calls int64, err error) {
	return inTurn(ctx, s.db, turn, func(t turnTx) int64 {
		t.Exec(insertWebFetch, turn, call, domain, t.turn.Conversation.User, t.Now)
		return 1 + value(t, engine.ScanInteger, countWebFetch, turn, domain, call)
	}, "count the fetches of turn %d", turn)
}
