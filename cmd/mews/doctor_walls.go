package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"

	"mews/config"
)

// spawnersWord is what stands before what a spawner wrote at its end, with its lines as Go writes them in quotes.
const spawnersWord = "it wrote: mews-spawner: "

// wallsFault is why there are no walls in the spawner's own words alone: a line for what there is to know, and one for each
// remedy. Any other error stays as it is.
func wallsFault(err error) error {
	if err == nil {
		return nil
	}
	_, quoted, found := strings.Cut(err.Error(), spawnersWord)
	text, bad := strconv.Unquote(`"` + quoted + `"`)
	if !found || bad != nil {
		return err
	}
	return errors.New(strings.TrimSpace(text))
}

// wallsUnknown is what is said of the limits where there are no walls to have them: the walls' own line says why.
func wallsUnknown(err error) error {
	if fault := wallsFault(err); fault != err {
		return &warned{"not known before there are walls"}
	}
	return err
}

// betterWalls is what a spawner's sentence says of the tiers that it could not have.
const betterWalls = " Better walls do not hold here: "

// wallsLines is a spawner's sentence with a line for each tier that does not hold.
func wallsLines(why string) string {
	held, kept, found := strings.Cut(why, betterWalls)
	if !found {
		return why
	}
	return held + "\n" + strings.TrimSpace(betterWalls) + "\n" + strings.ReplaceAll(kept, "; ", "\n")
}

// sharing says of a house whose workers have accounts how many of its people have none of their own.
func sharing(cfg *config.Config, tier string) string {
	n := 0
	for _, u := range cfg.Users {
		if u.Account == "" {
			n++
		}
	}
	if tier != "accounts" || n < 2 {
		return ""
	}
	name := strconv.Itoa(os.Getuid())
	if me, err := user.LookupId(name); err == nil {
		name = me.Username
	}
	return fmt.Sprintf(" %d people share the account %s: give each an `account:` of their own.", n, name)
}

// hanging puts a finding's further lines below its first, beside the names of what was looked at.
func hanging(finding string) string {
	const beside = 16 // the width of the columns before a finding
	return strings.ReplaceAll(finding, "\n", "\n"+strings.Repeat(" ", beside))
}
