package feature

import (
	"context"

	"mews/supervisor"
)

// Setting is a row of the table of what people set for themselves with /settings.
type Setting struct {
	Name    string
	Example string
	Presses []string // the values that have buttons
	Private bool     // not for a group to read
	Note    string   // said after it was set
	// Check returns a value as it is kept, for a person as the configuration has them. Its errors
	// are for the person.
	Check func(u supervisor.User, value string) (kept string, err error)
	// Apply lays what is kept over a person. What the configuration has forbidden since has no
	// effect. nil means that it changes no field of a person.
	Apply func(u *supervisor.User, kept string)
	// Show is the value for the person, and whether the configuration sets it if they do not. with
	// is the person with what they have set, without is the same without it.
	Show func(ctx context.Context, with, without supervisor.User) (value string, configured bool)
}
