package sqlite

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/problem"
)

// Invites are one-time codes that bind an account to a person. Only their digests are kept.
type Invites struct{ db *DB }

// Invite is one that was made for a person.
type Invite struct {
	Digest    string // SHA-256 of the code, in hexadecimal
	User      string
	CreatedAt time.Time // not read by Put
	ExpiresAt time.Time
	Enrol     bool // it also lets its person enrol a second factor in the chat
}

const (
	insertInvite = `INSERT INTO invite (digest, user, created_at, expires_at, enrol) VALUES (?, ?, ?, ?, ?)`
	listInvites  = `SELECT digest, user, created_at, expires_at, enrol FROM invite
		WHERE used_at IS NULL AND expires_at > ? ORDER BY user, created_at, digest`
	revokeInvites = `DELETE FROM invite WHERE user = ? AND used_at IS NULL`
)

// Put keeps an invite, and with it the entries in the audit log.
func (s Invites) Put(ctx context.Context, i Invite, entries ...AuditRow) error {
	return s.db.write(ctx, func(t *tx) {
		t.auditAll(entries)
		t.Exec(insertInvite, i.Digest, i.User, t.Now, i.ExpiresAt, i.Enrol)
	}, "keep an invite for %s", i.User)
}

// List lists the invites that can be used now, by person.
func (s Invites) List(ctx context.Context) ([]Invite, error) {
	return engine.All(s.db.reader(ctx, "list the open invites"), scanInvite, listInvites, s.db.engine.Now())
}

// Revoke deletes a person's invites that nobody has used, and says how many there were. If there
// were any, the entries are put into the audit log in the same transaction.
func (s Invites) Revoke(ctx context.Context, user string, entries ...AuditRow) (int64, error) {
	return s.db.changing(ctx, entries, func(t *tx) int64 { return t.Change(revokeInvites, user) },
		"revoke the invites of %s", user)
}

// One that was made just as its person was suspended is not good either.
const useInvite = `UPDATE invite SET used_at = ?1 WHERE digest = ?2 AND used_at IS NULL AND expires_at > ?1
	AND NOT EXISTS (SELECT 1 FROM suspended s WHERE s.user = invite.user)
	RETURNING digest, user, created_at, expires_at, enrol`

// Redeem uses an invite, once: it binds an account of a channel to the invite's person, and says so
// in the audit log. owner is whose the account is by what is not in this database; "" is nobody's.
// ProblemInviteUseless says that there is no such invite, that it was used, that its time is over,
// or that its person may not speak. ProblemAccountTaken says that the account is another person's;
// that does not use up the invite.
func (s Invites) Redeem(ctx context.Context, digest string, channel supervisor.Channel, account, owner string) (Invite, error) {
	return inTransaction(ctx, s.db, func(t *tx) Invite {
		i, ok := one(t, scanInvite, useInvite, t.Now, digest)
		if !ok {
			t.fail(problem.New(problem.InviteUseless, nil))
		}
		if owner != "" && owner != i.User {
			t.fail(problem.New(problem.AccountTaken, nil))
		}
		t.bind(Binding{Channel: channel, Account: account, User: i.User})
		t.audit(i.User, "invite.redeemed", "by account "+account+" of "+string(channel))
		return i
	}, "redeem an invite for account %s of %s", account, channel)
}

// enrolling is how long after its redemption an invite lets its person make a second factor.
const enrolling = 24 * time.Hour

const mayEnrol = `SELECT count(*) FROM invite WHERE user = ?1 AND enrol = 1 AND used_at > ?2
	AND NOT EXISTS (SELECT 1 FROM totp WHERE user = ?1 AND confirmed_at IS NOT NULL)`

// endEnrol ends that a person may make a second factor in a chat, by whatever invite.
const endEnrol = `UPDATE invite SET enrol = 0 WHERE user = ? AND enrol = 1`

// MayEnrol says whether a person may make a second factor in a chat: an invite of theirs said so
// and was redeemed in the last 24 hours, and they have none that is confirmed.
func (s Invites) MayEnrol(ctx context.Context, user string) (bool, error) {
	return engine.Value(s.db.reader(ctx, "find whether %s may enrol", user), engine.Bool, mayEnrol, user,
		s.db.engine.Now().Add(-enrolling))
}

func scanInvite(row *engine.Row) (i Invite) {
	row.Scan(&i.Digest, &i.User, &i.CreatedAt, &i.ExpiresAt, &i.Enrol)
	return i
}
