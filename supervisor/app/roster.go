package app

import (
	"context"
	"mews/supervisor/placement"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/hashicorp/go-hclog"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/sqlite"
)

// roster keeps access's people as they are to be: those of the configuration, those who were added while the service ran,
// and what was bound to either.
type roster struct {
	people  *access.People
	store   sqlite.Access
	places  *placement.Places
	log     hclog.Logger
	chosen  sync.Map              // see preferences
	settled func(context.Context) // is called when people were read anew; nil: nobody needs to know. It is set before others use it

	mu     sync.Mutex // guards config, and has one refresh run at a time
	config *config.Config
}

// Config is the configuration in force.
func (r *roster) Config() *config.Config {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.config
}

// Refresh reads anew who there is. Who was added gets a folder.
func (r *roster) Refresh(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refresh(ctx, r.config)
}

// Use is Refresh by another configuration, which is the roster's from then on unless there is an error.
func (r *roster) Use(ctx context.Context, cfg *config.Config) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(ctx, cfg); err != nil {
		return err
	}
	r.config = cfg
	return nil
}

func (r *roster) refresh(ctx context.Context, cfg *config.Config) error {
	users, err := r.users(ctx, cfg)
	if err != nil {
		return err
	}
	bound, err := r.bound(ctx, cfg)
	if err != nil {
		return err
	}
	for _, u := range users[len(cfg.Users):] {
		bound.Added = append(bound.Added, u.Name)
	}
	placed, err := r.places.UseUsers(users)
	if err != nil {
		return err
	}
	if err := r.people.Set(users, bound); err != nil {
		return err
	}
	for _, b := range r.people.IgnoredBindings() {
		r.log.Warn("an account was bound to somebody, and is another person's by the configuration; the configuration counts",
			"channel", b.Channel, "account", b.Account, "bound to", b.User, "belongs to", r.people.Owner(b.Channel, b.Account))
	}
	placed()
	if r.settled != nil {
		r.settled(ctx)
	}
	return nil
}

// users are those of the configuration, and those who were added and have no namesake there.
func (r *roster) users(ctx context.Context, cfg *config.Config) ([]supervisor.User, error) {
	users := usersOf(cfg)
	there := map[string]bool{}
	for _, u := range users {
		there[u.Name] = true
	}
	added, err := r.store.People.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, u := range added {
		if there[u.Name] {
			r.log.Warn("somebody was added whom the configuration has too; that one counts", "user", u.Name)
			continue
		}
		u.Home = filepath.Join(cfg.State, "homes", u.Name)
		u.Codes, u.Budget = supervisor.CodesOptional, BudgetOf(cfg.Budget.Users)
		users = append(users, u)
	}
	return users, nil
}

// bound is what people have beside the configuration, and the groups of both.
func (r *roster) bound(ctx context.Context, cfg *config.Config) (b access.Stored, err error) {
	bindings, err := r.store.Bindings.List(ctx)
	if err != nil {
		return b, err
	}
	for _, one := range bindings {
		b.Bindings = append(b.Bindings, access.Binding(one))
	}
	if b.Suspended, err = r.store.People.Suspended(ctx); err != nil {
		return b, err
	}
	groups, err := r.store.Groups.List(ctx)
	for _, g := range groups {
		b.Groups = append(b.Groups, access.Group(g))
	}
	for _, id := range cfg.Telegram.Groups {
		b.Groups = append(b.Groups, access.Group{Channel: supervisor.ChannelTelegram, Chat: strconv.FormatInt(id, 10)})
	}
	return b, err
}

// usersOf are the configured ones as the supervisor's words have them.
func usersOf(cfg *config.Config) []supervisor.User {
	var users []supervisor.User
	for _, u := range cfg.Users {
		users = append(users, supervisor.User{
			Name: u.Name, Role: supervisor.Role(u.Role), Account: u.Account, Home: u.Home, Timezone: u.Timezone, Model: u.Model,
			Telegram: u.Telegram, Workspaces: u.Workspaces, Codes: supervisor.Codes(u.TOTP), Budget: BudgetOf(u.Budget),
			Files: protocol.FilePolicy{Include: u.Files.Include, Exclude: u.Files.Exclude, AppendOnly: u.Files.AppendOnly},
		})
	}
	return users
}

func BudgetOf(s config.SpendLimits) supervisor.Budget {
	return supervisor.Budget{Turn: s.Turn.Micro, Day: s.Day.Micro, Month: s.Month.Micro, Extend: s.Extend.Micro}
}
