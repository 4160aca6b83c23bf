package config

import (
	"fmt"
	"slices"
)

// CheckAdded says what is wrong with a user who is to be added to those of a configuration while the service runs; nil is
// nothing. Read are the Name, Role, Account, Timezone and Home.
func (c *Config) CheckAdded(u User) error {
	switch {
	case !userNames.MatchString(u.Name):
		return fmt.Errorf("the name %s can't be: it has to be %s", quote(u.Name), wantName)
	case !slices.Contains(roles, u.Role):
		return fmt.Errorf("there is no role %s: it is %s or %s", quote(u.Role), roleAdmin, roleUser)
	case !validZone(u.Timezone):
		return fmt.Errorf("this machine knows no time zone %s; one is Europe/Madrid", quote(u.Timezone))
	}
	for _, other := range c.Users {
		switch {
		case other.Name == u.Name:
			return fmt.Errorf("%s stands in the configuration already", u.Name)
		case u.Account != "" && other.Account == u.Account:
			return fmt.Errorf("the account %s is %s's already", u.Account, other.Name)
		case overlap(u.Home, other.Home):
			return fmt.Errorf("their folder would be %s, and %s has %s; choose another name", u.Home, other.Name, other.Home)
		}
	}
	return nil
}

// NameCan says whether a user can have a name.
func NameCan(name string) bool { return userNames.MatchString(name) }

// Holds says whether a folder is a configured user's, lies in one, or has one in it.
func (c *Config) Holds(path string) bool {
	return slices.ContainsFunc(c.Users, func(u User) bool { return overlap(path, u.Home) })
}
