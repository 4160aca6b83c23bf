// Package access knows who the people are and who may speak as whom. It fails closed: whom it does not know is nobody.
package access

import (
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
)

// Accounts finds an OS account's user id.
type Accounts func(account string) (uid uint32, err error)

// People are the users. They do not change while the program runs.
type People struct {
	users map[string]supervisor.User
	names []string
	byUID map[uint32][]string
	own   uint32
}

// New takes the configured users. own is the service's own user id: its processes, and root's, are admin.
func New(users []supervisor.User, own uint32, lookup Accounts) (*People, error) {
	p := &People{users: map[string]supervisor.User{}, byUID: map[uint32][]string{}, own: own}
	for _, u := range users {
		if _, twice := p.users[u.Name]; twice || u.Name == "" {
			return nil, fmt.Errorf("user %q: the name is empty or another user's", u.Name)
		}
		uid := own
		if u.Account != "" {
			var err error
			if uid, err = lookup(u.Account); err != nil {
				return nil, fmt.Errorf("account %q of user %s: %w", u.Account, u.Name, err)
			}
		}
		p.users[u.Name] = u
		p.names = append(p.names, u.Name)
		p.byUID[uid] = append(p.byUID[uid], u.Name)
	}
	slices.Sort(p.names)
	return p, nil
}

// Find is the user of that name.
func (p *People) Find(name string) (supervisor.User, bool) {
	u, ok := p.users[name]
	return u, ok
}

// Names lists the users, sorted.
func (p *People) Names() []string { return slices.Clone(p.names) }

// Known tells whether a process of that user id has any business here: it is an admin's, or a user's.
func (p *People) Known(uid uint32) bool { return len(p.byUID[uid]) > 0 || p.Admin(uid) }

// Admin tells whether a process of that user id may see to the service.
func (p *People) Admin(uid uint32) bool {
	if uid == 0 || uid == p.own {
		return true
	}
	return slices.ContainsFunc(p.byUID[uid], func(name string) bool { return p.users[name].Role == supervisor.RoleAdmin })
}

// Speaker is the user as whom a process of that user id speaks. as names one; "" is the account's own user. Only an admin
// may speak as somebody whose account it is not.
func (p *People) Speaker(uid uint32, as string) (supervisor.User, error) {
	mine := p.byUID[uid]
	if as == "" {
		return p.only(uid, mine)
	}
	u, known := p.users[as]
	switch {
	case slices.Contains(mine, as), known && p.Admin(uid):
		return u, nil
	case p.Admin(uid):
		return supervisor.User{}, &supervisor.Error{Code: supervisor.CodeNotFound, Message: fmt.Sprintf(
			"There is no user %q. There are: %s.", as, strings.Join(p.names, ", "))}
	}
	return supervisor.User{}, &supervisor.Error{Code: supervisor.CodeForbidden, Message: fmt.Sprintf(
		"Only an admin may speak as %q; this account is not one.", as)}
}

func (p *People) only(uid uint32, mine []string) (supervisor.User, error) {
	switch {
	case len(mine) == 1:
		return p.users[mine[0]], nil
	case len(mine) == 0 && p.Admin(uid) && len(p.names) == 1:
		return p.users[p.names[0]], nil
	case p.Admin(uid):
		return supervisor.User{}, &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(
			"Say as whom to speak, with --user NAME. There are: %s.", strings.Join(p.names, ", "))}
	case len(mine) == 0:
		return supervisor.User{}, &supervisor.Error{Code: supervisor.CodeForbidden, Message: fmt.Sprintf(
			"No user of Mews has this account (user id %d). An admin can add it: `account:` under `users:` in the "+
				"configuration.", uid)}
	}
	return supervisor.User{}, &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(
		"This account is that of several users; say which with --user NAME: %s.", strings.Join(mine, ", "))}
}
