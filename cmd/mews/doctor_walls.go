package main

import (
	"fmt"
	"mews/supervisor/placement"
	"os"
	"os/user"
	"strconv"
	"strings"

	"mews/config"
)

// wallsUnknown is what is said of the limits where there are no walls to have them: the walls' own line says why.
func wallsUnknown(err error) error {
	if fault := placement.SandboxFault(err); fault != err {
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
