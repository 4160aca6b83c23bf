package placement

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"mews/supervisor"
)

// giveHome gives a home below the state folder to its worker's account, with all files. Workers of
// an earlier version made files as root. It never changes homes outside the state folder.
func (c *WorkerLocations) giveHome(u supervisor.User) error {
	return c.giveFolder(u, u.Home, c.recipientOf(u))
}

// recipientOf returns the account to which root gives the folders of a user.
func (c *WorkerLocations) recipientOf(u supervisor.User) Account {
	if own, err := FindAccount(u.Account); err == nil && u.Account != "" && own.UID != 0 && c.Tier != "namespaces" {
		return own
	}
	return c.Workers
}

// giveFolder gives a folder that root owns, and all files in it, to a worker's account. It leaves
// out files that may have another name outside the folder. Only root can do that; any other process
// changes nothing.
func (c *WorkerLocations) giveFolder(u supervisor.User, folder string, whose Account) error {
	if os.Getuid() != 0 || whose.UID == 0 {
		return nil
	}
	above, err := os.OpenRoot(filepath.Dir(folder))
	if err != nil {
		return err
	}
	defer above.Close()
	if info, err := above.Lstat(filepath.Base(folder)); err != nil || !info.IsDir() {
		return errors.Join(err, fmt.Errorf("%s is no folder", folder))
	}
	// OpenRoot follows no links out of the folder
	root, err := above.OpenRoot(filepath.Base(folder))
	if err != nil {
		return err
	}
	defer root.Close()
	if info, err := root.Stat("."); err != nil || OwnerUID(info) != 0 {
		return err
	}
	err = fs.WalkDir(root.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		info, err := root.Lstat(path)
		if err == nil && mayLieElsewhere(info) {
			c.Log.Warn("a file of a home is not given to its worker's account: it has another name, or is a device",
				"user", u.Name, "file", path)
			return nil
		}
		return errors.Join(err, root.Lchown(path, int(whose.UID), int(whose.GID)))
	})
	if err != nil {
		return err
	}
	// the folder itself comes last, so that an interrupted change continues at the next start
	return root.Lchown(".", int(whose.UID), int(whose.GID))
}

// mayLieElsewhere reports whether a file of a folder may also be somebody else's. That is possible
// for a device, and for a file with several names.
func mayLieElsewhere(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && !info.IsDir() && (st.Nlink > 1 || info.Mode()&fs.ModeDevice != 0)
}

// makeOurs makes a home in the state folder, and gives it to its worker's account.
func (c *WorkerLocations) makeOurs(u supervisor.User) error {
	err := c.makeHomes(filepath.Dir(u.Home))
	if err == nil {
		err = os.Mkdir(u.Home, 0o700)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make the folder of %s: %w", u.Name, err)
	}
	if err := c.giveHome(u); err != nil {
		return fmt.Errorf("give the folder of %s to its worker's account: %w", u.Name, err)
	}
	return nil
}

// prepareHome makes sure that a user's home exists. It makes a home in the state folder; homes
// elsewhere must exist already.
func (c *WorkerLocations) prepareHome(u supervisor.User) error {
	if err := c.refuseLostHome(u); err != nil {
		return err
	}
	if c.isOurs(u.Home) && (c.mayOwn(u) || c.hasAccount(u) || c.mayOwnLater(u)) {
		if err := c.makeHomes(filepath.Dir(u.Home)); err != nil {
			return fmt.Errorf("make the folder of homes: %w", err)
		}
		if _, err := os.Lstat(u.Home); errors.Is(err, fs.ErrNotExist) {
			return nil // the spawner makes the home when the user's first worker starts
		}
	} else if c.isOurs(u.Home) {
		if err := c.makeOurs(u); err != nil {
			return err
		}
	}
	if info, err := os.Stat(u.Home); err != nil {
		return c.homeFault(u, err)
	} else if !info.IsDir() {
		return fmt.Errorf("the folder of %s: %s is a file; write another `home:` in the configuration", u.Name, u.Home)
	}
	if c.Spawner == nil { // during the start the sandbox is not known yet, so Start checks later
		return nil
	}
	return c.CheckHomeReachable(u)
}
