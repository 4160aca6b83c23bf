// Package placement decides where a worker runs: its OS account, its folders and its sandbox. It
// tests the sandbox before any user is served.
package placement

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/go-hclog"

	"mews/protocol/spawnwire"
	"mews/supervisor"
	"mews/supervisor/internal/rare"
	"mews/supervisor/pool"
)

// Options configures the accounts, folders and sandbox of workers.
type Options struct {
	// the state folder; Mews makes the homes in its folder "homes", and gives them to their
	// workers' accounts
	State string
	// the account of workers whose users have no account, if this process is root
	Account     string
	MakeAccount bool     // whether to create Account if it does not exist
	Tier        string   // tier of the sandbox; "auto" means the best that works
	LeastTier   string   // the weakest sandbox tier that is allowed
	ReadOnly    []string // folders that every worker may read
	// History is whether workers keep a file history of their homes. HistoryDir is the folder of
	// all histories; in it, the history of a user is NAME.history. "" means that no user has one.
	History    bool
	HistoryDir string
	Memory     int64    // limit of a worker and its processes, in bytes
	PIDs       int      // maximum of processes that a worker may have at once
	UIDs       UIDRange // uids for users without an account, if the sandbox uses accounts
	// UIDsOptional lets users without an account share one account if the uids are not free. If
	// UIDsOptional is false, Mews serves nobody in that case.
	UIDsOptional bool
	Kept         UIDStore // stores each user's uid
	// HadHome reports whether a user had a home in the state folder. nil means that nobody had one.
	HadHome func(user string) (bool, error)
	// Start starts a spawner even if a spawner has started this process.
	OwnSpawner bool
	Log        hclog.Logger
	// Idle means that this process runs no service. It leaves homes of other accounts to the
	// service.
	Idle bool
	// Tell sends a notice to a user in each active conversation. It must be set before the first
	// worker starts.
	Tell func(ctx context.Context, user, text string)
}

// SpawnerOptions returns the options for the start of mews-spawner.
func (o Options) SpawnerOptions(workers Account) (pool.SpawnerOptions, error) {
	spawner, worker, err := FindSpawnerAndWorker()
	people := ""
	if o.UIDs != (UIDRange{}) {
		people = o.UIDs.String()
	}
	return pool.SpawnerOptions{
		People: people, Path: spawner, Worker: worker, Tier: o.Tier, Least: o.LeastTier, UID: workers.UID, GID: workers.GID,
		Memory: uint64(o.Memory), PIDs: uint32(o.PIDs),
	}, err
}

// WorkerLocations knows each user's account, folders and sandbox.
type WorkerLocations struct {
	Options
	Workers Account        // the account of workers whose users have no account
	Spawner *pool.Spawner  // set by Start; nil before
	Disk    DiskUsage      // sizes of the users' homes
	notices *rare.Throttle // limits how often a user is told of the same limit
	// why users without an account share one account; "" if they have their own uids
	Sharing string

	// texts by user about file histories that can't be used, as LocationOf and the spawner found
	historyFaults, spawnFaults sync.Map

	broken map[string]bool // users who could not be prepared; only SetUsers uses the map
	// roots maps each folder of a worker to its parent folder, with links resolved.
	roots atomic.Pointer[map[string]string]
}

// New finds the account of the workers. It refuses a state folder that root can't trust.
func New(ctx context.Context, o Options) (*WorkerLocations, error) {
	c := &WorkerLocations{Options: o, notices: limitNotices()}
	var err error
	if c.Workers, err = WorkerAccount(ctx, o.Account, o.MakeAccount); err != nil {
		return nil, err
	}
	return c, CheckStateFolder(o.State)
}

// Start starts the spawner and logs the sandbox. It warns about a weak sandbox.
func (c *WorkerLocations) Start(ctx context.Context) error {
	o, err := c.SpawnerOptions(c.Workers)
	if err != nil {
		return err
	}
	o.Log = c.Log.Named("spawner")
	if !c.OwnSpawner {
		if o.Started, err = InheritedSpawnerSocket(); err != nil {
			return err
		}
	}
	if c.Spawner, err = pool.StartSpawner(ctx, o); err != nil {
		return SandboxError(err)
	}
	c.checkPolicy()
	level, walls := hclog.Info, c.Spawner.Sandbox()
	if walls.IsWeak() {
		level = hclog.Warn
	}
	c.Log.Log(level, "walls", "tier", walls.Tier, "why", walls.Why, "limits", walls.Limits)
	return nil
}

