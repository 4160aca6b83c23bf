package sqlite

import (
	"context"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/problem"
)

// SecondFactors stores users' second factors, and the codes tried on them. The callers encrypt the
// secrets.
type SecondFactors struct{ db *DB }

// findFactor reads a factor and its recovery codes in one statement, so that they belong together.
const findFactor = `SELECT user, secret, confirmed_at IS NOT NULL, last_step, failures, lockouts, locked_until,
	(SELECT coalesce(group_concat(digest, ' ' ORDER BY digest), '') FROM recovery r WHERE r.user = totp.user AND used_at IS NULL)
	FROM totp WHERE user = ?`

// Find returns a user's factor, if there is one. A factor without a secret only counts tried codes
// of a user who is not enrolled.
func (s SecondFactors) Find(ctx context.Context, user string) (supervisor.SecondFactor, bool, error) {
	return engine.FirstRow(s.db.reader(ctx, "find the second factor of %s", user), scanFactor, findFactor, user)
}

const listFactors = `SELECT user, confirmed_at IS NOT NULL, locked_until FROM totp WHERE length(secret) > 0 ORDER BY user`

// List lists the enrolled factors by user, with Confirmed and LockedUntil. Other fields are empty.
func (s SecondFactors) List(ctx context.Context) ([]supervisor.SecondFactor, error) {
	return engine.AllRows(s.db.reader(ctx, "list the second factors"),
		func(row *engine.Row) (f supervisor.SecondFactor) {
			row.Scan(&f.User, &f.Confirmed, &f.LockedUntil)
			return f
		}, listFactors)
}

const (
	// enrolFactor keeps the count of wrong codes, so that a new enrolment does not end a lockout.
	enrolFactor = `INSERT INTO totp (user, secret, changed_at) VALUES (?, ?, ?)
		ON CONFLICT (user) DO UPDATE SET secret = excluded.secret, last_step = 0, changed_at = excluded.changed_at
		WHERE confirmed_at IS NULL`
	forgetRecovery = `DELETE FROM recovery WHERE user = ?`
	insertRecovery = `INSERT INTO recovery (user, digest) VALUES (?, ?)`
)

// Put enrols a user with a sealed secret and the digests of recovery codes. The new factor is not
// confirmed yet. It replaces an unconfirmed factor. The audit entries go into the same transaction.
// Put fails with problem.FactorExists if the user has a confirmed factor: reset that factor first.
func (s SecondFactors) Put(ctx context.Context, user string, sealed []byte, recovery []string,
	entries ...AuditEntry) error {
	return s.db.write(ctx, func(t *tx) {
		if len(sealed) == 0 {
			t.fail(invalid("a second factor of %s without a secret can't be kept", user))
		}
		if t.ExecCount(enrolFactor, user, sealed, t.Now) == 0 {
			t.fail(problem.New(problem.SecondFactorExists, nil, user))
		}
		t.Exec(forgetRecovery, user)
		for _, digest := range recovery {
			t.Exec(insertRecovery, user, digest)
		}
		t.auditRows(entries)
	}, "enrol a second factor of %s", user)
}

const (
	deleteFactor = `DELETE FROM totp WHERE user = ?`
	unlockFactor = `UPDATE totp SET failures = 0, lockouts = 0, locked_until = 0, changed_at = ? WHERE user = ?`
)

// Reset deletes a user's factor and recovery codes, and ends the user's logins. It also withdraws
// the user's permission to enrol in a chat. The result there reports whether the user had a factor.
// Inbounds that waited for a code are answered and never run. The result told lists the
// conversations of these answers. If anything was deleted, the audit entries go into the same
// transaction.
func (s SecondFactors) Reset(ctx context.Context, user string, entries ...AuditEntry) (there bool, told []int64,
	err error) {
	told, err = inTransaction(ctx, s.db, func(t *tx) []int64 {
		all := int64(0)
		for _, query := range []string{forgetRecovery, closeLogins, endEnrol, deleteFactor} {
			n := t.ExecCount(query, user)
			all, there = all+n, n > 0 // the last statement deletes the factor, so n tells whether it existed
		}
		batch := batchTx{tx: t}
		batch.answerHeld(user)
		if all+int64(len(batch.receipt.Queued)) > 0 {
			t.auditRows(entries)
		}
		return batch.receipt.Queued
	}, "reset the second factor of %s", user)
	return there && err == nil, told, err
}

