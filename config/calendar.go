package config

import (
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Calendar is a calendar of others, which people see beside their own.
type Calendar struct {
	// address of an iCalendar file: http, https or webcal; a text instead of the keys sets it alone
	URL Secret `yaml:"url" short:"true"`
	// path of the file with the address, as written in the configuration
	URLFile string   `yaml:"url_file" holds:"URL"`
	CAFile  string   `yaml:"ca_file"` // absolute path of the only trusted certificates, as PEM
	Users   []string `yaml:"users"`   // names of the users who see it; empty means all
}

// maxCalendarName is the maximum length of a calendar's name, in bytes.
const maxCalendarName = 36

// checkCalendars notes problems of the calendars.
func (c *checker) checkCalendars(path string, calendars map[string]Calendar) {
	for _, name := range slices.Sorted(maps.Keys(calendars)) {
		at, one := join(path, name), calendars[name]
		if !IsValidUserName(name) || len(name) > maxCalendarName {
			c.add(at, quote(name)+gotAsName, wantName)
		}
		if !isCalendarAddress(one.URL.Reveal()) {
			c.add(at+".url", hidden, wantCalendarURL)
		}
		if one.CAFile != "" && !filepath.IsAbs(one.CAFile) {
			c.wrong(at+".ca_file", quote(one.CAFile), wantAbsolute)
		}
		taken := map[string]string{}
		for i, user := range one.Users {
			c.checkUserName(elementPath(at+".users", i), user)
			c.checkUnique(elementPath(at+".users", i), user, quote(user), wantUnique, taken)
		}
	}
}

// isCalendarAddress reports whether a text can be the address of a calendar.
func isCalendarAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Hostname() != "" && u.User == nil &&
		(isWebAddress(u) || strings.EqualFold(u.Scheme, "webcal"))
}
