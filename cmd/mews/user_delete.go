package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/admin"
	"mews/supervisor/app"
)

// userDelete runs `mews user delete`.
func userDelete(ctx context.Context, con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	yes := set.Bool("yes", false, flagYes)
	name, cfg, err := parseUserName(set, file, args)
	if err != nil {
		return err
	}
	there, err := app.CallAdminService[admin.UserData](ctx, cfg, admin.MethodUserDelete,
		admin.DeleteUserRequest{User: name,
			DryRun: true})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(con.out, textDeletion, name, there.Text()); err != nil {
		return err
	}
	if !*yes {
		fmt.Fprintf(con.out, textDeleteAsk, name)
		lines := bufio.NewScanner(con.in)
		lines.Scan() // if no line was typed, the text is ""
		if typed := strings.TrimSpace(lines.Text()); typed != name {
			fmt.Fprintln(con.out)
			why := map[bool]string{true: textNotConfirmed, false: textNotDeleted}[typed == ""]
			return errors.Join(lines.Err(), &supervisor.Error{Code: supervisor.CodeInvalid, Message: why})
		}
	}
	copies := 0
	for more := true; more; { // a large folder takes several calls
		left, err := app.CallAdminService[admin.UserData](ctx, cfg, admin.MethodUserDelete,
			admin.DeleteUserRequest{User: name})
		if err != nil {
			return err
		}
		more, copies = left.More, copies+left.Copies
	}
	if copies > 0 {
		fmt.Fprintln(con.out, textCopiesDeleted)
	}
	_, err = fmt.Fprintf(con.out, textDeleted, name)
	return err
}
