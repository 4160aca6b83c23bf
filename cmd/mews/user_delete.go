package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/admin"
	"mews/supervisor/app"
)

// userDelete is `mews user delete`.
func userDelete(ctx context.Context, con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	yes := set.Bool("yes", false, flagYes)
	name, cfg, err := oneName(set, file, args)
	if err != nil {
		return err
	}
	there, err := app.Have[admin.UserData](ctx, cfg, admin.MethodUserDelete, admin.DeleteRequest{User: name, Look: true})
	if err != nil {
		return err
	}
	if err := printDeletion(con.out, name, there); err != nil {
		return err
	}
	if !*yes {
		fmt.Fprintf(con.out, textDeleteAsk, name)
		lines := bufio.NewScanner(con.in)
		if !lines.Scan() || strings.TrimSpace(lines.Text()) != name {
			fmt.Fprintln(con.out)
			return errors.Join(lines.Err(), supervisor.Errorf(supervisor.CodeInvalid, textNotDeleted))
		}
	}
	if _, err := app.Have[admin.UserData](ctx, cfg, admin.MethodUserDelete, admin.DeleteRequest{User: name}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(con.out, textDeleted, name)
	return err
}

func printDeletion(w io.Writer, name string, e admin.UserData) error {
	var b strings.Builder
	fmt.Fprintf(&b, textDeletion, name)
	for _, table := range slices.Sorted(maps.Keys(e.Rows)) {
		fmt.Fprintf(&b, "  %-14s %s\n", table, amount.Of(int(e.Rows[table]), "row", "rows"))
	}
	if e.Home != "" {
		fmt.Fprintf(&b, textDeletionHome, e.Home, amount.Size(e.Bytes), amount.Of(int(e.Files), "file", "files"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
