package config

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	roleAdmin = "admin"
	roleUser  = "user"
)

// userNames matches names of users and providers. They become parts of paths, and of commands that
// people type.
var userNames = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// IsValidUserName reports whether a text is a valid name for a user.
func IsValidUserName(name string) bool { return userNames.MatchString(name) }

// ValidateNewUser checks a user who is added while the service runs. The error says why the user
// can't be added. Only Name, Role, Account, Timezone and Home are checked.
func (c *Config) ValidateNewUser(u User) error {
	switch {
	case !IsValidUserName(u.Name):
		return fmt.Errorf(errName, quote(u.Name), userName(u.Name))
	case u.Role != roleAdmin && u.Role != roleUser:
		return fmt.Errorf(errRole, quote(u.Role))
	case !isTimezone(u.Timezone):
		return fmt.Errorf(errTimezone, quote(u.Timezone))
	}
	for _, other := range c.Users {
		switch {
		case other.Name == u.Name:
			return fmt.Errorf(errConfigured, u.Name)
		case u.Account != "" && other.Account == u.Account:
			return fmt.Errorf(errAccount, u.Account, other.Name)
		case overlap(u.Home, other.Home):
			return fmt.Errorf(errHome, u.Home, other.Name, other.Home)
		}
	}
	return nil
}

// OverlapsHome reports whether a folder is, contains or is inside a configured home.
func (c *Config) OverlapsHome(path string) bool {
	return slices.ContainsFunc(c.Users, func(u User) bool { return overlap(path, u.Home) })
}

func userPath(i int) string { return elementPath("users", i) }

// checkUsers notes invalid names and ids. It also notes a name or id that two users have, because a
// name or id must identify one user.
func (c *checker) checkUsers(path string, users []User) {
	if len(users) == 0 {
		c.wrong(path, gotEmptyList, wantUsers)
	}
	names, accounts, ids, logins := map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}
	for i, u := range users {
		at := userPath(i)
		if !IsValidUserName(u.Name) {
			c.wrong(at+".name", quote(u.Name), wantName)
		}
		c.checkUnique(at+".name", u.Name, quote(u.Name), wantUnique, names)
		c.checkUnique(at+".account", u.Account, quote(u.Account), wantUnique, accounts)
		c.checkUnique(at+".github", strings.ToLower(u.GitHub), quote(u.GitHub), wantUnique, logins)
		id := strconv.FormatInt(u.Telegram, 10)
		switch there := u.Telegram != 0 || c.isSet(at+".telegram"); {
		case there && isTelegramID(u.Telegram):
			c.checkUnique(at+".telegram", id, id, wantUnique, ids)
		case there:
			c.wrong(at+".telegram", id, wantTelegram)
		}
	}
}

func (c *checker) checkAccount(path, account string) {
	if strings.ContainsAny(account, ":/ ") {
		c.wrong(path, quote(account), wantAccount)
	}
}

// AutomaticUIDs is the value of Worker.UIDs that stands for the range autoUIDs. If the uids of that
// range are not free, it stands for no uids.
const AutomaticUIDs = "auto"

// autoUIDs are unused on systems with systemd (systemd.io/UIDS-GIDS: 65536 to 524287), and below
// the range that useradd gives to containers (login.defs: SUB_UID_MIN, 100000).
const autoUIDs = "70000-79999"

// UIDRange returns the bounds of UIDs, both included; 0, 0 means none.
func (w Worker) UIDRange() (from, to uint32) {
	left, right, _ := strings.Cut(strings.ReplaceAll(w.UIDs, AutomaticUIDs, autoUIDs), "-")
	first, err1 := strconv.ParseUint(left, 10, 31)
	last, err2 := strconv.ParseUint(right, 10, 31)
	if err1 != nil || err2 != nil || first < firstUID || last < first {
		return 0, 0
	}
	return uint32(first), uint32(last)
}

// firstUID is the first uid above the system's accounts (login.defs: UID_MIN).
const firstUID = 1000

func (c *checker) checkUIDs(path, uids string) {
	if from, _ := (Worker{UIDs: uids}).UIDRange(); uids != "" && from == 0 {
		c.wrong(path, quote(uids), wantUIDs)
	}
}

func (c *checker) checkTimezone(path, zone string) {
	if !isTimezone(zone) {
		c.wrong(path, quote(zone), wantTimezone)
	}
}

// isTimezone reports whether the machine knows a time zone. "" is the machine's zone. Local is
// refused: it is Go's name for that zone.
func isTimezone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "Local"
}

func (c *checker) checkGlobs(path string, globs []string) {
	if !c.isSet(path) {
		return // the user has the globs of all users, which are checked at their own key
	}
	for i, glob := range globs {
		if !validGlob(glob) {
			c.wrong(elementPath(path, i), quote(glob), wantGlob)
		}
	}
}

// validGlob reports whether a glob can match a path below a folder.
func validGlob(glob string) bool {
	if glob == "" || path.IsAbs(glob) || !doublestar.ValidatePattern(glob) {
		return false
	}
	return !slices.Contains(strings.Split(glob, "/"), "..")
}
