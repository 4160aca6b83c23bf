package sqlite

import (
	"context"
	"time"

	"mews/protocol"
	"mews/supervisor/internal/engine"
)

// CalendarSubscriptions stores the calendars that users subscribe to, and their last copies.
type CalendarSubscriptions struct{ db *DB }

// CalendarSubscriptions returns the store of subscribed calendars.
func (db *DB) CalendarSubscriptions() CalendarSubscriptions { return CalendarSubscriptions{db} }

// CalendarSubscription is a calendar that a user subscribes to.
type CalendarSubscription struct {
	User, Name string
	Host       string // host in the address
	Secret     []byte // the sealed address
	Digest     string // SHA-256 of the address
	Inbound    int64  // the command that had the address
}

// CalendarCopy is the last copy of a subscribed calendar.
type CalendarCopy struct {
	User, Name string
	Digest     string // SHA-256 of the address
	// Body is the blob in the spool. An empty SHA256 means that there is none.
	Body      protocol.BlobRef
	Tag       string    // the server's ETag
	Modified  string    // the server's Last-Modified
	FetchedAt time.Time // when the server sent or confirmed the copy
	TriedAt   time.Time // when a fetch was tried last
	Failure   string    // why that fetch failed; "" means that it did not
}

const (
	listSubscriptions = `SELECT user, name, host, secret, digest, inbound FROM calendar_subscription
		WHERE user = ? ORDER BY name`
	hasSubscription    = `SELECT EXISTS (SELECT 1 FROM calendar_subscription WHERE user > '')`
	insertSubscription = `INSERT INTO calendar_subscription (user, name, host, secret, digest, inbound, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
	deleteSubscription = `DELETE FROM calendar_subscription WHERE user = ? AND name = ?`
	replaceCommandText = `UPDATE inbox SET text = ? WHERE id = ? AND user = ?`
	findCalendarCopy   = `SELECT user, name, digest, sha256, size, tag, modified, fetched_at, tried_at, failure
		FROM calendar_copy WHERE user = ? AND name = ?`
	putCalendarCopy = `INSERT INTO calendar_copy (user, name, digest, sha256, size, tag, modified, fetched_at,
			tried_at, failure) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (user, name) DO UPDATE SET digest = excluded.digest, sha256 = excluded.sha256,
			size = excluded.size, tag = excluded.tag, modified = excluded.modified, fetched_at = excluded.fetched_at,
			tried_at = excluded.tried_at, failure = excluded.failure`
	deleteCalendarCopy = `DELETE FROM calendar_copy WHERE user = ? AND name = ?`
)

// List lists the subscriptions of a user by name.
func (s CalendarSubscriptions) List(ctx context.Context, user string) ([]CalendarSubscription, error) {
	return engine.AllRows(s.db.reader(ctx, "list the calendars of %s", user), scanSubscription, listSubscriptions, user)
}

func scanSubscription(r *engine.Row) (c CalendarSubscription) {
	r.Scan(&c.User, &c.Name, &c.Host, &c.Secret, &c.Digest, &c.Inbound)
	return c
}

// Any reports whether any user subscribes to a calendar.
func (s CalendarSubscriptions) Any(ctx context.Context) (bool, error) {
	return engine.FirstValue(s.db.reader(ctx, "find subscribed calendars"), engine.ScanBool, hasSubscription)
}

// Put stores a subscription, and replaces its command's text, which has the sealed address. It
// returns false if the user has a subscription of that name.
func (s CalendarSubscriptions) Put(ctx context.Context, c CalendarSubscription, text string) (fresh bool, err error) {
	return inTransaction(ctx, s.db, func(t *tx) bool {
		if t.ExecCount(insertSubscription, c.User, c.Name, c.Host, c.Secret, c.Digest, c.Inbound, t.Now) == 0 {
			return false
		}
		t.Exec(replaceCommandText, text, c.Inbound, c.User)
		return true
	}, "keep the calendar %s of %s", c.Name, c.User)
}

// Delete deletes a subscription and its copy. It returns false if there is no such subscription.
func (s CalendarSubscriptions) Delete(ctx context.Context, user, name string) (there bool, err error) {
	return inTransaction(ctx, s.db, func(t *tx) bool {
		if t.ExecCount(deleteSubscription, user, name) == 0 {
			return false
		}
		old, _ := one(t, scanCalendarCopy, findCalendarCopy, user, name)
		t.Exec(deleteCalendarCopy, user, name)
		t.forgetCopy(old)
		t.ScrubJournal()
		return true
	}, "delete the calendar %s of %s", name, user)
}

// FindCopy returns the last copy of a calendar.
func (s CalendarSubscriptions) FindCopy(ctx context.Context, user, name string) (c CalendarCopy, ok bool, err error) {
	return engine.FirstRow(s.db.reader(ctx, "find the copy of the calendar %s of %s", name, user), scanCalendarCopy,
		findCalendarCopy, user, name)
}

// KeepCopy replaces the last copy of a calendar. The blob is in the spool.
func (s CalendarSubscriptions) KeepCopy(ctx context.Context, c CalendarCopy) error {
	return s.db.write(ctx, func(t *tx) {
		old, _ := one(t, scanCalendarCopy, findCalendarCopy, c.User, c.Name)
		t.Exec(putCalendarCopy, c.User, c.Name, c.Digest, c.Body.SHA256, c.Body.Size, c.Tag, c.Modified,
			millisOrZero(c.FetchedAt), millisOrZero(c.TriedAt), c.Failure)
		if old.Body.SHA256 != c.Body.SHA256 {
			t.forgetCopy(old)
		}
	}, "keep the copy of the calendar %s of %s", c.Name, c.User)
}

// forgetCopy marks the blob of a copy that was replaced or deleted.
func (t *tx) forgetCopy(old CalendarCopy) {
	if old.Body.SHA256 != "" {
		t.Exec(forgetExternalBlob, old.User, old.Body.SHA256, old.Body.Size, t.Now)
	}
}

func scanCalendarCopy(r *engine.Row) (c CalendarCopy) {
	var fetched, tried int64
	r.Scan(&c.User, &c.Name, &c.Digest, &c.Body.SHA256, &c.Body.Size, &c.Tag, &c.Modified, &fetched, &tried,
		&c.Failure)
	if fetched != 0 {
		c.FetchedAt = time.UnixMilli(fetched)
	}
	c.TriedAt = time.UnixMilli(tried)
	return c
}
