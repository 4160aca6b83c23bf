package sqlite

import (
	"context"
	"time"

	"mews/protocol"
	"mews/supervisor/internal/engine"
)

// Blobs records which users own which bytes in the spool. Several users may own the same bytes.
type Blobs struct{ db *DB }

const (
	insertBlob = `INSERT INTO blob (user, sha256, size, turn, created_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (user, sha256) DO UPDATE SET created_at = excluded.created_at, forgotten = 0`
	findBlob = `SELECT size FROM blob WHERE user = ?1 AND sha256 = ?2 AND forgotten = 0
		UNION ALL SELECT size FROM external_blob WHERE user = ?1 AND sha256 = ?2
		UNION ALL SELECT size FROM calendar_copy WHERE user = ?1 AND sha256 = ?2 LIMIT 1`
	listNeededBlobs = `SELECT f.value ->> 'sha256' FROM outbox o, json_each(nullif(o.files, '')) f WHERE o.delivered_at IS NULL
		UNION SELECT f.value ->> 'sha256' FROM outbox o, json_each(nullif(o.files, '')) f
		WHERE o.outcome IN ('unknown', 'failed') AND o.created_at >= ?
		UNION SELECT a.sha256 FROM inbox i CROSS JOIN attachment a ON a.inbound = i.id WHERE i.state = 'arriving' AND a.sha256 IS NOT NULL
		UNION SELECT sha256 FROM external_blob
		UNION SELECT sha256 FROM calendar_copy WHERE sha256 > ''`
	sumBlobs = `SELECT (SELECT coalesce(sum(size), 0) FROM blob WHERE user = ?1 AND created_at >= ?2 AND turn IS NOT NULL AND before = 0)
		+ (SELECT coalesce(sum(size), 0) FROM external_blob WHERE user = ?1)
		+ (SELECT coalesce(sum(octet_length(answer)), 0) FROM external_call WHERE user = ?1)
		+ (SELECT coalesce(sum(size), 0) FROM calendar_copy WHERE user = ?1)`
	insertBefore = `INSERT INTO blob (user, sha256, size, turn, before, created_at) VALUES (?, ?, ?, ?, 1, ?)
		ON CONFLICT (user, sha256) DO UPDATE SET created_at = excluded.created_at, forgotten = 0`
	sumBefore = `SELECT coalesce(sum(size) FILTER (WHERE turn = ?), 0), coalesce(sum(size), 0) FROM blob
		WHERE user = ? AND created_at >= ? AND before = 1`
)

// AddOwner records that a user owns a blob that a turn stored in the spool. Turn 0 means that no
// turn stored the blob. If the user owns the blob already, its time becomes now.
func (s Blobs) AddOwner(ctx context.Context, user string, ref protocol.BlobRef, turn int64) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(insertBlob, user, ref.SHA256, ref.Size, orNull(turn), t.Now) }, "record that blob %s belongs to %s", ref.SHA256, user)
}

// IsOwner reports whether a user owns a blob, and the blob's size in bytes.
func (s Blobs) IsOwner(ctx context.Context, user, sha256 string) (size int64, ok bool, err error) {
	return engine.FirstRow(s.db.reader(ctx, "find blob %s of %s", sha256, user), engine.ScanInteger, findBlob, user,
		sha256)
}

// SumTurnBytes returns the total bytes that a user's turns put into the spool since a time. The
// answers of running calls to other servers count too, and so do copies of subscribed calendars.
func (s Blobs) SumTurnBytes(ctx context.Context, user string, since time.Time) (bytes int64, err error) {
	return engine.FirstValue(s.db.reader(ctx, "sum the blobs of %s", user), engine.ScanInteger, sumBlobs, user,
		since.UnixMilli())
}

// PutFileBackup records that a turn stored a file's old bytes before a change. Turn 0 means an
// undo.
func (s Blobs) PutFileBackup(ctx context.Context, user string, ref protocol.BlobRef, turn int64) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(insertBefore, user, ref.SHA256, ref.Size, orNull(turn), t.Now) }, "record that blob %s belongs to %s", ref.SHA256, user)
}

// SumFileBackups returns the total size of old files since a time, of a turn and its user.
func (s Blobs) SumFileBackups(ctx context.Context, user string, turn int64, since time.Time) (ofTurn, ofUser int64,
	err error) {
	sums, err := engine.FirstValue(s.db.reader(ctx, "sum the old file contents of %s", user),
		func(r *engine.Row) (n [2]int64) {
			r.Scan(&n[0], &n[1])
			return n
		}, sumBefore, turn, user, since.UnixMilli())
	return sums[0], sums[1], err
}

// ListNeeded returns the SHA-256 of blobs that stay in the spool, however old they are. Arriving
// inbounds, unsent deliveries and kept answers of other servers need them. Deliveries that may be
// sent again count as unsent.
func (s Blobs) ListNeeded(ctx context.Context) (map[string]bool, error) {
	list, err := engine.AllRows(s.db.reader(ctx, "list blobs of unsent deliveries"), engine.ScanString, listNeededBlobs,
		s.db.engine.Now().Add(-maxResendAge))
	sent := map[string]bool{}
	for _, sha := range list {
		sent[sha] = true
	}
	return sent, err
}
