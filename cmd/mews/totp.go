package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mews/config"
	"mews/supervisor/admin"
	"mews/supervisor/app"
)

func totpSubcommands() []subcommand {
	return []subcommand{
		{name: "enroll", run: totpEnroll},
		{name: "status", run: totpStatus},
		{name: "reset", run: userRequest(admin.MethodTotpReset, userName)},
		{name: "unlock", run: userRequest(admin.MethodTotpUnlock, userName)},
	}
}

// totpVerb runs `mews totp`.
func totpVerb(ctx context.Context, con console, args []string) error {
	return choose(ctx, con, "totp", totpSubcommands(), args)
}

func totpStatus(ctx context.Context, con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	asJSON := set.Bool("json", false, flagJSON)
	names, cfg, err := parseClient(set, file, args, 0, 1)
	if err != nil {
		return err
	}
	list, err := listUsers(ctx, cfg, names)
	if err != nil {
		return err
	}
	return show(con.out, list, *asJSON, admin.People.FactorsText)
}

func totpEnroll(ctx context.Context, con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	name, cfg, err := parseUserName(set, file, args)
	if err != nil {
		return err
	}
	made, err := app.CallAdminService[admin.EnrolledFactor](ctx, cfg, admin.MethodTotpEnroll,
		admin.UserRequest{User: name})
	if err != nil {
		return err
	}
	if err := printSecondFactor(con.out, made); err != nil {
		return err
	}
	return askForCode(ctx, con, cfg, made.User)
}

// printSecondFactor shows a new second factor. The secret can't be shown again.
func printSecondFactor(w io.Writer, made admin.EnrolledFactor) error {
	fmt.Fprintf(w, textFactor, made.User)
	drawCode(w, made.URL)
	fmt.Fprintf(w, textFactorSecret, made.Secret)
	for _, code := range made.Recovery {
		fmt.Fprintf(w, "  %s\n", code)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// errUnconfirmed is the error for a new second factor that no code has confirmed.
var errUnconfirmed = errors.New(textUnconfirmed)

// askForCode asks for codes until a code is right, or until the service refuses further attempts.
func askForCode(ctx context.Context, con console, cfg *config.Config, user string) error {
	lines := bufio.NewScanner(con.in)
	for {
		fmt.Fprint(con.out, textAskCode)
		if !lines.Scan() {
			fmt.Fprintln(con.out)
			return errors.Join(lines.Err(), errUnconfirmed)
		}
		v, err := app.CallAdminService[admin.CodeCheckResult](ctx, cfg, admin.MethodTotpConfirm,
			admin.ConfirmFactorRequest{User: user, Code: strings.TrimSpace(lines.Text())})
		if err != nil {
			return err
		}
		switch {
		case v.Right:
			_, err := fmt.Fprintln(con.out, v.Text)
			return err
		case v.Over:
			return errors.New(v.Text)
		}
		fmt.Fprintln(con.out, v.Text)
	}
}
