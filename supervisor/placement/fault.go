package placement

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"mews/supervisor"
)

// prepare makes sure that a user's account and folders exist. It adds the locations of the folders
// to roots, and keeps known locations.
func (c *WorkerLocations) prepare(u supervisor.User, roots map[string]string) error {
	if _, err := FindAccount(u.Account); u.Account != "" && err != nil {
		return fmt.Errorf(textNoAccount, u.Name, u.Account)
	}
	if err := c.prepareHome(u); err != nil {
		return err
	}
	for _, path := range append([]string{u.Home}, u.Workspaces...) {
		if err := c.findRoot(path, roots); err != nil {
			return err
		}
	}
	return nil
}

// findRoot adds the location of a folder to roots.
func (c *WorkerLocations) findRoot(path string, roots map[string]string) (err error) {
	if known := c.roots.Load(); known != nil && (*known)[path] != "" {
		roots[path] = (*known)[path]
		return nil
	}
	if roots[path], err = filepath.EvalSymlinks(filepath.Dir(path)); err != nil {
		return fmt.Errorf("find the folder %s: %w", path, err)
	}
	return nil
}

// StartFault returns why a user's worker can't be started; "" means that it can. It checks the
// user's configuration and folders.
func (c *WorkerLocations) StartFault(u supervisor.User) string {
	location, err := c.LocationOf(u)
	if err == nil && !location.MakeHome {
		if _, bad := os.Stat(u.Home); bad != nil {
			err = c.homeFault(u, bad)
		}
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// homeFault explains why a home can't be used.
func (c *WorkerLocations) homeFault(u supervisor.User, err error) error {
	if hidden := hiddenBy(u.Home); hidden != "" {
		return fmt.Errorf(textHomeHidden, u.Name, u.Home, hidden, u.Home)
	}
	whose := u.Account
	if me, bad := user.Current(); whose == "" && bad == nil {
		whose = me.Username // the account of workers whose users have no account
		if me.Uid == "0" {
			whose = c.Account
		}
	}
	if errors.Is(err, fs.ErrNotExist) && whose != "" {
		return fmt.Errorf(textHomeMissing, u.Name, u.Home, whose, whose, u.Home)
	}
	if closed, mode := closedFolder(u.Home); closed != "" && errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf(textHomeBehind, u.Name, u.Home, closed, mode, closed)
	}
	return fmt.Errorf(textHomeFault, u.Name, err)
}

// hiddenBy returns the folder over a path that systemd has made inaccessible (ProtectHome=,
// InaccessiblePaths=), or "".
func hiddenBy(path string) string {
	mounts, _ := os.ReadFile("/proc/self/mountinfo") // the file exists only on Linux
	for line := range strings.Lines(string(mounts)) {
		// proc_pid_mountinfo(5): field 4 is the folder in its file system, and field 5 the mount
		// point
		fields := strings.Fields(line)
		if len(fields) > 4 && strings.Contains(fields[3], "/systemd/inaccessible/") && strings.HasPrefix(path+"/", fields[4]+"/") {
			return fields[4]
		}
	}
	return ""
}

// closedFolder returns the first folder of a path that this account can't enter, with its mode.
func closedFolder(path string) (closed string, mode fs.FileMode) {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil {
			return dir, info.Mode().Perm()
		}
		if dir == filepath.Dir(dir) {
			return "", 0
		}
	}
}
