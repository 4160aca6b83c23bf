package sqlite

import (
	"context"

	"mews/protocol"
)

// Blobs says whose the bytes in the spool are. The same bytes may be several persons'.
type Blobs struct{ db *DB }

const (
	insertBlob = `INSERT INTO blob (user, sha256, size, turn, created_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (user, sha256) DO NOTHING`
	findBlob = `SELECT size FROM blob WHERE user = ? AND sha256 = ?`
)

// Put keeps that a person's turn has put a blob into the spool. A blob that the person has already changes nothing.
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
