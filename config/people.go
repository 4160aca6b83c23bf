package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// kept is a path that no home may hold: whoever has a home has a program that may read and write there.
type kept struct {
	path string
	what string
}

func (c *checker) checkUsers() {
	if len(c.cfg.Users) == 0 {
		c.wrong("users", "an empty list", "at least one user, or no users at all for the account that runs Mews")
	}
	names, accounts, ids := map[string]string{}, map[string]string{}, map[string]string{}
	for i, u := range c.cfg.Users {
		field := userField(i)
		if !userNames.MatchString(u.Name) {
			c.wrong(field+".name", quote(u.Name), wantName)
		}
		c.checkUnique(field+".name", u.Name, names)
		c.checkUnique(field+".account", u.Account, accounts)
		telegramChecker{c}.checkTelegramID(field+".telegram", u.Telegram, ids)
		c.checkUser(field, u)
	}
}

func userField(i int) string { return fmt.Sprintf("users[%d]", i) }

func (c *checker) checkUser(field string, u User) {
	c.checkWord(field+".role", u.Role, roles)
	if strings.ContainsAny(u.Account, ":/ ") {
		c.wrong(field+".account", quote(u.Account), "the name of an account of this machine")
	}
	if !validZone(u.Timezone) {
		c.wrong(field+".timezone", quote(u.Timezone), "a time zone that this machine knows, such as Europe/Madrid")
	}
	modelChecker{c}.checkAnother(field+".model", u.Model)
	modelChecker{c}.checkChoices(field+".models_allowed", u.ModelsAllowed)
	c.checkFolders(field+".workspaces", u.Workspaces)
	c.checkGlobs(field+".files", u.Files)
}

// maxFolders is how many folders besides the home a worker can be given, those of everybody and its person's together.
const maxFolders = 8

// checkFolders notes folders that no worker may be given. Of two workspaces with one name only one could be seen.
func (c *checker) checkFolders(field string, folders []string) {
	names := map[string]string{}
	if len(folders) > maxFolders {
		c.wrong(field, fmt.Sprint(len(folders)), fmt.Sprintf("at most %d folders", maxFolders))
	}
	for i, folder := range folders {
		at := fmt.Sprintf("%s[%d]", field, i)
		if !filepath.IsAbs(folder) || filepath.Clean(folder) == "/" {
			c.wrong(at, quote(folder), "an absolute path of a folder")
			continue
		}
		if overlap(filepath.Clean(folder), c.cfg.State) {
			c.wrong(at, quote(folder), fmt.Sprintf("a folder apart from the service's own (%s)", c.cfg.State))
		}
		seen := folder // a folder for reading is seen at its own path
		if field != "worker.read_only" {
			seen = filepath.Base(folder)
		}
		c.checkUnique(at, seen, names)
	}
}

// checkUnique notes a value that another user has; nobody shares an account or an id, because it says who somebody is.
func (c *checker) checkUnique(field, value string, taken map[string]string) {
	if value == "" {
		return
	}
	if other, ok := taken[value]; ok {
		c.wrong(field, quote(value), "one of their own: it is "+other+" already")
		return
	}
	taken[value] = field
}

// validZone says whether the machine knows a time zone. "" is the machine's own; Local is Go's word for it alone.
func validZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "Local"
}

func (c *checker) checkState() {
	if !filepath.IsAbs(c.cfg.State) {
		c.wrong("state", quote(c.cfg.State), "an absolute path, or none and HOME or XDG_STATE_HOME set")
		return
	}
	c.kept = append(c.kept, kept{filepath.Join(c.cfg.State, "private"), "the service's own folder"})
}

// checkHomes keeps the homes apart from one another and from what is kept. It compares paths as they are written:
// links are for those who open them to refuse.
func (c *checker) checkHomes() {
	for i, u := range c.cfg.Users {
		field := userField(i) + ".home"
		if !filepath.IsAbs(u.Home) {
			if u.Home != "" {
				c.wrong(field, quote(u.Home), "an absolute path")
			}
			continue
		}
		for _, k := range c.kept {
			if overlap(u.Home, k.path) {
				c.wrong(field, quote(u.Home), fmt.Sprintf("a folder apart from %s (%s)", k.what, k.path))
			}
		}
		for j, other := range c.cfg.Users[:i] {
			if overlap(u.Home, other.Home) && u.Name != other.Name { // who has another's name has been told of that
				c.wrong(field, quote(u.Home), fmt.Sprintf("a folder apart from %s.home (%s)", userField(j), other.Home))
			}
		}
	}
}

// checkNested keeps every folder that a worker gets out of those that another worker may change, or its own: whoever may
// change what a folder lies in can put another in its place. One folder for several people is no such thing.
func (c *checker) checkNested() {
	type place struct{ field, path string }
	var changed, given []place
	for i, u := range c.cfg.Users {
		home := place{userField(i) + ".home", u.Home}
		changed, given = append(changed, home), append(given, home)
		for j, w := range u.Workspaces {
			one := place{fmt.Sprintf("%s.workspaces[%d]", userField(i), j), w}
			changed, given = append(changed, one), append(given, one)
		}
	}
	for i, path := range c.cfg.Worker.ReadOnly {
		given = append(given, place{fmt.Sprintf("worker.read_only[%d]", i), path})
	}
	for _, g := range given {
		for _, other := range changed {
			home := strings.HasSuffix(g.field, ".home") && strings.HasSuffix(other.field, ".home") // said by checkHomes
			if !home && g.path != other.path && filepath.IsAbs(other.path) && lies(g.path, other.path) {
				c.wrong(g.field, quote(g.path), fmt.Sprintf("a folder that does not lie in %s (%s): a worker may change that, and put "+
					"another folder in its place", other.field, other.path))
			}
		}
	}
}

// overlap says whether one of two clean paths is the other or below it.
func overlap(a, b string) bool {
	return a != "" && b != "" && (lies(a, b) || lies(b, a))
}

// lies says whether a clean path is dir or below it.
func lies(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}
