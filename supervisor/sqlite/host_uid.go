package sqlite

import (
	"context"
	"fmt"

	"mews/supervisor/internal/engine"
)

// HostUIDs assigns host user ids to the workers of users who have no Unix account.
type HostUIDs struct{ db *DB }

// HostUIDs returns the store of the workers' host user ids.
func (db *DB) HostUIDs() HostUIDs { return HostUIDs{db} }

const (
	findHostUID   = `SELECT coalesce(max(uid), 0) FROM host_uid WHERE user = ? AND uid BETWEEN ? AND ?`
	nextHostUID   = `SELECT coalesce(max(uid) + 1, ?1) FROM host_uid WHERE uid BETWEEN ?1 AND ?2`
	insertHostUID = `INSERT INTO host_uid (uid, user, created_at) VALUES (?, ?, ?)`
	retireHostUID = `UPDATE host_uid SET user = NULL WHERE user = ?`
	countHostUIDs = `SELECT count(*) FROM host_uid WHERE uid BETWEEN ? AND ?`
)

// WasAnyAssigned reports whether any host user id between two numbers was ever assigned.
func (s HostUIDs) WasAnyAssigned(ctx context.Context, from, to uint32) (bool, error) {
	n, err := engine.FirstValue(s.db.reader(ctx, "check for assigned uids from %d to %d", from, to), engine.ScanInteger,
		countHostUIDs, int64(from), int64(to))
	return n > 0, err
}

// Assign returns a user's host user id between two numbers. The first call for a user assigns the
// next unused id. An id outside the two numbers comes from an earlier configuration and is
// replaced.
func (s HostUIDs) Assign(ctx context.Context, user string, from, to uint32) (uint32, error) {
	uid, err := engine.FirstValue(s.db.reader(ctx, "find the uid of %s", user), engine.ScanInteger, findHostUID, user,
		int64(from), int64(to))
	if uid > 0 || err != nil {
		return uint32(uid), err
	}
	uid, err = inTransaction(ctx, s.db, func(t *tx) int64 {
		next := value(t, engine.ScanInteger, nextHostUID, int64(from), int64(to))
		if next > int64(to) {
			t.fail(fmt.Errorf("all of %d to %d were given", from, to))
		}
		t.Exec(retireHostUID, user)
		t.Exec(insertHostUID, next, user, t.Now)
		return next
	}, "assign a uid to %s", user)
	return uint32(uid), err
}
