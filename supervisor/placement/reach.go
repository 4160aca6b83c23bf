package placement

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mews/supervisor"
)

// homesMode lets workers enter the folder of homes, but not list it. Workers without their own
// mounts need this to reach their homes.
const homesMode fs.FileMode = 0o711

// openHomesMode lets a spawner that is not root make homes, through the service's group. The sticky
// bit prevents accounts from moving the homes of others.
const openHomesMode = 0o731 | fs.ModeSticky

// makeHomes makes the folder of homes. If an earlier version made it with a stricter mode, the mode
// is changed.
func (c *WorkerLocations) makeHomes(homes string) error {
	if err := os.MkdirAll(homes, 0o700); err != nil {
		return err
	}
	mode := homesMode
	if _, given := os.LookupEnv(spawnerVariable); given && os.Getuid() != 0 {
		mode = openHomesMode
	}
	return os.Chmod(homes, mode)
}

// CheckHomeReachable refuses a home that its worker can't reach. If workers have no mounts of their
// own, root can't mount the home for its worker.
func (c *WorkerLocations) CheckHomeReachable(u supervisor.User) error {
	walls := c.Spawner.Sandbox()
	if os.Getuid() != 0 || c.Workers.UID == 0 || c.HomePathInSandbox(u.Home) != u.Home {
		return nil
	}
	home, err := filepath.EvalSymlinks(u.Home)
	if err != nil {
		return fmt.Errorf("the folder of %s: %w", u.Name, err)
	}
	for path := filepath.Dir(home); ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("the folder of %s: %w", u.Name, err)
		}
		if info.Mode()&0o001 == 0 && OwnerUID(info) != c.Workers.UID {
			return fmt.Errorf("the folder of %s is %s, and their worker, user id %d, can't pass through %s: with the walls “%s” it keeps "+
				"its path. Choose another `state:` or `home:`, such as one below /var/lib, or chmod o+x %[4]s", u.Name, home, c.Workers.UID,
				path, walls.Tier)
		}
		if path == filepath.Dir(path) {
			return nil
		}
	}
}

// CheckHomesReachable calls CheckHomeReachable for each user.
func (c *WorkerLocations) CheckHomesReachable(users []supervisor.User) error {
	for _, u := range users {
		if err := c.CheckHomeReachable(u); err != nil {
			return err
		}
	}
	return nil
}
