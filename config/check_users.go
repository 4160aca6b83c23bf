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

// userNames are names of users and of providers: they become parts of paths, and of commands that a
// person types.
var userNames = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// ValidName says whether a user can have a name.
func ValidName(name string) bool { return userNames.MatchString(name) }

// CheckAdded says why a user can't be added to those of the configuration while the service runs;
// nil: they can. It reads the Name, Role, Account, Timezone and Home.
func (c *Config) CheckAdded(u User) error {
	switch {
	case !ValidName(u.Name):
		return fmt.Errorf(errName, quote(u.Name))
	case u.Role != roleAdmin && u.Role != roleUser:
		return fmt.Errorf(errRole, quote(u.Role))
	case !validZone(u.Timezone):
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

// OverlapsHome says whether a folder is a configured user's, lies in one, or has one in it.
func (c *Config) OverlapsHome(path string) bool {
	return slices.ContainsFunc(c.Users, func(u User) bool { return overlap(path, u.Home) })
}

func userPath(i int) string { return element("users", i) }

// checkUsers notes names and ids that no user can have, and those that two users have: they say who
// somebody is.
func (c *checker) checkUsers(path string, users []User) {
	if len(users) == 0 {
		c.wrong(path, gotEmptyList, wantUsers)
	}
	names, accounts, ids, logins := map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}
	for i, u := range users {
		at := userPath(i)
		if !ValidName(u.Name) {
			c.wrong(at+".name", quote(u.Name), wantName)
		}
		c.checkUnique(at+".name", u.Name, quote(u.Name), wantUnique, names)
		c.checkUnique(at+".account", u.Account, quote(u.Account), wantUnique, accounts)
		c.checkUnique(at+".github", strings.ToLower(u.GitHub), quote(u.GitHub), wantUnique, logins)
		id := strconv.FormatInt(u.Telegram, 10)
		switch there := u.Telegram != 0 || c.stands(at+".telegram"); {
		case there && validTelegram(u.Telegram):
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

// UIDsAuto are the uids autoUIDs where they are free, and none elsewhere.
const UIDsAuto = "auto"

// autoUIDs are unused on systems with systemd (systemd.io/UIDS-GIDS: 65536 to 524287), and lie
// below what useradd gives to people's containers (login.defs: SUB_UID_MIN, 100000).
const autoUIDs = "70000-79999"

// UIDRange is UIDs as numbers, both ends included; 0, 0 is none.
func (w Worker) UIDRange() (from, to uint32) {
	left, right, _ := strings.Cut(strings.ReplaceAll(w.UIDs, UIDsAuto, autoUIDs), "-")
	first, err1 := strconv.ParseUint(left, 10, 31)
	last, err2 := strconv.ParseUint(right, 10, 31)
	if err1 != nil || err2 != nil || first < firstUID || last < first {
		return 0, 0
	}
	return uint32(first), uint32(last)
}

// firstUID is the first that no account of a system has (login.defs: UID_MIN).
const firstUID = 1000

func (c *checker) checkUIDs(path, uids string) {
	if from, _ := (Worker{UIDs: uids}).UIDRange(); uids != "" && from == 0 {
		c.wrong(path, quote(uids), wantUIDs)
	}
}

func (c *checker) checkTimezone(path, zone string) {
	if !validZone(zone) {
		c.wrong(path, quote(zone), wantTimezone)
	}
}

// validZone says whether the machine knows a time zone. "" is the machine's own; Local is Go's word
// for it alone.
func validZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "Local"
}

func (c *checker) checkGlobs(path string, globs []string) {
	if !c.stands(path) {
		return // they are the general ones, and have been checked there
	}
	for i, glob := range globs {
		if !validGlob(glob) {
			c.wrong(element(path, i), quote(glob), wantGlob)
		}
	}
}

// validGlob says whether a glob can match a path below a folder.
func validGlob(glob string) bool {
	if glob == "" || path.IsAbs(glob) || !doublestar.ValidatePattern(glob) {
		return false
	}
	return !slices.Contains(strings.Split(glob, "/"), "..")
}
