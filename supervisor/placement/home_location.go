package placement

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"mews/supervisor"
	"mews/supervisor/pool"
)

// LocationForHomeOperation returns a worker's location for packing or emptying a home. The worker
// does nothing else. The location includes the worker's limits, and the home's file history if the
// worker's account owns it. The user may be gone, so the home's owner is the worker's account.
func (c *WorkerLocations) LocationForHomeOperation(u supervisor.User) (pool.WorkerLocation, error) {
	p, err := c.locationForFolder(u, u.Home, c.isOurs(u.Home))
	if err != nil || !keepsHistory(c.Spawner.Sandbox().Tier) {
		return p, err
	}
	history := c.HistoryPath(u)
	info, err := os.Lstat(history)
	if err != nil || !info.IsDir() || OwnerUID(info) != cmp.Or(p.UID, c.sharedAccount().UID) {
		return p, nil
	}
	root, err := filepath.EvalSymlinks(c.HistoryDir)
	p.HistoryRoot, p.HistoryPath = root, filepath.Base(history)
	return p, err
}

// LocationForRestoring returns a worker's location for writing into a home. If a home in the state
// folder is missing, the spawner makes it for the account that the user's workers will have.
func (c *WorkerLocations) LocationForRestoring(u supervisor.User) (pool.WorkerLocation, error) {
	if _, err := os.Lstat(u.Home); !errors.Is(err, fs.ErrNotExist) || !c.isOurs(u.Home) {
		return c.LocationForHomeOperation(u)
	}
	whose, err := c.accountOf(u)
	if err == nil && whose == (Account{}) && c.UIDs != (UIDRange{}) && len(u.Workspaces) == 0 &&
		c.Spawner.Sandbox().Tier == "accounts" {
		whose.UID, err = c.ownUID(u)
		whose.GID = whose.UID
	}
	if err == nil && whose == (Account{}) {
		err = c.makeOurs(u)
	} else if err == nil {
		err = c.makeHomes(filepath.Dir(u.Home))
	}
	if err != nil {
		return pool.WorkerLocation{}, fmt.Errorf("the folder of %s: %w", u.Name, err)
	}
	if whose == (Account{}) {
		return c.LocationForHomeOperation(u)
	}
	root, err := filepath.EvalSymlinks(filepath.Dir(u.Home))
	return pool.WorkerLocation{Root: root, Path: filepath.Base(u.Home), MakeHome: true, UID: whose.UID, GID: whose.GID,
		Memory: uint64(c.Memory), PIDs: uint32(c.PIDs)}, err
}

// LocationForHistoryOperation returns the location of a worker that empties a file history. For the
// worker the history's folder is its home.
func (c *WorkerLocations) LocationForHistoryOperation(u supervisor.User) (pool.WorkerLocation, error) {
	return c.locationForFolder(u, c.ExistingHistoryPath(u), true)
}

// locationForFolder returns the location of a worker whose home is a folder. If give is set, a
// folder that root owns is given to the worker's account.
func (c *WorkerLocations) locationForFolder(u supervisor.User, folder string, give bool) (pool.WorkerLocation, error) {
	if give {
		if err := c.giveFolder(u, folder, c.recipientOf(u)); err != nil {
			return pool.WorkerLocation{}, fmt.Errorf("give the folder of %s to its worker's account: %w", u.Name, err)
		}
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return pool.WorkerLocation{}, fmt.Errorf("the folder of %s: %w", u.Name, err)
	}
	root, err := filepath.EvalSymlinks(filepath.Dir(folder))
	if err != nil {
		return pool.WorkerLocation{}, fmt.Errorf("the folder of %s: %w", u.Name, err)
	}
	p := pool.WorkerLocation{Root: root, Path: filepath.Base(folder), Memory: uint64(c.Memory), PIDs: uint32(c.PIDs)}
	if owner := OwnerUID(info); owner != c.sharedAccount().UID {
		p.UID, p.GID = owner, c.groupOf(owner)
	}
	return p, nil
}

// groupOf returns the group of a worker's account. A uid without an account is its own group.
func (c *WorkerLocations) groupOf(uid uint32) uint32 {
	found, err := user.LookupId(strconv.FormatUint(uint64(uid), 10))
	if c.UIDs.Contains(uid) || err != nil {
		return uid
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	if err != nil {
		return uid
	}
	return uint32(gid)
}
