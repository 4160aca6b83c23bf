package sqlite

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/problem"
)

// Invites stores one-time codes that bind an account to a user. Only the digests of codes are
// stored.
type Invites struct{ db *DB }

// Invite is a one-time code that binds an account to a user.
type Invite struct {
	Digest    string // SHA-256 of the code, in hexadecimal
	User      string
	CreatedAt time.Time // time of creation; set when the invite is stored
	ExpiresAt time.Time
	Enrol     bool // the invite also allows its user to enrol a second factor in the chat
}

const (
	insertInvite = `INSERT INTO invite (digest, user, created_at, expires_at, enrol) VALUES (?, ?, ?, ?, ?)`
	listInvites  = `SELECT digest, user, created_at, expires_at, enrol FROM invite
		WHERE used_at IS NULL AND expires_at > ? ORDER BY user, created_at, digest`
	revokeInvites = `DELETE FROM invite WHERE user = ? AND used_at IS NULL`
)

// Put stores an invite, together with audit entries.
func (s Invites) Put(ctx context.Context, i Invite, entries ...AuditEntry) error {
	return s.db.write(ctx, func(t *tx) {
		t.auditRows(entries)
		t.Exec(insertInvite, i.Digest, i.User, t.Now, i.ExpiresAt, i.Enrol)
	}, "store an invite for %s", i.User)
}

// List lists the usable invites, by user.
func (s Invites) List(ctx context.Context) ([]Invite, error) {
	return engine.AllRows(s.db.reader(ctx, "list usable invites"), scanInvite, listInvites, s.db.engine.Now())
}

// Revoke deletes a user's unused invites and returns their number. If the number is not 0, Revoke
// adds the audit entries in the same transaction.
func (s Invites) Revoke(ctx context.Context, user string, entries ...AuditEntry) (int64, error) {
	return s.db.auditIfChanged(ctx, entries, func(t *tx) int64 { return t.ExecCount(revokeInvites, user) },
		"revoke the invites of %s", user)
}

// useInvite refuses the invite of a suspended user, even if the invite was made during the
// suspension.
const useInvite = `UPDATE invite SET used_at = ?1 WHERE digest = ?2 AND used_at IS NULL AND expires_at > ?1
	AND NOT EXISTS (SELECT 1 FROM suspended s WHERE s.user = invite.user)
	RETURNING digest, user, created_at, expires_at, enrol`

// Redeem uses an invite: it binds a channel account to the invite's user. It also adds an entry to
// the audit log. The argument owner is the user who owns the account by the configuration, or "".
// Redeem fails with problem.InviteUseless if the invite is missing, used or expired, or if its user
// may not speak. It fails with problem.AccountTaken if another user owns the account; the invite
// can still be used afterwards.
func (s Invites) Redeem(ctx context.Context, digest string, channel supervisor.Channel, account, owner string) (Invite, error) {
	return inTransaction(ctx, s.db, func(t *tx) Invite {
		i, ok := one(t, scanInvite, useInvite, t.Now, digest)
		if !ok {
			t.fail(problem.New(problem.InviteInvalid, nil))
		}
		if owner != "" && owner != i.User {
			t.fail(problem.New(problem.AccountOfOtherUser, nil))
		}
		t.bind(AccountBinding{Channel: channel, Account: account, User: i.User})
		t.audit(i.User, "invite.redeemed", "by account "+account+" of "+string(channel))
		return i
	}, "redeem an invite for account %s of %s", account, channel)
}

// enrolPeriod is how long a used invite allows its user to enrol a second factor.
const enrolPeriod = 24 * time.Hour

const mayEnrol = `SELECT count(*) FROM invite WHERE user = ?1 AND enrol = 1 AND used_at > ?2
	AND NOT EXISTS (SELECT 1 FROM totp WHERE user = ?1 AND confirmed_at IS NOT NULL)`

// endEnrol withdraws the permission of all invites to enrol a second factor in a chat.
const endEnrol = `UPDATE invite SET enrol = 0 WHERE user = ? AND enrol = 1`

// MayEnrolFactor reports whether a user may enrol a second factor in a chat. An invite of the last
// 24 hours must allow it, and the user must have no confirmed factor.
func (s Invites) MayEnrolFactor(ctx context.Context, user string) (bool, error) {
	return engine.FirstValue(s.db.reader(ctx, "check whether %s may enrol", user), engine.ScanBool, mayEnrol, user,
		s.db.engine.Now().Add(-enrolPeriod))
}

func scanInvite(row *engine.Row) (i Invite) {
	row.Scan(&i.Digest, &i.User, &i.CreatedAt, &i.ExpiresAt, &i.Enrol)
	return i
}
