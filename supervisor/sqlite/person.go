package sqlite

import (
	"context"
	"errors"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/problem"
)

// Access is who may speak, and how they prove that it is they.
type Access struct {
	People   People
	Bindings Bindings
	Groups   Groups
	Invites  Invites
	Factors  Factors
	Logins   Logins
}

// People are those who were added while the service ran, and whoever may not speak for now. Those
// of the configuration are not among them.
type People struct{ db *DB }

const (
	insertPerson = `INSERT INTO person (name, role, account, timezone, created_at) VALUES (?, ?, ?, ?, ?)`
	listPeople   = `SELECT name, role, account, timezone FROM person ORDER BY name`
	deletePerson = `DELETE FROM person WHERE name = ?`
)

// Add keeps a person: their Name, Role, Account and Timezone, and with that the entries in the
// audit log. Refused where the name is taken.
func (s People) Add(ctx context.Context, u supervisor.User, entries ...AuditRow) error {
	return s.db.write(ctx, func(t *tx) {
		t.Exec(insertPerson, u.Name, u.Role, u.Account, u.Timezone, t.Now)
		if errors.Is(t.err, engine.ErrPrimaryKey) {
			t.err = problem.New(problem.PersonExists, nil, u.Name)
		}
		t.auditAll(entries)
	}, "add the person %s", u.Name)
}

// List lists them, by name, with what Add has kept of them.
func (s People) List(ctx context.Context) ([]supervisor.User, error) {
	return engine.All(s.db.reader(ctx, "list the people"), func(r *engine.Row) (u supervisor.User) {
		r.Scan(&u.Name, &u.Role, &u.Account, &u.Timezone)
		return u
	}, listPeople)
}

// Remove takes a person out, with all that lets them in: their accounts, their invites that nobody
// used, and their logins. It says whether they were there. What they have written stays (Erase
// deletes it), and so does their second factor: added again, they need the same one. If any of that
// was there, the entries are put into the audit log in the same transaction.
func (s People) Remove(ctx context.Context, name string, entries ...AuditRow) (bool, error) {
	there := false
	_, err := s.db.changing(ctx, entries, func(t *tx) (all int64) {
		for _, query := range []string{unbindUser, revokeInvites, closeLogins, deletePerson} {
			n := t.Change(query, name)
			all, there = all+n, n > 0 // in the end, whether the person was
		}
		return all
	}, "remove the person %s", name)
	return there && err == nil, err
}

const (
	suspend       = `INSERT INTO suspended (user, created_at) VALUES (?, ?) ON CONFLICT (user) DO NOTHING`
	unsuspend     = `DELETE FROM suspended WHERE user = ?`
	listSuspended = `SELECT user FROM suspended ORDER BY user`
)

// Suspend keeps that a person may not speak for now, ends their logins, and takes back their
// invites that nobody has used. With on false they may speak again, and have none of these back. A
// second time changes nothing. The entries, and one about the invites, are put into the audit log
// in the same transaction.
func (s People) Suspend(ctx context.Context, user string, on bool, entries ...AuditRow) error {
	return s.db.write(ctx, func(t *tx) {
		t.auditAll(entries)
		if !on {
			t.Exec(unsuspend, user)
			return
		}
		t.Exec(closeLogins, user)
		t.Exec(suspend, user, t.Now)
		if revoked := t.Change(revokeInvites, user); revoked > 0 {
			t.audit(user, "invite.revoked", fmt.Sprintf("all %d that nobody had used, for they may not speak", revoked))
		}
	}, "suspend %s (%v)", user, on)
}

// Suspended lists whoever may not speak for now.
func (s People) Suspended(ctx context.Context) ([]string, error) {
	return engine.All(s.db.reader(ctx, "list who is suspended"), engine.String, listSuspended)
}
