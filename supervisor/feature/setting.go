package feature

import (
	"context"

	"mews/supervisor"
)

// Setting is a setting of /settings.
type Setting struct {
	Name    string
	Example string
	Presses []string // the values that have buttons
	Private bool     // groups must not see the value
	Note    string   // an additional text after a change
	// Check returns the stored form of a value, for a user as configured. Its errors are texts for
	// the user.
	Check func(u supervisor.User, value string) (kept string, err error)
	// Apply sets a stored value on a user. A value has no effect if the configuration now forbids
	// it. nil means that the setting changes no field of a user.
	Apply func(u *supervisor.User, kept string)
	// Show returns the value for the user, and whether it comes from the configuration. The
	// parameter with is the user with all settings. The parameter without is the same user without
	// this setting.
	Show func(ctx context.Context, with, without supervisor.User) (value string, configured bool)
}
