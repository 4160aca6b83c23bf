// Package users loads the users and their settings, and finds the model that answers each user.
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

// Configuration is the part of the configuration about users. It is only replaced as a whole.
type Configuration struct {
	Users  []supervisor.User // the users that the configuration names
	Groups []access.Group    // the groups in which users may speak
	Homes  string            // the folder of the homes of added users
	Budget supervisor.Budget // the budget of added users
	Month  int64             // the limit of all users together in a month; 0 means no limit
	// MayChoose reports whether a user may choose a model. spec is the model's full name.
	MayChoose func(user, spec string) bool
	Defaults  DefaultSettings
}

// DefaultSettings are the values of settings that a user has not set.
type DefaultSettings struct {
	Model         DefaultValue[string]
	Thinking      DefaultValue[string]
	StreamReplies DefaultValue[bool]
	Busy          DefaultValue[supervisor.BusyMode]
	Language      DefaultValue[string] // the language of recordings
}

// DefaultValue is the value of one setting that a user has not set.
type DefaultValue[T any] struct {
	Value      T
	Configured bool // the configuration sets Value; otherwise Value is Mews's own default
}

// FolderPreparer gives workers the folders of users.
type FolderPreparer interface {
	// SetUsers prepares the folders of users. The new folders take effect when commit is called.
	SetUsers(users []supervisor.User) (commit func(), err error)
}

// Options are the dependencies of a Loader.
type Options struct {
	People         *access.People // receives the current users
	Store          sqlite.UserAccessStores
	FolderPreparer FolderPreparer
	Log            hclog.Logger
	// Loaded is called after users were loaded; nil is allowed. It may be set until the first
	// Refresh of a running service.
	Loaded func(context.Context)
}

// Loader keeps the directory of users up to date. It has the users of the configuration, the users
// added while the service ran, and the accounts bound to them.
type Loader struct {
	Options
	current atomic.Pointer[Configuration]
	mu      sync.Mutex // allows one refresh at a time
}

// NewLoader makes a loader. It has no users before its first UseConfiguration.
func NewLoader(o Options) *Loader { return &Loader{Options: o} }

// Configuration returns the current configuration.
func (l *Loader) Configuration() *Configuration { return l.current.Load() }

// Refresh loads the users again. Added users get a home.
func (l *Loader) Refresh(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.load(ctx, l.current.Load())
}

// UseConfiguration loads the users of another configuration. On an error the old configuration
// remains.
func (l *Loader) UseConfiguration(ctx context.Context, cfg *Configuration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.current.Load()
	l.current.Store(cfg) // callbacks after the refresh must see this configuration
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
	placed, err := l.FolderPreparer.SetUsers(users)
	if err != nil {
		return err
	}
	if err := l.People.SetUsers(users, stored); err != nil {
		return err
	}
	for _, b := range l.People.IgnoredBindings() {
		l.Log.Warn("an account was bound to somebody, and is another person's by the configuration; the configuration counts",
			"channel", b.Channel, "account", b.Account, "bound to", b.User, "belongs to",
			l.People.AccountOwner(b.Channel, b.Account))
	}
	placed()
	if l.Loaded != nil {
		l.Loaded(ctx)
	}
	return nil
}

// users returns the users of the configuration, and then the added users. An added user with the
// name of a configured user is left out.
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
		u.Codes, u.Budget = supervisor.TOTPOptional, cfg.Budget
		users = append(users, u)
	}
	return users, nil
}

// stored returns the stored data about users, and all allowed groups.
func (l *Loader) stored(ctx context.Context, cfg *Configuration) (s access.StoredUsers, err error) {
	bindings, err := l.Store.Bindings.List(ctx)
	if err != nil {
		return s, err
	}
	for _, one := range bindings {
		s.Bindings = append(s.Bindings, access.AccountBinding(one))
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