// Unlock resets the counts of wrong codes and the lockout of a user's factor. It reports whether
// the factor exists. If the factor exists, the audit entries go into the same transaction.
func (s SecondFactors) Unlock(ctx context.Context, user string, entries ...AuditEntry) (bool, error) {
	n, err := s.db.auditIfChanged(ctx, entries, func(t *tx) int64 { return t.ExecCount(unlockFactor, t.Now, user) },
		"unlock the second factor of %s", user)
	return n > 0, err
}

// TryCode tries a code that did not come in an inbound. The argument detail describes for the audit
// log how the code came. TryCode opens no gate.
func (s SecondFactors) TryCode(ctx context.Context, user string, decide supervisor.LoginCodeChecker,
	detail string) (supervisor.LoginCodeResult, error) {
	return inTransaction(ctx, s.db, func(t *tx) supervisor.LoginCodeResult { return t.attempt(user, decide, detail) },
		"try a code of %s", user)
}

// attempt calls decide with a user's factor. It stores the changed factor, and adds the result to
// the audit log.
func (t *tx) attempt(user string, decide supervisor.LoginCodeChecker, detail string) supervisor.LoginCodeResult {
	was, ok := one(t, scanFactor, findFactor, user)
	if t.err != nil {
		return supervisor.LoginCodeResult{} // a code is not tried if the factor could not be read
	}
	was.User = user
	left := slices.Clone(was.Recovery) // a copy, since decide may change its argument
	is, verdict := decide(was, fromMillis(t.Now))
	if ok || len(is.Secret) > 0 || is.Failures > 0 || !is.LockedUntil.IsZero() {
		t.putFactor(user, is, left)
	}
	if is.Confirmed && !was.Confirmed {
		t.Exec(endEnrol, user)
	}
	t.audit(user, verdict.Action, detail)
	return verdict
}

const (
	putFactor = `INSERT INTO totp (user, secret, confirmed_at, last_step, failures, lockouts, locked_until, changed_at)
		VALUES (?1, ?2, iif(?3, ?8, NULL), ?4, ?5, ?6, ?7, ?8) ON CONFLICT (user) DO UPDATE SET secret = excluded.secret,
		confirmed_at = iif(?3, coalesce(confirmed_at, ?8), NULL), last_step = excluded.last_step,
		failures = excluded.failures, lockouts = excluded.lockouts, locked_until = excluded.locked_until,
		changed_at = excluded.changed_at`
	useRecovery = `UPDATE recovery SET used_at = ?3 WHERE user = ?1 AND digest = ?2`
)

// putFactor stores a factor after a tried code. The argument left has the recovery codes from
// before the try.
func (t *tx) putFactor(user string, f supervisor.SecondFactor, left []string) {
	secret := append([]byte{}, f.Secret...) // an empty secret is stored, not NULL
	t.Exec(putFactor, user, secret, f.Confirmed, f.LastPeriod, f.Failures, f.Lockouts, f.LockedUntil, t.Now)
	for _, digest := range left {
		if !slices.Contains(f.Recovery, digest) {
			t.Exec(useRecovery, user, digest, t.Now)
		}
	}
}

func scanFactor(row *engine.Row) (f supervisor.SecondFactor) {
	var recovery string
	row.Scan(&f.User, &f.Secret, &f.Confirmed, &f.LastPeriod, &f.Failures, &f.Lockouts, &f.LockedUntil, &recovery)
	if len(f.Secret) == 0 {
		f.Secret = nil
	}
	f.Recovery = strings.Fields(recovery)
	return f
}
