package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/config"
	"mews/protocol/spawnwire"
	"mews/supervisor"
	"mews/supervisor/control"
	"mews/supervisor/hostcall"
	"mews/supervisor/pool"
)

// Account is an OS account by its numbers; the zero value is the service's own.
type Account struct{ UID, GID uint32 }

// FindAccount finds an account by its name. One that stands in no passwd file, as in many containers, is uid-N, as the
// configuration calls whoever runs Mews there.
func FindAccount(name string) (Account, error) {
	if number, ok := strings.CutPrefix(name, "uid-"); ok && number == strconv.Itoa(os.Getuid()) {
		return Account{uint32(os.Getuid()), uint32(os.Getgid())}, nil
	}
	found, err := user.Lookup(name)
	if err != nil {
		return Account{}, err
	}
	uid, err1 := strconv.ParseUint(found.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(found.Gid, 10, 32)
	return Account{uint32(uid), uint32(gid)}, errors.Join(err1, err2)
}

// WorkerAccount is whose the workers are of people who have no account. A service that is not root's has them run as
// itself. No worker is ever root: a root without a configuration makes the account; with one it says how.
func WorkerAccount(ctx context.Context, cfg *config.Config) (Account, error) {
	if os.Getuid() != 0 {
		return Account{}, nil
	}
	name := cfg.Worker.Account
	found, err := FindAccount(name)
	if missing := user.UnknownUserError(""); errors.As(err, &missing) {
		command := []string{"useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", name}
		if !cfg.Local {
			return found, fmt.Errorf("workers never run as root, and there is no account %q for them: make it with `%s`, "+
				"or name another one in worker.account", name, shown(command))
		}
		if err := makeAccount(ctx, command); err != nil {
			return found, err
		}
		found, err = FindAccount(name)
	}
	if err == nil && (found.UID == 0 || found.GID == 0) {
		err = errors.New("it is root's, and a worker is never root")
	}
	if err != nil {
		return found, fmt.Errorf("the account %q of workers: %w", name, err)
	}
	return found, nil
}

func shown(command []string) string {
	text := command[0]
	for _, word := range command[1:] {
		text += " " + word
	}
	return text
}

// makeAccount makes the account that nobody can log in to.
func makeAccount(ctx context.Context, command []string) error {
	bounded, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if out, err := exec.CommandContext(bounded, command[0], command[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("make an account for workers, which never run as root: %s: %w: %s", shown(command), err, out)
	}
	return nil
}

// SpawnerOptions say how mews-spawner is started for a configuration.
func SpawnerOptions(cfg *config.Config, workers Account) (pool.SpawnerOptions, error) {
	spawner, worker, err := Companions()
	o := pool.SpawnerOptions{
		Path: spawner, Worker: worker, Tier: cfg.Worker.Sandbox, Least: cfg.Worker.SandboxMin, UID: workers.UID, GID: workers.GID,
		Memory: uint64(cfg.Worker.Memory), PIDs: uint32(cfg.Worker.PIDs),
	}
	return o, err
}

// chambers are where workers live, one for each person: their account, their folders, the walls around them.
type chambers struct {
	config  *config.Config
	log     hclog.Logger
	workers Account                           // of people without one
	roots   atomic.Pointer[map[string]string] // of each folder that workers get, what it lies in, without links
	spawner *pool.Spawner                     // from start on
	held    Holdings                          // what is in the folders
	strikes strikes
	tell    func(ctx context.Context, user, text string) // tells a person something, wherever they are being worked for
}

// Start starts the spawner, and tells what holds workers in: loudly where it is less than usual.
func (c *chambers) start(ctx context.Context) error {
	o, err := SpawnerOptions(c.config, c.workers)
	if err != nil {
		return err
	}
	o.Log = c.log.Named("spawner")
	if o.Started, err = StartedBy(); err != nil {
		return err
	}
	if c.spawner, err = pool.StartSpawner(ctx, o); err != nil {
		return WallsFault(err)
	}
	level, walls := hclog.Info, c.spawner.Sandbox()
	if control.Walls(walls).Weak() {
		level = hclog.Warn
	}
	c.log.Log(level, "walls", "tier", walls.Tier, "why", walls.Why, "limits", walls.Limits)
	return nil
}

// findRoots finds where the folders lie that workers get. That of a folder which is known already stays as it is: a link
// that a worker could have put on the way since is not followed.
func (c *chambers) findRoots(users []supervisor.User) (map[string]string, error) {
	known, roots := c.roots.Load(), map[string]string{}
	folders := slices.Clone(c.config.Worker.ReadOnly)
	for _, u := range users {
		folders = append(append(folders, u.Home), u.Workspaces...)
	}
	for _, path := range folders {
		if known != nil && (*known)[path] != "" {
			roots[path] = (*known)[path]
			continue
		}
		root, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return nil, fmt.Errorf("find the folder %s: %w", path, err)
		}
		roots[path] = root
	}
	return roots, nil
}

// accountOf is whose worker a person gets: their own account's where the walls have such, else the service's.
func (c *chambers) accountOf(u supervisor.User) (Account, error) {
	if u.Account == "" || c.spawner.Sandbox().Tier != "accounts" {
		return Account{}, nil
	}
	own, err := FindAccount(u.Account)
	if err != nil || own.UID == 0 || own.UID == uint32(os.Getuid()) {
		return Account{}, err
	}
	return own, nil
}

// place is where a person's worker lives, and what it may have.
func (c *chambers) place(u supervisor.User) (pool.Place, error) {
	whose, err := c.accountOf(u)
	if err != nil {
		return pool.Place{}, fmt.Errorf("account %q of %s: %w", u.Account, u.Name, err)
	}
	roots := *c.roots.Load()
	p := pool.Place{Root: roots[u.Home], Path: filepath.Base(u.Home), UID: whose.UID, GID: whose.GID,
		Memory: uint64(c.config.Worker.Memory), PIDs: uint32(c.config.Worker.PIDs)} // a spawner that started this has limits of its own
	for _, path := range u.Workspaces {
		p.Binds = append(p.Binds, spawnwire.Bind{Name: filepath.Base(path), Root: roots[path], Path: filepath.Base(path),
			Writable: true})
	}
	for _, path := range c.config.Worker.ReadOnly {
		p.Binds = append(p.Binds, spawnwire.Bind{Root: roots[path], Path: filepath.Base(path)})
	}
	return p, nil
}

// seen is a home's path within the walls.
func (c *chambers) seen(home string) string {
	switch c.spawner.Sandbox().Tier {
	case "accounts", "namespaces":
		return "/home"
	}
	return home
}

// give has a home below the state folder belong to its worker's account, with all that an earlier version, which had
// Workers run as root, has left in it. Any other home is its person's own affair.
func (c *chambers) give(u supervisor.User) error {
	whose := c.workers
	if own, err := FindAccount(u.Account); err == nil && u.Account != "" && own.UID != 0 && c.config.Worker.Sandbox != "namespaces" {
		whose = own
	}
	if os.Getuid() != 0 || whose.UID == 0 {
		return nil
	}
	above, err := os.OpenRoot(filepath.Dir(u.Home))
	if err != nil {
		return err
	}
	defer above.Close()
	if info, err := above.Lstat(filepath.Base(u.Home)); err != nil || !info.IsDir() {
		return errors.Join(err, fmt.Errorf("%s is no folder", u.Home))
	}
	root, err := above.OpenRoot(filepath.Base(u.Home)) // what a person has put there leads nowhere else
	if err != nil {
		return err
	}
	defer root.Close()
	if info, err := root.Stat("."); err != nil || UIDOf(info) != 0 {
		return err
	}
	return fs.WalkDir(root.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return root.Lchown(path, int(whose.UID), int(whose.GID))
	})
}

