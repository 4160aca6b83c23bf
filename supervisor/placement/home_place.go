package placement

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"mews/supervisor"
	"mews/supervisor/pool"
)

// LocationForHomeOperation returns a worker's location for packing or emptying a home. The worker
// does nothing else. The location includes the worker's limits. The user may be gone, so the home's
// owner is the worker's account.
func (c *WorkerLocations) LocationForHomeOperation(u supervisor.User) (pool.WorkerLocation, error) {
	if c.isOurs(u.Home) {
		if err := c.giveHome(u); err != nil {
			return pool.WorkerLocation{}, fmt.Errorf("give the folder of %s to its worker's account: %w", u.Name, err)
		}
	}
	info, err := os.Lstat(u.Home)
	if err != nil {
		return pool.WorkerLocation{}, fmt.Errorf("the folder of %s: %w", u.Name, err)
	}
	root, err := filepath.EvalSymlinks(filepath.Dir(u.Home))
	if err != nil {
		return pool.WorkerLocation{}, fmt.Errorf("the folder of %s: %w", u.Name, err)
	}
	p := pool.WorkerLocation{Root: root, Path: filepath.Base(u.Home), Memory: uint64(c.Memory), PIDs: uint32(c.PIDs)}
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
