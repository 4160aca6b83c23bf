package sqlite

import (
	"context"
	"errors"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/problem"
)

// UserAccessStores has the stores of users, accounts, groups, invites, factors and logins.
type UserAccessStores struct {
	People   Users
	Bindings AccountBindings
	Groups   AllowedGroups
	Invites  Invites
	Factors  SecondFactors
	Logins   Logins
}

// Users stores the users that were added at run time, and which users are suspended. It does not
// store users of the configuration.
type Users struct{ db *DB }

const (
	insertPerson = `INSERT INTO person (name, role, account, timezone, created_at) VALUES (?, ?, ?, ?, ?)`
	listPeople   = `SELECT name, role, account, timezone FROM person ORDER BY name`
	deletePerson = `DELETE FROM person WHERE name = ?`
	findPerson   = `SELECT name FROM person WHERE name = ?`
	// the last step of a user's deletion
	findDeletionStep = `SELECT action FROM audit WHERE user = ? AND action IN ('user.added', 'user.deleting', 'user.deleted')
		ORDER BY id DESC LIMIT 1`
	listBegunDeletions = `SELECT user FROM audit WHERE action IN ('user.added', 'user.deleting', 'user.deleted')
		GROUP BY user HAVING max(id) = max(iif(action = 'user.deleting', id, 0)) ORDER BY user`
)

// deletionBegun is the action of the audit entry at the beginning of a user's deletion.
const deletionBegun = "user.deleting"

// Add stores a new user's Name, Role, Account and Timezone, with the audit entries. It fails if the
// name is taken, or if the deletion of a former user of that name has not ended.
func (s Users) Add(ctx context.Context, u supervisor.User, entries ...AuditEntry) error {
	return s.db.write(ctx, func(t *tx) {
		if value(t, engine.ScanString, findDeletionStep, u.Name) == deletionBegun {
			t.fail(problem.New(problem.UserDeletionUnfinished, nil, u.Name, u.Name))
		}
		t.Exec(insertPerson, u.Name, u.Role, u.Account, u.Timezone, t.Now)
		if errors.Is(t.err, engine.ErrPrimaryKey) {
			t.err = problem.New(problem.UserExists, nil, u.Name)
		}
		t.auditRows(entries)
	}, "add user %s", u.Name)
}

// BeginDeletion stores that the deletion of a user has begun, with an audit entry. It fails if the
// user was not removed.
func (s Users) BeginDeletion(ctx context.Context, name, detail string) error {
	return s.db.write(ctx, func(t *tx) {
		if _, there := one(t, engine.ScanString, findPerson, name); there {
			t.fail(problem.New(problem.UserNotRemoved, nil, name, name))
		}
		t.audit(name, deletionBegun, detail)
	}, "begin to delete %s", name)
}

// IsDeletionBegun reports whether the deletion of a user has begun and not ended.
func (s Users) IsDeletionBegun(ctx context.Context, name string) (bool, error) {
	step, err := engine.FirstValue(s.db.reader(ctx, "ask whether %s is being deleted", name), engine.ScanString,
		findDeletionStep, name)
	return step == deletionBegun, err
}

// ListBegunDeletions lists the users whose deletion has begun and not ended.
func (s Users) ListBegunDeletions(ctx context.Context) ([]string, error) {
	return engine.AllRows(s.db.reader(ctx, "list begun deletions"), engine.ScanString, listBegunDeletions)
}

// List lists the added users by name, with Name, Role, Account and Timezone.
func (s Users) List(ctx context.Context) ([]supervisor.User, error) {
	return engine.AllRows(s.db.reader(ctx, "list added users"), func(r *engine.Row) (u supervisor.User) {
		r.Scan(&u.Name, &u.Role, &u.Account, &u.Timezone)
		return u
	}, listPeople)
}

// Remove deletes a user with their accounts, unused invites and logins. It reports whether the user
// existed. The user's messages stay until Erase. The second factor stays too: a user who is added
// again needs the same factor. If anything was deleted, Remove adds the audit entries in the same
// transaction.
func (s Users) Remove(ctx context.Context, name string, entries ...AuditEntry) (bool, error) {
	there := false
	_, err := s.db.auditIfChanged(ctx, entries, func(t *tx) (all int64) {
		for _, query := range []string{unbindUser, revokeInvites, closeLogins, deletePerson} {
			n := t.ExecCount(query, name)
			all, there = all+n, n > 0 // the last statement deletes the user, so n tells whether the user existed
		}
		t.settings = true
		t.Exec(deleteSetting, name, SettingHomeCreated)
		return all
	}, "remove user %s", name)
	return there && err == nil, err
}

const (
	suspend       = `INSERT INTO suspended (user, created_at) VALUES (?, ?) ON CONFLICT (user) DO NOTHING`
	unsuspend     = `DELETE FROM suspended WHERE user = ?`
	listSuspended = `SELECT user FROM suspended ORDER BY user`
)

// Suspend stops a user from speaking, ends their logins and deletes their unused invites. If on is
// false, the user may speak again, but the logins and invites stay deleted. A second call changes
// nothing. The entries go into the audit log in the same transaction, with an entry about the
// invites.
func (s Users) Suspend(ctx context.Context, user string, on bool, entries ...AuditEntry) error {
	return s.db.write(ctx, func(t *tx) {
		t.auditRows(entries)
		if !on {
			t.Exec(unsuspend, user)
			return
		}
		t.Exec(closeLogins, user)
		t.Exec(suspend, user, t.Now)
		if revoked := t.ExecCount(revokeInvites, user); revoked > 0 {
			t.audit(user, "invite.revoked", fmt.Sprintf("all %d that nobody had used, for they may not speak", revoked))
		}
	}, "suspend %s (%v)", user, on)
}

// ListSuspended lists the suspended users.
func (s Users) ListSuspended(ctx context.Context) ([]string, error) {
	return engine.AllRows(s.db.reader(ctx, "list suspended users"), engine.ScanString, listSuspended)
}
