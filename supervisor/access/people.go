package access

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"mews/supervisor"
)

// AccountLookup finds the user id of a Unix account.
type AccountLookup func(account string) (uid uint32, err error)

// People are the users with their accounts and groups. All users are replaced at once, so that
// every method answers from one state. The methods may be called from any goroutine.
type People struct {
	own     uint32
	lookup  AccountLookup
	current atomic.Pointer[directory]
}

// NewPeople makes People from the configured users. own is the service's own user id. Processes of
// own and of root are admins.
func NewPeople(users []supervisor.User, own uint32, lookup AccountLookup) (*People, error) {
	p := &People{own: own, lookup: lookup}
	return p, p.SetUsers(users, StoredUsers{})
}

// SetUsers replaces the users and their stored data. If it returns an error, nothing has changed.
func (p *People) SetUsers(users []supervisor.User, stored StoredUsers) error {
	d, err := newDirectory(users, stored, func(name string) (uint32, error) {
		if name == "" {
			return p.own, nil
		}
		return p.lookup(name)
	})
	if err == nil {
		p.current.Store(d)
	}
	return err
}

// FindByAccount returns the user with an account on a channel, but no suspended user. The account
// comes from the configuration or from an invite.
func (p *People) FindByAccount(channel supervisor.Channel, number string) (supervisor.User, bool) {
	d := p.current.Load()
	name, ok := d.accounts[account{channel, number}]
	if !ok || d.suspended[name] {
		return supervisor.User{}, false
	}
	return d.users[name], true
}

// AccountOwner returns the name of an account's user on a channel, or "". Suspended users count
// too.
func (p *People) AccountOwner(channel supervisor.Channel, number string) string {
	return p.current.Load().accounts[account{channel, number}]
}

// Accounts returns the accounts of a user on all channels.
func (p *People) Accounts(name string) (list []AccountBinding) {
	for of, owner := range p.current.Load().accounts {
		if owner == name {
			list = append(list, AccountBinding{of.channel, of.number, name})
		}
	}
	slices.SortFunc(list, func(a, b AccountBinding) int {
		return cmp.Or(cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Account, b.Account))
	})
	return list
}

// IgnoredBindings returns the stored bindings without effect. The configuration gives their
// accounts to other users.
func (p *People) IgnoredBindings() []AccountBinding {
	return slices.Clone(p.current.Load().ignoredBindings)
}

// Find returns the user with a name, even if the user is suspended.
func (p *People) Find(name string) (supervisor.User, bool) {
	u, ok := p.current.Load().users[name]
	return u, ok
}

// IsSuspended says whether a user is suspended.
func (p *People) IsSuspended(name string) bool { return p.current.Load().suspended[name] }

// IsGroupAllowed says whether users may speak in a group.
func (p *People) IsGroupAllowed(channel supervisor.Channel, chat string) bool {
	return p.current.Load().groups[Group{channel, chat}]
}

// Names returns the sorted names of all users, including suspended ones.
func (p *People) Names() []string { return slices.Clone(p.current.Load().names) }

// Admins returns the admins who are not suspended.
func (p *People) Admins() (admins []supervisor.User) {
	for _, name := range p.Names() {
		if u, _ := p.Find(name); u.Role == supervisor.RoleAdmin && !p.IsSuspended(name) {
			admins = append(admins, u)
		}
	}
	return admins
}

// IsKnown says whether a Unix user id belongs to an admin or to an active user.
func (p *People) IsKnown(uid uint32) bool {
	d := p.current.Load()
	return len(d.active(uid)) > 0 || p.isAdmin(d, uid)
}

// IsAdmin says whether processes of a Unix user id may manage the service.
func (p *People) IsAdmin(uid uint32) bool { return p.isAdmin(p.current.Load(), uid) }

func (p *People) isAdmin(d *directory, uid uint32) bool {
	if uid == 0 || uid == p.own {
		return true
	}
	return slices.ContainsFunc(d.active(uid), func(name string) bool { return d.users[name].Role == supervisor.RoleAdmin })
}

// FindSpeaker returns the user in whose name a process with a Unix user id speaks. as is the wanted
// name; "" means the account's own user. Only an admin may speak as a user with another account. No
// process may speak as a suspended user.
func (p *People) FindSpeaker(uid uint32, as string) (supervisor.User, error) {
	d := p.current.Load()
	name, err := p.resolveName(d, uid, as)
	if err != nil {
		return supervisor.User{}, err
	}
	if d.suspended[name] {
		return supervisor.User{}, supervisor.Errorf(supervisor.CodeForbidden, textSuspended, name, name)
	}
	return d.users[name], nil
}

// resolveName returns the name of the wanted user, even if that user is suspended.
func (p *People) resolveName(d *directory, uid uint32, as string) (string, error) {
	admin, mine := p.isAdmin(d, uid), d.byUID[uid]
	if as != "" {
		_, known := d.users[as]
		switch {
		case slices.Contains(mine, as), known && admin:
			return as, nil
		case admin:
			return "", supervisor.Errorf(supervisor.CodeNotFound, textSpeakAsUnknown, as, strings.Join(d.names, ", "))
		}
		return "", supervisor.Errorf(supervisor.CodeForbidden, textSpeakAsDenied, as)
	}
	if active := d.active(uid); len(active) > 0 { // without an active user, the refusal mentions the suspension
		mine = active
	}
	switch {
	case len(mine) == 1:
		return mine[0], nil
	case len(mine) == 0 && admin && len(d.names) == 1:
		return d.names[0], nil
	case admin:
		return "", supervisor.Errorf(supervisor.CodeInvalid, textNameUser, strings.Join(d.names, ", "))
	case len(mine) == 0:
		return "", supervisor.Errorf(supervisor.CodeForbidden, textNoAccount, uid)
	}
	return "", supervisor.Errorf(supervisor.CodeInvalid, textManyUsers, strings.Join(mine, ", "))
}
