package placement

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mews/supervisor"
)

// UIDStore stores the uid of each user, which never changes.
type UIDStore interface {
	Find(ctx context.Context, user string, from, to uint32) (uint32, error) // returns 0 for a user without a uid
	// Assign assigns wanted, or an unused uid that is not in taken.
	Assign(ctx context.Context, user string, from, to, wanted uint32, taken []uint32) (uint32, error)
	WasAnyAssigned(ctx context.Context, from, to uint32) (bool, error) // whether any user has a uid of the range
}

// storeTimeout is how long reading a user's uid may take.
const storeTimeout = 10 * time.Second

// mayOwn reports whether a user's worker may have its own uid. Workspaces belong to accounts of the
// machine, and only root can share them with another uid. So without root, a user with workspaces
// keeps the shared account.
func (c *WorkerLocations) mayOwn(u supervisor.User) bool {
	_, given := os.LookupEnv(spawnerVariable)
	return c.UIDs != UIDRange{} && u.Account == "" && (c.Tier == "auto" || c.Tier == "accounts") &&
		(os.Getuid() == 0 || given && len(u.Workspaces) == 0)
}

// mayOwnLater reports whether the worker of a user may have another account when the service runs,
// so that this process must not make the home.
func (c *WorkerLocations) mayOwnLater(u supervisor.User) bool {
	return c.Idle && os.Getuid() != 0 && (c.UIDs != UIDRange{} || u.Account != "") && (c.Tier == "auto" ||
		c.Tier == "accounts")
}

// mayBeLent reports whether a home belongs to the shared account. If the file system supports that,
// a spawner with root maps the home to the user's own uid. Otherwise the user's worker runs under
// the shared account.
func (c *WorkerLocations) mayBeLent(home fs.FileInfo) bool {
	return os.Getuid() == 0 && c.Workers.UID != 0 && OwnerUID(home) == c.Workers.UID
}

// hasAccount reports whether a user has a usable OS account of their own. Such an account is usable
// only if a spawner has started this process.
func (c *WorkerLocations) hasAccount(u supervisor.User) bool {
	_, given := os.LookupEnv(spawnerVariable)
	own, err := FindAccount(u.Account)
	return given && os.Getuid() != 0 && u.Account != "" && err == nil && own.UID != 0 && own.UID != uint32(os.Getuid()) &&
		(c.Tier == "auto" || c.Tier == "accounts")
}

// ownAccount returns the account of a user who may have a uid of their own. The zero value means
// that the home belongs to another account, until an admin hands it over. missing means that the
// home does not exist yet; the spawner will make it. A user with workspaces gets a home of the
// shared account.
func (c *WorkerLocations) ownAccount(u supervisor.User) (own Account, missing bool, err error) {
	if !c.mayOwn(u) || c.Spawner.Sandbox().Tier != "accounts" {
		return own, false, nil
	}
	uid, err := c.ownUID(u)
	if err != nil {
		return own, false, err
	}
	info, err := os.Lstat(u.Home)
	missing = errors.Is(err, fs.ErrNotExist)
	if missing && c.isOurs(u.Home) && len(u.Workspaces) == 0 || err == nil && (OwnerUID(info) == uid ||
		c.mayBeLent(info)) {
		return Account{uid, uid}, missing, nil
	}
	return own, false, err
}

// ownUID returns a user's own uid. A user without one gets the uid that owns their home already, as
// after the loss of the database. Nobody gets a uid that owns the folder of another user.
func (c *WorkerLocations) ownUID(u supervisor.User) (uint32, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	uid, err := c.Kept.Find(ctx, u.Name, c.UIDs.From, c.UIDs.To)
	if uid > 0 || err != nil {
		return uid, err
	}
	wanted, taken, err := c.folderOwners(u.Home, c.HistoryPath(u))
	var used []uint32
	if err == nil && c.UIDsOptional {
		used, err = c.UIDs.usedUIDs("/proc", ownedFolders)
	}
	if err != nil {
		return 0, fmt.Errorf("find a free uid for %s: %w", u.Name, err)
	}
	taken = append(taken, used...)
	if first := c.firstUID(); first > c.UIDs.From && !c.UIDs.Contains(wanted) {
		uid, err = c.Kept.Assign(ctx, u.Name, first, c.UIDs.To, 0, taken)
		if err == nil {
			return uid, nil
		}
	}
	return c.Kept.Assign(ctx, u.Name, c.UIDs.From, c.UIDs.To, wanted, taken)
}

// uidBlock is the number of uids from one installation's first uid to the first uid of the next
// installation.
const uidBlock = 100

// firstUID returns the uid from which this installation assigns. Several installations may share an
// optional range. An installation whose workers do not run leaves no trace of its uids in /proc. So
// a hash of the state folder's path decides.
func (c *WorkerLocations) firstUID() uint32 {
	blocks := (c.UIDs.To - c.UIDs.From + 1) / uidBlock
	if !c.UIDsOptional || blocks < 2 {
		return c.UIDs.From
	}
	path := fnv.New32a()
	_, _ = path.Write([]byte(c.State)) // a hash never fails
	return c.UIDs.From + path.Sum32()%blocks*uidBlock
}

