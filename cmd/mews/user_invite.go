package main

import (
	"context"
	"fmt"
	"io"

	"mews/protocol/amount"
	"mews/supervisor/admin"
	"mews/supervisor/app"
)

// userInvite runs `mews user invite`.
func userInvite(ctx context.Context, con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	enrol := set.Bool("enrol", true, flagEnrol)
	revoke := set.Bool("revoke", false, flagRevoke)
	name, cfg, err := parseUserName(set, file, args)
	if err != nil {
		return err
	}
	made, err := app.CallAdminService[admin.InviteResult](ctx, cfg, admin.MethodUserInvite,
		admin.InviteRequest{User: name, Enrol: *enrol && !*revoke, Revoke: *revoke})
	switch {
	case err != nil:
		return err
	case *revoke:
		_, err = fmt.Fprintf(con.out, textRevoked, amount.Plural(int(made.Revoked), "invite", "invites"), name)
		return err
	}
	if made.Added != "" {
		fmt.Fprintf(con.out, "%s\n\n", made.Added)
	}
	return printInvite(con.out, name, made)
}

// printInvite shows an invite. The code can't be shown again.
func printInvite(w io.Writer, name string, made admin.InviteResult) error {
	fmt.Fprintf(w, textInvite, name, made.Expires.Local().Format("2006-01-02 15:04 MST"))
	if made.Admin {
		fmt.Fprintf(w, textInviteAdmin, name)
	}
	switch {
	case made.Link != "":
		fmt.Fprintf(w, "  %s\n\n", made.Link)
		drawCode(w, made.Link)
		fmt.Fprint(w, textInviteLink)
	case made.NoBotText != "":
		fmt.Fprintf(w, textInviteBotless, made.NoBotText)
	default:
		fmt.Fprint(w, textInviteSend)
	}
	fmt.Fprintf(w, "  /start %s\n", made.Code)
	if made.Enrol {
		fmt.Fprint(w, textInviteEnrol)
	}
	_, err := fmt.Fprintln(w)
	return err
}
