package placement

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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

// historyOf returns the location of a user's file history. "" means that there is none, as in a
// process without a service, which may not make folders. If no history is kept any longer, an earlier
// one still has a location, because a worker must be able to forget its versions. The parameter whose is the account of
// the user's worker; the zero value means the shared account. The spawner makes a missing folder.
// If root owns the folder, as after a restore of a backup, root gives it to the account. A history
// of another account is not used: HistoryFault names it, and the user is served without a history.
func (c *WorkerLocations) historyOf(u supervisor.User, whose Account) (root, name string, err error) {
	path := c.HistoryPath(u)
	if path == "" || c.Idle || !keepsHistory(c.Spawner.Sandbox().Tier) || !c.History && !exists(path) {
		return "", "", nil
	}
	if c.History {
		if err := c.makeHistories(); err != nil {
			return "", "", fmt.Errorf("make the folder of file histories: %w", err)
		}
	}
	if root, err = filepath.EvalSymlinks(c.HistoryDir); err != nil {
		return "", "", fmt.Errorf("find the folder of file histories: %w", err)
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
		return "", "", nil
	}
	// the spawner decides about a folder of the shared account
	if err == nil && OwnerUID(info) != whose.UID && OwnerUID(info) != c.sharedAccount().UID {
		c.setHistoryFault(u, c.ownerFault(u, path, OwnerUID(info), whose))
		return "", "", nil
	}
	c.setHistoryFault(u, "")
	return root, filepath.Base(path), nil
}

// ownerFault says why the file history of another account is not used. The text shows a command
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

// HistoryFault says why a user's last worker could not use its file history. The text is for
// people; "" means no fault.
func (c *WorkerLocations) HistoryFault(user string) string {
	text, _ := c.historyFaults.Load(user)
	fault, _ := text.(string)
	return fault
}

// setHistoryFault stores why a user's file history can't be used, and logs a new fault.
func (c *WorkerLocations) setHistoryFault(u supervisor.User, fault string) {
	if c.HistoryFault(u.Name) == fault {
		return
	}
	c.historyFaults.Store(u.Name, fault)
	if fault != "" {
		c.Log.Warn("a file history is not used", "user", u.Name, "why", fault)
	}
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
