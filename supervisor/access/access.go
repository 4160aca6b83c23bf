// Package access knows who the people are, who may speak as whom, and how they prove that it is they. It fails closed: whom
// it does not know is nobody, and a gate that it cannot look behind stays closed.
package access

import (
	"slices"
	"strconv"
	"sync/atomic"

	"mews/supervisor"
)

// Accounts finds an OS account's user id.
type Accounts func(account string) (uid uint32, err error)

// People are the users and what is theirs. They can be changed while the program runs, all of it at once: every method
// answers from one state. They may be used from several goroutines.
type People struct {
	own     uint32
	lookup  Accounts
	current atomic.Pointer[directory]
}

// New takes the configured users. own is the service's own user id: its processes, and root's, are admin.
func New(users []supervisor.User, own uint32, lookup Accounts) (*People, error) {
	p := &People{own: own, lookup: lookup}
	if err := p.Set(users, Stored{}); err != nil {
		return nil, err
	}
	return p, nil
}

// Set puts these users, and what more there is of them, in the place of those before: all of it, or with an error nothing.
func (p *People) Set(users []supervisor.User, more Stored) error {
	h, err := newDirectory(users, more, func(name string) (uint32, error) {
		if name == "" {
			return p.own, nil
		}
		return p.lookup(name)
	})
	if err != nil {
		return err
	}
	p.current.Store(h)
	return nil
}

// Telegram is the user whose that numeric id on Telegram is, by the configuration or an invite. Nobody has 0, and a
// suspended person has none. Names there can be changed, and are never looked at.
func (p *People) Telegram(id int64) (supervisor.User, bool) {
	h := p.current.Load()
	name, ok := h.accounts[account{supervisor.ChannelTelegram, strconv.FormatInt(id, 10)}]
	if !ok || h.suspended[name] {
		return supervisor.User{}, false
	}
	return h.users[name], true
}

// Find is the user of that name, suspended or not.
func (p *People) Find(name string) (supervisor.User, bool) {
	u, ok := p.current.Load().users[name]
	return u, ok
}

// Suspended tells whether a user may not speak for now.
func (p *People) Suspended(name string) bool { return p.current.Load().suspended[name] }

// GroupAllowed tells whether people may speak in that group.
func (p *People) GroupAllowed(channel supervisor.Channel, chat string) bool {
	return p.current.Load().groups[Group{channel, chat}]
}

// Names lists the users, suspended ones too, sorted.
func (p *People) Names() []string { return slices.Clone(p.current.Load().names) }

// Known tells whether a process of that user id has any business here: it is an admin's, or that of a user who may speak.
func (p *People) Known(uid uint32) bool {
	h := p.current.Load()
	return len(h.active(uid)) > 0 || p.admin(h, uid)
}

// Admin tells whether a process of that user id may see to the service.
func (p *People) Admin(uid uint32) bool { return p.admin(p.current.Load(), uid) }

func (p *People) admin(h *directory, uid uint32) bool {
	if uid == 0 || uid == p.own {
		return true
	}
	return slices.ContainsFunc(h.active(uid), func(name string) bool { return h.users[name].Role == supervisor.RoleAdmin })
}
