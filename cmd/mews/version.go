package main

import (
	"context"
	"fmt"
)

// versionVerb is `mews version`.
func versionVerb(_ context.Context, con console, args []string) error {
	if err := parse(flags(con, "version"), args); err != nil {
		return err
	}
	fmt.Fprintln(con.out, "mews", version)
	return nil
}
