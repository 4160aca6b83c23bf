package admin

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// UserRequest are the parameters of calls about one user.
type UserRequest struct {
	User string `json:"user,omitempty"` // the name of the user; "" means the caller, if the call allows that
}

// People is the answer to `mews user list`. It lists all users for an admin, and only the caller
// for other users.
type People struct {
	Users []Person `json:"users"`
	// names of former users whose deletion has begun and not ended; only in the list of all users
	Deleting []string `json:"deleting,omitempty"`
}

// Person is a user, with their accounts, second factor and logins.
type Person struct {
	Name string `json:"name"`
	Role string `json:"role"`
	// Configured is true if the configuration has the user. It is false if the user was added while
	// Mews ran.
	Configured bool           `json:"configured"`
	Suspended  bool           `json:"suspended,omitempty"`
	Account    string         `json:"account,omitempty"`
	Timezone   string         `json:"timezone,omitempty"`
	Home       string         `json:"home"`
	Model      string         `json:"model,omitempty"`
	Telegram   []string       `json:"telegram,omitempty"` // the numbers of the user's Telegram accounts
	Factor     SecondFactor   `json:"second_factor"`
	Logins     []LoginSession `json:"logins,omitempty"` // the chats in which the user's gate is open
	Invites    int            `json:"invites,omitempty"`
	Budget     SpendLimits    `json:"budget,omitzero"`
}

// SecondFactor is the state of a user's second factor.
type SecondFactor struct {
	Mode        string    `json:"mode"`  // whether codes are required, optional or off
	State       string    `json:"state"` // whether the factor is none, offered or confirmed
	LockedUntil time.Time `json:"locked_until,omitzero"`
}

// States of a second factor.
const (
	FactorNone        = "none"
	FactorUnconfirmed = "offered" // the factor exists, but no code has confirmed it
	FactorConfirmed   = "confirmed"
)

type LoginSession struct {
	Channel string    `json:"channel"`
	Chat    string    `json:"chat,omitempty"`
	Since   time.Time `json:"since"`
}

// SpendLimits is a budget in millionths of a US dollar; 0 means no limit.
type SpendLimits struct {
	Turn  int64 `json:"turn,omitempty"`
	Day   int64 `json:"day,omitempty"`
	Month int64 `json:"month,omitempty"`
}

// ListPeople describes one user, or all users.
func (o *Service) ListPeople(ctx context.Context, by Caller, q UserRequest) (People, error) {
	names := []string{q.User}
	if by.Admin && q.User == "" {
		names = o.People.Names()
	}
	r, err := o.accessRecords(ctx)
	if err != nil {
		return People{}, err
	}
	list := People{Users: []Person{}}
	if by.Admin && q.User == "" {
		if list.Deleting, err = o.Store.People.ListBegunDeletions(ctx); err != nil {
			return People{}, err
		}
	}
	for _, name := range names {
		u, err := o.userOrCaller(by, name)
		if err != nil {
			return People{}, err
		}
		list.Users = append(list.Users, o.describe(u, r))
	}
	return list, nil
}

// accessRecords is the stored access data of all users.
type accessRecords struct {
	factors  []supervisor.SecondFactor
	bindings []sqlite.AccountBinding
	logins   []supervisor.Login
	invites  []sqlite.Invite
}

func (o *Service) accessRecords(ctx context.Context) (r accessRecords, err error) {
	if r.factors, err = o.Store.Factors.List(ctx); err != nil {
		return r, err
	}
	if r.bindings, err = o.Store.Bindings.List(ctx); err != nil {
		return r, err
	}
	if r.logins, err = o.Store.Logins.List(ctx); err != nil {
		return r, err
	}
	r.invites, err = o.Store.Invites.List(ctx)
	return r, err
}

func (o *Service) describe(u supervisor.User, r accessRecords) Person {
	p := Person{
		Name: u.Name, Role: string(u.Role), Configured: o.configured(u.Name), Suspended: o.People.IsSuspended(u.Name), Account: u.Account,
		Timezone: u.Timezone, Home: u.Home, Model: u.Model,
		Factor: SecondFactor{Mode: string(cmp.Or(u.Codes, supervisor.TOTPOptional)), State: FactorNone},
		Budget: SpendLimits{Turn: u.Budget.Turn, Day: u.Budget.Day, Month: u.Budget.Month},
	}
	accounts := map[supervisor.Channel][]string{}
	for channel, number := range u.Accounts {
		accounts[channel] = []string{number}
	}
	for _, b := range r.bindings {
		if b.User == u.Name && !slices.Contains(accounts[b.Channel], b.Account) {
			accounts[b.Channel] = append(accounts[b.Channel], b.Account)
		}
	}
	p.Telegram = accounts[supervisor.ChannelTelegram]
	now, limits := o.Now(), o.Configuration.Summary().Logins
	for _, f := range r.factors {
		if f.User == u.Name {
			p.Factor.State = map[bool]string{false: FactorUnconfirmed, true: FactorConfirmed}[f.Confirmed]
			if now.Before(f.LockedUntil) {
				p.Factor.LockedUntil = f.LockedUntil
			}
		}
	}
	for _, l := range r.logins {
		if l.User == u.Name && l.IsOpen(now, limits.IdleTimeout, limits.Lifetime) {
			p.Logins = append(p.Logins, LoginSession{string(l.Channel), l.Chat, l.OpenedAt})
		}
	}
	for _, i := range r.invites {
		if i.User == u.Name {
			p.Invites++
		}
	}
	return p
}
