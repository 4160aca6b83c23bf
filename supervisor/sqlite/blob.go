package sqlite

import (
	"context"
	"time"

	"mews/protocol"
)

// Blobs says whose the bytes in the spool are. The same bytes may be several persons'.
type Blobs struct{ db *DB }

const (
	insertBlob = `INSERT INTO blob (user, sha256, size, turn, created_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (user, sha256) DO UPDATE SET created_at = excluded.created_at`
	findBlob = `SELECT size FROM blob WHERE user = ? AND sha256 = ?`
	sumBlobs = `SELECT coalesce(sum(size), 0) FROM blob WHERE user = ? AND created_at >= ?`
)

// Put keeps that a person's turn has put a blob into the spool. One that the person has
// already counts as put now.
func (s Blobs) Put(ctx context.Context, user string, ref protocol.BlobRef, turn int64) error {
	err := s.db.writer.do(ctx, func(t *tx) error {
		return t.exec(insertBlob, user, ref.SHA256, ref.Size, turn, t.now)
	})
	return during(err, "keep that blob %s is of %s", ref.SHA256, user)
}

// Owns says whether a blob is among a person's, and its size in bytes.
func (s Blobs) Owns(ctx context.Context, user, sha256 string) (size int64, ok bool, err error) {
	rows, err := s.db.readers.QueryContext(ctx, findBlob, user, sha256)
	size, ok, err = one(rows, err, scanInt)
	return size, ok, during(err, "find blob %s of %s", sha256, user)
}

// Kept is how many bytes the blobs have together that a person put since a time.
func (s Blobs) Kept(ctx context.Context, user string, since time.Time) (bytes int64, err error) {
	rows, err := s.db.readers.QueryContext(ctx, sumBlobs, user, since.UnixMilli())
	bytes, _, err = one(rows, err, scanInt)
	return bytes, during(err, "add up the blobs of %s", user)
}
