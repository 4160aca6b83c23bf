package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mews/supervisor/app"
	"slices"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
)

// userDelete is `mews user delete`.
func userDelete(ctx context.Context, con console, v subverb, args []string) error {
	set, file := v.flags(con)
	yes := set.Bool("yes", false, "do not ask")
	name, cfg, err := oneName(set, file, args)
	if err != nil {
		return err
	}
	var there app.Estate
	if err := app.Have(ctx, cfg, app.MethodUserDelete, app.Deletion{User: name, Look: true}, &there); err != nil {
		return err
	}
	if err := printEstate(con.out, name, there); err != nil {
		return err
	}
	if !*yes {
		fmt.Fprintf(con.out, "\nThis can't be taken back; `mews user export %s` writes it down first. What Mews does for them at the moment "+
			"is stopped, as by /stop, and their worker ended. Type the name to delete it all: ", name)
		lines := bufio.NewScanner(con.in)
		if !lines.Scan() || strings.TrimSpace(lines.Text()) != name {
			fmt.Fprintln(con.out)
			return errors.Join(lines.Err(), app.Refused(supervisor.CodeInvalid, "Nothing was deleted: that is not the name."))
		}
	}
	var gone app.Estate
	if err := app.Have(ctx, cfg, app.MethodUserDelete, app.Deletion{User: name}, &gone); err != nil {
		return err
	}
	_, err = fmt.Fprintf(con.out, "%s is deleted. What the audit log says of them stays, and so does a folder outside the state folder that they "+
		"may have had.\n", name)
	return err
}

func printEstate(w io.Writer, name string, e app.Estate) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Of %s there are:\n\n", name)
	for _, table := range slices.Sorted(maps.Keys(e.Rows)) {
		fmt.Fprintf(&b, "  %-14s %s\n", table, amount.Of(int(e.Rows[table]), "row", "rows"))
	}
	if e.Home != "" {
		fmt.Fprintf(&b, "  %s, %s in %s\n", e.Home, amount.Size(e.Bytes), amount.Of(int(e.Files), "file", "files"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