// Trusted refuses a root whose state lies where somebody else may put a link in the way: root gives folders there to other
// accounts.
func Trusted(state string) error {
	if os.Getuid() != 0 {
		return nil
	}
	for path := state; ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("look at the state folder: %w", err)
		}
		if UIDOf(info) != 0 || info.Mode()&0o022 != 0 && info.Mode()&os.ModeSticky == 0 {
			return fmt.Errorf("the state folder %s: %s can be written by others than root, who runs Mews here; choose another "+
				"`state:`, such as /var/lib/mews, or run Mews as the account whose folder that is", state, path)
		}
		if path == filepath.Dir(path) {
			return nil
		}
	}
}

// TryingPlace is a folder in which a worker that is nobody's tries the walls.
func TryingPlace(cfg *config.Config, workers Account) (pool.Place, error) {
	const name = "trial"
	path := filepath.Join(cfg.State, name)
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if info, bad := os.Lstat(path); err == nil && (bad != nil || !info.IsDir()) {
		err = errors.Join(bad, fmt.Errorf("%s is no folder", path))
	}
	if err == nil && workers.UID != 0 {
		err = os.Lchown(path, int(workers.UID), int(workers.GID))
	}
	if err != nil {
		return pool.Place{}, fmt.Errorf("make a folder to try the walls in: %w", err)
	}
	return pool.Place{Root: cfg.State, Path: name}, nil
}

