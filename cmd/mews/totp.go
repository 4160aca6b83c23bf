package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"mews/config"
	"mews/protocol/amount"
	"mews/supervisor/admin"
	"mews/supervisor/app"
)

func totpSubcommands() []subcommand {
	return []subcommand{
		{name: "enroll", run: totpEnroll},
		{name: "status", run: totpStatus},
		{name: "reset", run: func(ctx context.Context, con console, v subcommand, args []string) error {
			return requestByName(ctx, con, v, admin.MethodTotpReset, args)
		},
		},
		{name: "unlock", run: func(ctx context.Context, con console, v subcommand, args []string) error {
			return requestByName(ctx, con, v, admin.MethodTotpUnlock, args)
		},
		},
	}
}

// totpVerb is `mews totp`.
func totpVerb(ctx context.Context, con console, args []string) error {
	return choose(ctx, con, "totp", totpSubcommands(), args)
}

func totpStatus(ctx context.Context, con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	asJSON := set.Bool("json", false, flagJSON)
	names, err := parseNames(set, args, 0, 1)
	if err != nil {
		return err
	}
	cfg, _, err := loadConfig(*file)
	if err != nil {
		return err
	}
	var list admin.People
	if err := app.Have(ctx, cfg, admin.MethodUserList, admin.UserName{User: strings.Join(names, "")}, &list); err != nil {
		return err
	}
	if *asJSON {
		return printJSON(con.out, list)
	}
	t := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', 0)
	for _, p := range list.Users {
		fmt.Fprintf(t, textFactorLine, p.Name, admin.FactorText(p.Factor), amount.Of(len(p.Logins), "chat", "chats"))
	}
	return t.Flush()
}

func totpEnroll(ctx context.Context, con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	name, cfg, err := oneName(set, file, args)
	if err != nil {
		return err
	}
	var made admin.Enrolled
	if err := app.Have(ctx, cfg, admin.MethodTotpEnroll, admin.UserName{User: name}, &made); err != nil {
		return err
	}
	if err := printEnrolled(con.out, made); err != nil {
		return err
	}
	return askForCode(ctx, con, cfg, made.User)
}

// printEnrolled shows a second factor. Nothing can show it a second time.
func printEnrolled(w io.Writer, made admin.Enrolled) error {
	fmt.Fprintf(w, textFactor, made.User)
	drawCode(w, made.URL)
	fmt.Fprintf(w, textFactorSecret, made.Secret)
	for _, code := range made.Recovery {
		fmt.Fprintf(w, "  %s\n", code)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// errUnconfirmed is a second factor that was made and not confirmed by a code.
var errUnconfirmed = errors.New(textUnconfirmed)

// askForCode asks for codes until one is right, or until the service takes no more of them.
func askForCode(ctx context.Context, con console, cfg *config.Config, user string) error {
	lines := bufio.NewScanner(con.in)
	for {
		fmt.Fprint(con.out, textAskCode)
		if !lines.Scan() {
			fmt.Fprintln(con.out)
			return errors.Join(lines.Err(), errUnconfirmed)
		}
		var v admin.CodeResult
		if err := app.Have(ctx, cfg, admin.MethodTotpConfirm, admin.CodeProof{User: user, Code: strings.TrimSpace(lines.Text())}, &v); err != nil {
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
