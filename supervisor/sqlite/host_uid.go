package sqlite

import (
	"context"
	"fmt"

	"mews/supervisor/internal/engine"
)

// HostUIDs are the user ids of the host that workers of people without an account run as.
type HostUIDs struct{ db *DB }

// HostUIDs are the user ids of the host that workers of people without an account run as.
func (db *DB) HostUIDs() HostUIDs { return HostUIDs{db} }

const (
	findHostUID   = `SELECT coalesce(max(uid), 0) FROM host_uid WHERE user = ? AND uid BETWEEN ? AND ?`
	nextHostUID   = `SELECT coalesce(max(uid) + 1, ?1) FROM host_uid WHERE uid BETWEEN ?1 AND ?2`
	insertHostUID = `INSERT INTO host_uid (uid, user, created_at) VALUES (?, ?, ?)`
	leaveHostUID  = `UPDATE host_uid SET user = NULL WHERE user = ?`
	countHostUIDs = `SELECT count(*) FROM host_uid WHERE uid BETWEEN ? AND ?`
)

// Given says whether anybody was given one between two numbers, ever.
func (s HostUIDs) Given(ctx context.Context, from, to uint32) (bool, error) {
	n, err := engine.Value(s.db.reader(ctx, "count the uids %d to %d", from, to), engine.Integer, countHostUIDs, int64(from), int64(to))
	return n > 0, err
}

// Of is a person's, between two numbers. The first time it is the next that nobody has had. One
// that is not between them, of an earlier configuration, is given up.
func (s HostUIDs) Of(ctx context.Context, user string, from, to uint32) (uint32, error) {
	uid, err := engine.Value(s.db.reader(ctx, "find the uid of %s", user), engine.Integer, findHostUID, user, int64(from), int64(to))
	if uid > 0 || err != nil {
		return uint32(uid), err
	}
	uid, err = inTransaction(ctx, s.db, func(t *tx) int64 {
		next := value(t, engine.Integer, nextHostUID, int64(from), int64(to))
		if next > int64(to) {
			t.fail(fmt.Errorf("all of %d to %d were given", from, to))
		}
		t.Exec(leaveHostUID, user)
		t.Exec(insertHostUID, next, user, t.Now)
		return next
	}, "give %s a uid", user)
	return uint32(uid), err
}