// selfTestSpec is the worker that is nobody's.
func selfTestSpec(place pool.Place) pool.Spec {
	return pool.Spec{Key: "self-test", Profile: pool.ProfileSelfTest, Place: place}
}

// WithSelfTestWorker calls f with a worker that is nobody's, in a pool that ends with it.
func WithSelfTestWorker(ctx context.Context, s *pool.Spawner, place pool.Place, f func(*PooledWorker) error) error {
	running, end := context.WithCancel(ctx)
	workers := pool.New(pool.Options[*hostcall.Conn]{Spawner: s, Log: Discard()})
	ended := make(chan error, 1)
	go func() { ended <- workers.Run(running) }()
	worker, err := workers.Acquire(ctx, selfTestSpec(place))
	if err == nil {
		err = worker.End(f(worker))
	}
	end()
	return errors.Join(err, <-ended)
}

// strikes remembers who was told of what.
type strikes struct {
	mu   sync.Mutex // of told
	told map[string]time.Time
}

// first says whether this is to be told.
func (s *strikes) first(what string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, ok := s.told[what]; ok && now.Sub(last) < quiet {
		return false
	}
	if s.told == nil {
		s.told = map[string]time.Time{}
	}
	s.told[what] = now
	return true
}

// forget has a person told again: a turn of theirs begins.
func (s *strikes) forget(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.told, func(what string, _ time.Time) bool { return strings.HasPrefix(what, user+" ") })
}

// quiet is how long a person is not told again of the same limit in one turn.
const quiet = 10 * time.Minute

// struck has a person told that a limit has struck.
func (c *chambers) struck(user string, strike pool.LimitHit) {
	if !c.strikes.first(user+" "+strike.Limit, time.Now()) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), noticing)
	go func() { // ends with its timeout: whoever told of it must not be held up
		defer cancel()
		c.tell(ctx, user, struckText(strike))
	}()
}

// struckText says what has struck and by how much, and what can be done about it.
func struckText(s pool.LimitHit) string {
	switch s.Limit {
	case "memory":
		return fmt.Sprintf("Something that I ran needed more than the %s of memory that I may use, and was ended. "+
			"I go on without it. An admin can allow more in the configuration: worker.memory.", config.Size(s.Most))
	case "pids":
		return fmt.Sprintf("Something that I ran wanted more than the %d processes that I may have at once, and was stopped. "+
			"I go on without it. An admin can allow more in the configuration: worker.pids.", s.Most)
	}
	return "Something that I ran came up against the limit of " + s.Limit + "."
}

// StartedBy is the socket of the mews-spawner that has started this process; nil where none has.
func StartedBy() (*os.File, error) {
	value, ok := os.LookupEnv(spawnerVariable)
	if !ok {
		return nil, nil
	}
	fd, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return nil, fmt.Errorf("the environment's %s is %q: it is for mews-spawner to set", spawnerVariable, value)
	}
	return os.NewFile(uintptr(fd), "spawner"), nil
}

// spawnerVariable is where a mews-spawner that starts mews says on which descriptor it listens.
const spawnerVariable = "MEWS_SPAWNER_FD"

func UIDOf(info fs.FileInfo) uint32 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Uid
	}
	return 0
}

// spawnersWord is what stands before what a spawner wrote at its end, with its lines as Go writes them in quotes.
const spawnersWord = "it wrote: mews-spawner: "

// WallsFault is why there are no walls in the spawner's own words alone: a line for what there is to know, and one for each
// remedy. Any other error stays as it is.
func WallsFault(err error) error {
	if err == nil {
		return nil
	}
	_, quoted, found := strings.Cut(err.Error(), spawnersWord)
	text, bad := strconv.Unquote(`"` + quoted + `"`)
	if !found || bad != nil {
		return err
	}
	return errors.New(strings.TrimSpace(text))
}
