package sqlite

import (
	"context"
	"fmt"
	"slices"

	"mews/supervisor/internal/engine"
)

// HostUIDs assigns host user ids to the workers of users who have no Unix account.
type HostUIDs struct{ db *DB }

// HostUIDs returns the store of the workers' host user ids.
func (db *DB) HostUIDs() HostUIDs { return HostUIDs{db} }

const (
	findHostUID   = `SELECT coalesce(max(uid), 0) FROM host_uid WHERE user = ? AND uid BETWEEN ? AND ?`
	listHostUIDs  = `SELECT uid FROM host_uid WHERE uid BETWEEN ? AND ?`
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

// Find returns a user's host user id between two numbers, or 0.
func (s HostUIDs) Find(ctx context.Context, user string, from, to uint32) (uint32, error) {
	uid, err := engine.FirstValue(s.db.reader(ctx, "find the uid of %s", user), engine.ScanInteger, findHostUID, user,
		int64(from), int64(to))
	return uint32(uid), err
}

// Assign gives a user without an id an id between two numbers, and returns it. It assigns the id
// wanted if no user ever had that id. Otherwise it assigns the first unused id that is not in
// taken. An id outside the two numbers comes from an earlier configuration and is replaced.
func (s HostUIDs) Assign(ctx context.Context, user string, from, to, wanted uint32, taken []uint32) (uint32, error) {
	uid, err := inTransaction(ctx, s.db, func(t *tx) uint32 {
		if uid := value(t, engine.ScanInteger, findHostUID, user, int64(from), int64(to)); uid > 0 {
			return uint32(uid) // another call has given the user an id meanwhile
		}
		used := map[uint32]bool{}
		for _, uid := range all(t, engine.ScanInteger, listHostUIDs, int64(from), int64(to)) {
			used[uint32(uid)] = true
		}
		uid := wanted
		if uid < from || uid > to || used[uid] {
			for uid = from; uid <= to && (used[uid] || slices.Contains(taken, uid)); uid++ {
			}
		}
		if uid > to {
			t.fail(fmt.Errorf("all of %d to %d were given, or own a user's folder", from, to))
		}
		t.Exec(retireHostUID, user)
		t.Exec(insertHostUID, int64(uid), user, t.Now)
		return uid
	}, "assign a uid to %s", user)
	return uid, err
}