// SetUsers sets the users and prepares their homes. An error changes nothing. At the first call, an
// error of one user does not affect other users, and LocationOf tries again later. The same holds
// for users whose homes could not be prepared before. A folder through which workers would reach
// file histories is always an error. SetUsers must not run twice at once. A known folder keeps its
// location, because a worker may have replaced it by a link.
func (c *WorkerLocations) SetUsers(users []supervisor.User) (commit func(), err error) {
	var homes []string
	for _, u := range users {
		homes = append(homes, u.Home, c.HistoryPath(u))
	}
	if err := c.checkUIDs(users, homes); err != nil {
		return nil, err
	}
	roots, broken := map[string]string{}, map[string]bool{}
	for _, path := range c.ReadOnly {
		if err := c.findRoot(path, roots); err != nil {
			return nil, err
		}
	}
	for _, u := range users {
		err := c.prepare(u, roots)
		if err != nil && c.roots.Load() != nil && !c.broken[u.Name] {
			return nil, err
		}
		if broken[u.Name] = err != nil; err != nil && !c.broken[u.Name] {
			c.Log.Error("somebody can't be served until this is mended", "user", u.Name, "error", err)
		}
	}
	if err := c.checkHistoriesHidden(users); err != nil {
		return nil, err
	}
	return func() {
		c.roots.Store(&roots)
		c.broken = broken
	}, nil
}

// accountOf returns the account of a user's worker. If the sandbox uses accounts, that is the
// user's own account. Otherwise it is the service's.
func (c *WorkerLocations) accountOf(u supervisor.User) (Account, error) {
	if u.Account == "" || c.Spawner.Sandbox().Tier != "accounts" {
		return Account{}, nil
	}
	own, err := FindAccount(u.Account)
	if err != nil || own.UID == 0 || own.UID == uint32(os.Getuid()) {
		return Account{}, err
	}
	return own, nil
}

// LocationOf returns the location and limits of a user's worker.
func (c *WorkerLocations) LocationOf(u supervisor.User) (pool.WorkerLocation, error) {
	if err := c.refuseLostHome(u); err != nil {
		return pool.WorkerLocation{}, err
	}
	roots := *c.roots.Load()
	if roots[u.Home] == "" { // SetUsers could not prepare the folder
		roots = maps.Clone(roots)
		if err := c.prepare(u, roots); err != nil {
			return pool.WorkerLocation{}, err
		}
	}
	whose, err := c.accountOf(u)
	if err != nil {
		return pool.WorkerLocation{}, fmt.Errorf("account %q of %s: %w", u.Account, u.Name, err)
	}
	own, missing, err := c.ownAccount(u)
	if err == nil && own == (Account{}) && whose == (Account{}) && c.isOurs(u.Home) {
		// the home may be missing, because the spawner was expected to make it
		if err = c.makeOurs(u); err == nil {
			own, missing, err = c.ownAccount(u)
		}
	}
	if err != nil {
		return pool.WorkerLocation{}, fmt.Errorf("the folder of %s: %w", u.Name, err)
	}
	if own != (Account{}) {
		whose = own
	} else if c.isOurs(u.Home) {
		info, bad := os.Lstat(u.Home)
		missing = c.hasAccount(u) && whose != (Account{}) && errors.Is(bad, fs.ErrNotExist)
		if bad == nil && info.IsDir() {
			err = c.checkOwner(u, OwnerUID(info), whose)
		}
	}
	if err != nil {
		return pool.WorkerLocation{}, err
	}
	p := pool.WorkerLocation{Root: roots[u.Home], Path: filepath.Base(u.Home), MakeHome: missing, UID: whose.UID,
		GID: whose.GID,
		// a spawner that has started this process ignores these limits and has its own
		Memory: uint64(c.Memory), PIDs: uint32(c.PIDs)}
	p.HistoryRoot, p.HistoryPath = c.historyOf(u, whose)
	for _, path := range u.Workspaces {
		p.Binds = append(p.Binds, spawnwire.BindMount{Name: filepath.Base(path), Root: roots[path],
			Path:     filepath.Base(path),
			Writable: true})
	}
	for _, path := range c.ReadOnly {
		p.Binds = append(p.Binds, spawnwire.BindMount{Root: roots[path], Path: filepath.Base(path)})
	}
	return p, nil
}

// LocationWithoutHome returns the location and limits of a worker without a home.
func (c *WorkerLocations) LocationWithoutHome() pool.WorkerLocation {
	return pool.WorkerLocation{Memory: uint64(c.Memory), PIDs: uint32(c.PIDs)}
}

// HomePathInSandbox returns the path of a home inside its worker's sandbox.
func (c *WorkerLocations) HomePathInSandbox(home string) string {
	switch c.Spawner.Sandbox().Tier {
	case "accounts", "namespaces":
		return "/home"
	}
	return home
}

// WorkspacePathsInSandbox returns the paths of a user's workspaces as the worker sees them.
func (c *WorkerLocations) WorkspacePathsInSandbox(u supervisor.User) (paths []string) {
	for _, folder := range u.Workspaces {
		switch c.Spawner.Sandbox().Tier {
		case "accounts", "namespaces":
			folder = "/workspaces/" + filepath.Base(folder)
		}
		paths = append(paths, folder)
	}
	return paths
}
