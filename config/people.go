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
	names, accounts := map[string]string{}, map[string]string{}
	for i, u := range c.cfg.Users {
		field := userField(i)
		if !userNames.MatchString(u.Name) {
			c.wrong(field+".name", quote(u.Name), wantName)
		}
		c.checkUnique(field+".name", u.Name, names)
		c.checkUnique(field+".account", u.Account, accounts)
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
	if u.Model != "" {
		c.checkModel(field+".model", u.Model)
	}
	c.checkGlobs(field+".files", u.Files)
}

// checkUnique notes a value that another user has; nobody shares an account, because it says who somebody is.
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

// overlap says whether one of two clean paths is the other or below it.
func overlap(a, b string) bool {
	return a != "" && b != "" && (lies(a, b) || lies(b, a))
}

// lies says whether a clean path is dir or below it.
func lies(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}
