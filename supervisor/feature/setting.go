package feature

import (
	"context"

	"mews/supervisor"
)

// Setting is a row of the table of users' settings, for /settings.
type Setting struct {
	Name    string
	Example string
	Presses []string // the values that have buttons
	Private bool     // not for a group to read
	Note    string   // said after it was set
	// Check returns the stored form of a value, for a user as configured. Its errors are texts for
	// the user.
	Check func(u supervisor.User, value string) (kept string, err error)
	// Apply sets a stored value on a user. A value that the configuration has forbidden since has
	// no effect. nil means that it changes no field of a user.
	Apply func(u *supervisor.User, kept string)
	// Show returns the value for the user, and whether it comes from the configuration. with is the
	// user with all settings; without is the same user without this one.
	Show func(ctx context.Context, with, without supervisor.User) (value string, configured bool)
}
