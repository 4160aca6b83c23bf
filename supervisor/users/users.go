// Package users knows who there is, what they have set for themselves, and which model answers
// them.
package users

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/sqlite"
)

// Configuration is what the configuration says of people. It is replaced as a whole.
type Configuration struct {
	Users  []supervisor.User // those who stand in it
	Groups []access.Group    // the groups in which people may speak
	Homes  string            // the folder in which somebody who was added gets a home
	Budget supervisor.Budget // of those who were added
	// whether a user may choose a model, which is named in full
	MayChoose func(user, spec string) bool
	Defaults  Defaults
}

// Defaults are the settings of people who have set nothing.
type Defaults struct {
	Model         Default[string]
	Thinking      Default[string]
	StreamReplies Default[bool]
	Busy          Default[supervisor.BusyMode]
	Language      Default[string] // that is spoken in recordings
}

// Default is what holds where a person has set nothing.
type Default[T any] struct {
	Value      T
	Configured bool // the configuration says so; else it is Mews's own default
}

// Placer gives workers the folders of people.
type Placer interface {
	// UseUsers prepares the folders of these people. It takes effect once commit is
	// called.
	UseUsers(users []supervisor.User) (commit func(), err error)
}

// Options are what a Loader works on.
type Options struct {
	People *access.People // is given who there is
	Store  sqlite.Access
	Placer Placer
	Log    hclog.Logger
	// Loaded is called after people were read; nil: nobody needs to know. It may be set until the
	// first Refresh of a running service.
	Loaded func(context.Context)
}

// Loader keeps the directory of people up to date: those of the configuration, those who were added
// while the service ran, and the accounts that are bound to either.
type Loader struct {
	Options
	current atomic.Pointer[Configuration]
	mu      sync.Mutex // one refresh runs at a time
}

// NewLoader makes a loader. Nobody is known before its first Use.
func NewLoader(o Options) *Loader { return &Loader{Options: o} }

// Configuration is the one in force.
func (l *Loader) Configuration() *Configuration { return l.current.Load() }

// Refresh reads again who there is. Somebody who was added gets a home.
func (l *Loader) Refresh(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.load(ctx, l.current.Load())
}

// Use reads who there is by another configuration. On an error the one before stays in force.
func (l *Loader) Use(ctx context.Context, cfg *Configuration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.current.Load()
	l.current.Store(cfg) // what is called when people were read sees this one
	err := l.load(ctx, cfg)
	if err != nil {
		l.current.Store(before)
	}
	return err
}

func (l *Loader) load(ctx context.Context, cfg *Configuration) error {
	users, err := l.users(ctx, cfg)
	if err != nil {
		return err
	}
	stored, err := l.stored(ctx, cfg)
	if err != nil {
		return err
	}
	for _, u := range users[len(cfg.Users):] {
		stored.Added = append(stored.Added, u.Name)
	}
	placed, err := l.Placer.UseUsers(users)
	if err != nil {
		return err
	}
	if err := l.People.Set(users, stored); err != nil {
		return err
	}
	for _, b := range l.People.IgnoredBindings() {
		l.Log.Warn("an account was bound to somebody, and is another person's by the configuration; the configuration counts",
			"channel", b.Channel, "account", b.Account, "bound to", b.User, "belongs to", l.People.Owner(b.Channel, b.Account))
	}
	placed()
	if l.Loaded != nil {
		l.Loaded(ctx)
	}
	return nil
}

// users are those of the configuration, then those who were added and have no namesake there.
func (l *Loader) users(ctx context.Context, cfg *Configuration) ([]supervisor.User, error) {
	users := append([]supervisor.User(nil), cfg.Users...)
	configured := map[string]bool{}
	for _, u := range users {
		configured[u.Name] = true
	}
	added, err := l.Store.People.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, u := range added {
		if configured[u.Name] {
			l.Log.Warn("somebody was added whom the configuration has too; that one counts", "user", u.Name)
			continue
		}
		u.Home = filepath.Join(cfg.Homes, u.Name)
		u.Codes, u.Budget = supervisor.CodesOptional, cfg.Budget
		users = append(users, u)
	}
	return users, nil
}

// stored is what the database knows of people, and the groups of both.
func (l *Loader) stored(ctx context.Context, cfg *Configuration) (s access.Stored, err error) {
	bindings, err := l.Store.Bindings.List(ctx)
	if err != nil {
		return s, err
	}
	for _, one := range bindings {
		s.Bindings = append(s.Bindings, access.Binding(one))
	}
	if s.Suspended, err = l.Store.People.ListSuspended(ctx); err != nil {
		return s, err
	}
	groups, err := l.Store.Groups.List(ctx)
	for _, g := range groups {
		s.Groups = append(s.Groups, access.Group(g))
	}
	s.Groups = append(s.Groups, cfg.Groups...)
	return s, err
}
