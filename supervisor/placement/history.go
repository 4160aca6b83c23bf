package placement

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"mews/supervisor"
)

// HistorySuffix ends the name of the folder of a home's file history. No user's name has a dot, so
// no home has such a name.
const HistorySuffix = ".history"

// keepsHistory reports whether workers behind the walls of a tier may keep a file history. Without
// walls, every program would reach it.
func keepsHistory(tier string) bool { return tier != "off" }

// HistoryPath returns the folder of the file history of a user's home. The folder exists once a
// worker has kept a history there. It stays if no history is kept any longer.
func (c *WorkerLocations) HistoryPath(u supervisor.User) string {
	if c.HistoryDir == "" {
		return ""
	}
	return filepath.Join(c.HistoryDir, u.Name+HistorySuffix)
}

// FindHistory returns the existing folder of a user's file history. It looks into folders in turn.
// If none exists, it returns the path in the first folder.
func FindHistory(user string, folders ...string) string {
	for _, folder := range folders {
		path := filepath.Join(folder, user+HistorySuffix)
		if _, err := os.Lstat(path); err == nil {
			return path
		}
	}
	return filepath.Join(folders[0], user+HistorySuffix)
}

// ExistingHistoryPath is like HistoryPath, but also finds a file history beside the homes. It is
// there if worker.history_dir was set later.
func (c *WorkerLocations) ExistingHistoryPath(u supervisor.User) string {
	return FindHistory(u.Name, c.historyFolders()...)
}

// historyOf returns the location of a user's file history; "" means that there is none. A process
// without a service has none, because it may not make folders. If no history is kept any longer, an
// earlier one still has a location, because a worker must be able to forget its versions. The
// parameter whose is the account of the user's worker; the zero value means the shared account. The
// spawner makes a missing folder. If root owns the folder, as after a restore of a backup,
// historyOf gives it to the account. A history that can't be used never stops a worker:
// HistoryFault says why, and the user is served without it.
func (c *WorkerLocations) historyOf(u supervisor.User, whose Account) (root, name string) {
	path := c.HistoryPath(u)
	if path == "" || c.Idle || !keepsHistory(c.Spawner.Sandbox().Tier) || !c.History && !exists(path) {
		return "", ""
	}
	var err error
	if c.History {
		err = c.makeHistories()
	}
	if err == nil {
		root, err = filepath.EvalSymlinks(c.HistoryDir)
	}
	if err != nil {
		c.setHistoryFault(u, fmt.Sprintf(textHistoriesClosed, c.HistoryDir, err))
		return "", ""
	}
	if whose == (Account{}) {
		whose = c.sharedAccount()
	}
	info, err := os.Lstat(path)
	if err == nil {
		if err = c.giveFolder(u, path, whose); err == nil {
			info, err = os.Lstat(path)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.setHistoryFault(u, fmt.Sprintf(textHistoryClosed, path, err))
		return "", ""
	}
	// the spawner decides about a folder of the shared account
	if err == nil && OwnerUID(info) != whose.UID && OwnerUID(info) != c.sharedAccount().UID {
		c.setHistoryFault(u, c.ownerFault(u, path, OwnerUID(info), whose))
		return "", ""
	}
	c.setHistoryFault(u, "")
	return root, filepath.Base(path)
}

// ownerFault says why the file history of another account is not used. The text shows a command,
// unless the home also belongs to another account: then the home is the fault. No command changes
// the owner of a folder that an admin has chosen as the home.
func (c *WorkerLocations) ownerFault(u supervisor.User, path string, owner uint32, whose Account) string {
	command := c.chownCommand(u, whose)
	if !c.isOurs(u.Home) {
		if info, err := os.Stat(u.Home); err != nil || OwnerUID(info) != whose.UID {
			return fmt.Sprintf(textHistoryAndHome, path, owner)
		}
		command = fmt.Sprintf("chown -hR %d:%d %s", whose.UID, whose.GID, path)
	}
	return fmt.Sprintf(textHistoryOfUID, path, owner, command)
}

// exists reports whether a path exists, or may exist.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// UnreachableHistory returns the folder of a user's file history that no worker can use. "" means
// that there is no such folder.
func (c *WorkerLocations) UnreachableHistory(u supervisor.User) string {
	path := c.HistoryPath(u)
	if path == "" || !exists(path) || keepsHistory(c.Spawner.Sandbox().Tier) && c.HistoryFault(u.Name) == "" {
		return ""
	}
	return path
}

// HistoryFault says why a user's file history can't be used. LocationOf or the spawner has found
// that. The text is for people; "" means no fault.
func (c *WorkerLocations) HistoryFault(user string) string {
	return cmp.Or(faultIn(&c.historyFaults, user), faultIn(&c.spawnFaults, user))
}

// RecheckHistoryFault looks again at a fault of a user's file history. It returns the fault that is
// left. A fault that the spawner found counts only while the worker runs, because the next worker
// tries again.
func (c *WorkerLocations) RecheckHistoryFault(u supervisor.User, running bool) string {
	if faultIn(&c.historyFaults, u.Name) != "" {
		_, _ = c.LocationOf(u) // stores the fault; the error is about something else
	}
	if running {
		return c.HistoryFault(u.Name)
	}
	return faultIn(&c.historyFaults, u.Name)
}

// NoteHistoryStart stores whether a user's new worker could use its file history. fault is the
// spawner's reason; "" means that it could.
func (c *WorkerLocations) NoteHistoryStart(user, fault string) {
	if fault != "" {
		fault = fmt.Sprintf(textHistoryNotOpened, fault)
	}
	c.storeHistoryFault(&c.spawnFaults, user, fault)
}

// setHistoryFault stores why a user's file history can't be used.
func (c *WorkerLocations) setHistoryFault(u supervisor.User, fault string) {
	c.storeHistoryFault(&c.historyFaults, u.Name, fault)
}

// storeHistoryFault stores a fault, and logs a new one.
func (c *WorkerLocations) storeHistoryFault(faults *sync.Map, user, fault string) {
	if faultIn(faults, user) == fault {
		return
	}
	faults.Store(user, fault)
	if fault != "" {
		c.Log.Warn("a file history is not used", "user", user, "why", fault)
	}
}

func faultIn(faults *sync.Map, user string) string {
	text, _ := faults.Load(user)
	fault, _ := text.(string)
	return fault
}

// makeHistories makes the folder of all file histories, if it is missing. In the state folder that
// is the folder of homes.
func (c *WorkerLocations) makeHistories() error {
	if c.HistoryDir != filepath.Join(c.State, "homes") {
		if _, err := os.Stat(c.HistoryDir); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return c.makeHomes(c.HistoryDir)
}
