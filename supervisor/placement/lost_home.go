package placement

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mews/supervisor"
)

// refuseLostHome refuses a home in the state folder that was there before and is missing now. An
// empty home in its place would hide the loss.
func (c *WorkerLocations) refuseLostHome(u supervisor.User) error {
	if c.HadHome == nil || !c.isOurs(u.Home) {
		return nil
	}
	if _, err := os.Lstat(u.Home); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	had, err := c.HadHome(u.Name)
	if err == nil && had {
		err = fmt.Errorf(textHomeLost, u.Name, u.Home)
	}
	return err
}