// folderOwners returns the owner of a home, and the owners of other users' folders. The owner is 0
// if the home is missing, or if its owner also owns another folder except the home's file history.
func (c *WorkerLocations) folderOwners(home, history string) (own uint32, others []uint32, err error) {
	homes := filepath.Join(c.State, "homes")
	entries, err := os.ReadDir(homes) // this includes the homes of former users
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, nil, err
	}
	folders := map[string]bool{home: true}
	for _, e := range entries {
		if path := filepath.Join(homes, e.Name()); path != history {
			folders[path] = true
		}
	}
	if known := c.roots.Load(); known != nil {
		for path := range *known {
			folders[path] = true
		}
	}
	for path := range folders {
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return 0, nil, err
		case path == home:
			own = OwnerUID(info)
		default:
			others = append(others, OwnerUID(info))
		}
	}
	if slices.Contains(others, own) {
		own = 0
	}
	return own, others, nil
}

// checkOwner refuses a home that Mews made for another account than that of the user's worker. The
// accounts differ after a change of the uids or of the sandbox. The error says who should own the
// home. whose is the worker's account; the zero value means the shared account.
func (c *WorkerLocations) checkOwner(u supervisor.User, owner uint32, whose Account) error {
	if whose == (Account{}) {
		whose = c.sharedAccount()
	}
	if owner == whose.UID {
		return nil
	}
	if c.Sharing != "" && c.UIDs == (UIDRange{}) { // the home is its user's alone, and must stay so
		return fmt.Errorf(textHomeOfUID, u.Name, u.Home, owner, c.Sharing)
	}
	if c.mayOwn(u) && c.Spawner.Sandbox().Tier == "accounts" {
		uid, err := c.ownUID(u)
		if err != nil {
			return err
		}
		whose = Account{uid, uid}
	}
	return fmt.Errorf(textHomeOfOurs, u.Name, u.Home, c.chownCommand(u, whose))
}

// sharedAccount returns the account of workers whose users have no account.
func (c *WorkerLocations) sharedAccount() Account {
	if c.Workers == (Account{}) {
		return Account{uint32(os.Getuid()), uint32(os.Getgid())}
	}
	return c.Workers
}

// HandOverCommand returns the command that gives a home and its file history to its user. The new
// owner is the user's own uid. It returns "" if the worker already has that uid, or if the user has
// no uid. worker is the pid of the worker; 0 means no worker.
func (c *WorkerLocations) HandOverCommand(u supervisor.User, worker int) string {
	if !c.SharesAccount(u, worker) || !c.mayOwn(u) || len(u.Workspaces) > 0 || c.Spawner.Sandbox().Tier != "accounts" {
		return ""
	}
	uid, err := c.ownUID(u)
	if err != nil {
		return ""
	}
	return c.chownCommand(u, Account{uid, uid})
}

// chownCommand returns the command that gives a home and its file history to an account.
func (c *WorkerLocations) chownCommand(u supervisor.User, whose Account) string {
	command := fmt.Sprintf("chown -hR %d:%d %s", whose.UID, whose.GID, u.Home)
	if history := c.HistoryPath(u); history != "" {
		if _, err := os.Lstat(history); err == nil {
			command += " " + history
		}
	}
	return command
}

// SharesAccount reports whether a user's worker may share its account with other workers. worker is
// the pid of the worker; 0 means no worker.
func (c *WorkerLocations) SharesAccount(u supervisor.User, worker int) bool {
	whose, err := c.accountOf(u)
	own, _, bad := c.ownAccount(u)
	shared := c.Workers.UID != 0 && slices.Contains(uidsOf(fmt.Sprint("/proc/", worker)), c.Workers.UID)
	return err == nil && bad == nil && whose == (Account{}) && (own == (Account{}) || shared)
}

// isOurs reports whether a home is in Mews's folder of homes.
func (c *WorkerLocations) isOurs(home string) bool {
	return filepath.Dir(home) == filepath.Join(c.State, "homes")
}

// checkUIDs refuses a range of uids that is not free. Of an optional range, uids in use are
// skipped. If accounts or containers of the machine have uids of an optional range, users without
// an account share one account instead. An optional range is checked only once. If a user already
// has a uid of the range, the range stays in use, because the user's home belongs to that uid.
func (c *WorkerLocations) checkUIDs(users []supervisor.User, homes []string) error {
	if c.UIDs == (UIDRange{}) || c.UIDsOptional && (c.roots.Load() != nil || !slices.ContainsFunc(users, c.mayOwn)) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	given, err := c.Kept.WasAnyAssigned(ctx, c.UIDs.From, c.UIDs.To)
	if err != nil {
		return err
	}
	if c.UIDsOptional { // an optional range may have used ids, which are skipped
		err = c.UIDs.checkFree("/etc", nil, nil)
	} else if err = c.UIDs.checkFree("/etc", ownedFolders, homes); err == nil && !given {
		err = c.UIDs.checkProcesses("/proc")
	}
	if err == nil && !given {
		err = c.UIDs.checkMapped("/proc/self")
	}
	if err == nil || !c.UIDsOptional {
		return err
	}
	c.share(err.Error(), given)
	return nil
}

// checkPolicy lets users share an account if the spawner refuses the optional range.
func (c *WorkerLocations) checkPolicy() {
	from, to := c.Spawner.UIDRange()
	if c.UIDsOptional && c.UIDs != (UIDRange{}) && c.Spawner.Sandbox().Tier == "accounts" && (c.UIDs.From < from || c.UIDs.To > to) {
		c.share(fmt.Sprintf(textUIDsPolicy, c.UIDs), false)
	}
}

// share records why users share an account. kept means that the range stays in use: users with a
// uid keep it, and other users still get one.
func (c *WorkerLocations) share(why string, kept bool) {
	c.Log.Warn("people without an account should have a user id each", "why", why)
	c.Sharing = why
	if !kept {
		c.UIDs = UIDRange{}
	}
}
