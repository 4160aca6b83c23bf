package access

import (
	"slices"
	"strings"
	"sync/atomic"

	"mews/supervisor"
)

// Accounts finds an OS account's user id.
type Accounts func(account string) (uid uint32, err error)

// People are the users and what is theirs. They can be changed while the program runs, all of it at
// once: every method answers from one state. They may be used from several goroutines.
type People struct {
	own     uint32
	lookup  Accounts
	current atomic.Pointer[directory]
}

// New takes the configured users. own is the service's own user id: its processes, and root's, are
// admin.
func New(users []supervisor.User, own uint32, lookup Accounts) (*People, error) {
	p := &People{own: own, lookup: lookup}
	return p, p.Set(users, Stored{})
}

// Set replaces the users and what is stored of them. With an error nothing is changed.
func (p *People) Set(users []supervisor.User, stored Stored) error {
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

// ByAccount is the user to whom an account of a channel belongs, by the configuration or an invite.
// A suspended person has none.
func (p *People) ByAccount(channel supervisor.Channel, number string) (supervisor.User, bool) {
	d := p.current.Load()
	name, ok := d.accounts[account{channel, number}]
	if !ok || d.suspended[name] {
		return supervisor.User{}, false
	}
	return d.users[name], true
}

// Owner is the name of the user to whom an account of a channel belongs, suspended or not; "" is
// nobody's.
func (p *People) Owner(channel supervisor.Channel, number string) string {
	return p.current.Load().accounts[account{channel, number}]
}

// IgnoredBindings are the stored bindings that count for nothing, because the configuration gives
// the account to another person.
func (p *People) IgnoredBindings() []Binding { return slices.Clone(p.current.Load().ignoredBindings) }

// Find is the user of that name, suspended or not.
func (p *People) Find(name string) (supervisor.User, bool) {
	u, ok := p.current.Load().users[name]
	return u, ok
}

// Suspended says whether a user may not speak for now.
func (p *People) Suspended(name string) bool { return p.current.Load().suspended[name] }

// GroupAllowed says whether people may speak in that group.
func (p *People) GroupAllowed(channel supervisor.Channel, chat string) bool {
	return p.current.Load().groups[Group{channel, chat}]
}

// Names lists the users, suspended ones too, sorted.
func (p *People) Names() []string { return slices.Clone(p.current.Load().names) }

// Admins lists the admins who may speak.
func (p *People) Admins() (admins []supervisor.User) {
	for _, name := range p.Names() {
		if u, _ := p.Find(name); u.Role == supervisor.RoleAdmin && !p.Suspended(name) {
			admins = append(admins, u)
		}
	}
	return admins
}

// Known says whether a process of that user id has any business here: it is an admin's, or that of
// a user who may speak.
func (p *People) Known(uid uint32) bool {
	d := p.current.Load()
	return len(d.active(uid)) > 0 || p.isAdmin(d, uid)
}

// Admin says whether a process of that user id may see to the service.
func (p *People) Admin(uid uint32) bool { return p.isAdmin(p.current.Load(), uid) }

func (p *People) isAdmin(d *directory, uid uint32) bool {
	if uid == 0 || uid == p.own {
		return true
	}
	return slices.ContainsFunc(d.active(uid), func(name string) bool { return d.users[name].Role == supervisor.RoleAdmin })
}

// Speaker is the user as whom a process of that user id speaks. as names one; "" is the account's
// own user. Only an admin may speak as somebody whose account it is not, and nobody may as one who
// is suspended.
func (p *People) Speaker(uid uint32, as string) (supervisor.User, error) {
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

// resolveName is who is meant, suspended or not.
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
	if active := d.active(uid); len(active) > 0 { // else they are told that they are suspended
		mine = active
	}
	switch {
	case len(mine) == 1:
		return mine[0], nil
	case len(mine) == 0 && admin && len(d.names) == 1:
		return d.names[0], nil
	case admin:
		return "", supervisor.Errorf(supervisor.CodeInvalid, textSpeakAsWhom, strings.Join(d.names, ", "))
	case len(mine) == 0:
		return "", supervisor.Errorf(supervisor.CodeForbidden, textNoAccount, uid)
	}
	return "", supervisor.Errorf(supervisor.CodeInvalid, textManyUsers, strings.Join(mine, ", "))
}
