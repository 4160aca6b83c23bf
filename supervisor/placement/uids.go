package placement

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
)

// UIDRange is a range of user ids of the host, both ends included, for workers of people without an account. The zero value is
// none: these people share an account.
type UIDRange struct{ From, To uint32 }

// Has says whether a uid is in the range.
func (r UIDRange) Has(uid uint32) bool { return r != UIDRange{} && uid >= r.From && uid <= r.To }

func (r UIDRange) String() string { return fmt.Sprintf("%d-%d", r.From, r.To) }

// UIDStore keeps which uid is whose, for good.
type UIDStore interface {
	Of(ctx context.Context, user string, from, to uint32) (uint32, error)
}

// storeTimeout is how long it may take to find a person's uid.
const storeTimeout = 10 * time.Second

// mayOwn says whether a person may get a uid of their own, with the walls that are asked for. Workspaces belong to accounts of
// the machine: who has some stays with the account that they were given to.
func (c *Places) mayOwn(u supervisor.User) bool {
	_, given := os.LookupEnv(spawnerVariable)
	return c.UIDs != UIDRange{} && u.Account == "" && len(u.Workspaces) == 0 && (c.Tier == "auto" || c.Tier == "accounts") &&
		(os.Getuid() == 0 || given)
}

// hasAccount says whether somebody has an OS account that is not the service's, and a spawner has started this that can act for it.
func (c *Places) hasAccount(u supervisor.User) bool {
	_, given := os.LookupEnv(spawnerVariable)
	own, err := FindAccount(u.Account)
	return given && os.Getuid() != 0 && u.Account != "" && err == nil && own.UID != 0 && own.UID != uint32(os.Getuid()) &&
		(c.Tier == "auto" || c.Tier == "accounts")
}

// ownAccount is that of somebody who may have a uid of their own, the zero value where they have none yet: their home belongs
// to another account, and is handed over by an admin. missing says that there is no home, which the spawner makes.
func (c *Places) ownAccount(u supervisor.User) (own Account, missing bool, err error) {
	if !c.mayOwn(u) || c.Spawner.Sandbox().Tier != "accounts" {
		return own, false, nil
	}
	uid, err := c.ownUID(u)
	if err != nil {
		return own, false, err
	}
	info, err := os.Lstat(u.Home)
	missing = errors.Is(err, fs.ErrNotExist)
	if missing && c.isOurs(u.Home) || err == nil && UIDOf(info) == uid {
		return Account{uid, uid}, missing, nil
	}
	return own, false, err
}

func (c *Places) ownUID(u supervisor.User) (uint32, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	return c.Kept.Of(ctx, u.Name, c.UIDs.From, c.UIDs.To)
}

// HandOver is the command that gives somebody's home to their own uid; "": it is theirs already, or they have no such uid.
func (c *Places) HandOver(u supervisor.User) string {
	own, _, err := c.ownAccount(u)
	if err != nil || own != (Account{}) || !c.mayOwn(u) || c.Spawner.Sandbox().Tier != "accounts" {
		return ""
	}
	uid, err := c.ownUID(u)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("chown -hR %d:%d %s", uid, uid, u.Home)
}

// isOurs says whether a home lies in the folder of those that Mews makes.
func (c *Places) isOurs(home string) bool {
	return filepath.Dir(home) == filepath.Join(c.State, "homes")
}

// idFiles are where systems keep who has which ids: the number's field, and that of how many there are; -1 is one.
var idFiles = []struct {
	name             string
	number, quantity int
}{{"passwd", 2, -1}, {"group", 2, -1}, {"subuid", 1, 2}, {"subgid", 1, 2}}

// checkUIDsFree refuses a range in which somebody has an id already, or in which somebody's files are, but the homes of people.
// etc is /etc; in folders it looks at what lies directly in them.
func (r UIDRange) checkFree(etc string, folders, homes []string) error {
	for _, f := range idFiles {
		name, err := r.takenIn(filepath.Join(etc, f.name), f.number, f.quantity)
		if err != nil {
			return fmt.Errorf("look whether %s are free: %w", r, err)
		}
		if name != "" {
			return fmt.Errorf(textUIDsTaken, r, name, filepath.Join(etc, f.name))
		}
	}
	for _, folder := range folders {
		entries, _ := os.ReadDir(folder) // what is not there or closed holds nothing that can be seen
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			if info, err := e.Info(); err == nil && r.Has(UIDOf(info)) && !slices.Contains(homes, path) {
				return fmt.Errorf(textUIDsOwn, r, path, UIDOf(info))
			}
		}
	}
	return nil
}

// takenIn is who has an id of the range in a file with a line for each; "" is nobody.
func (r UIDRange) takenIn(path string, number, quantity int) (string, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ":")
		if len(fields) <= max(number, quantity) {
			continue
		}
		first, err := strconv.ParseUint(fields[number], 10, 32)
		many := uint64(1)
		if quantity >= 0 && err == nil {
			many, err = strconv.ParseUint(fields[quantity], 10, 33)
		}
		if err == nil && many > 0 && first <= uint64(r.To) && first+many-1 >= uint64(r.From) {
			return fields[0], nil
		}
	}
	return "", lines.Err()
}

// ownedFolders are where files of accounts usually lie.
var ownedFolders = []string{"/home", "/srv", "/opt", "/var/lib", "/var/mail", "/var/spool/cron/crontabs"}
