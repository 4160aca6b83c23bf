package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mews/supervisor/app"
	"strings"
	"text/tabwriter"

	"mews/config"
	"mews/protocol/amount"
)

func totpVerbs() []subverb {
	return []subverb{
		{name: "enroll", usage: "NAME", summary: "set up a person's second factor: show it once, and have them prove that they have it", run: totpEnroll},
		{name: "status", usage: "[NAME] [--json]", summary: "who has a second factor, and who is locked out", run: totpStatus},
		{
			name: "reset", usage: "NAME", summary: "take a person's second factor away, with its recovery codes and their logins",
			run: func(ctx context.Context, con console, v subverb, args []string) error {
				return simple(ctx, con, v, app.MethodTotpReset, args)
			},
		},
		{
			name: "unlock", usage: "NAME", summary: "take codes of a person again who is locked out",
			run: func(ctx context.Context, con console, v subverb, args []string) error {
				return simple(ctx, con, v, app.MethodTotpUnlock, args)
			},
		},
	}
}

// totpVerb is `mews totp`.
func totpVerb(ctx context.Context, con console, args []string) error {
	return choose(ctx, con, "totp", totpVerbs(), args)
}

func totpStatus(ctx context.Context, con console, v subverb, args []string) error {
	set, file := v.flags(con)
	asJSON := set.Bool("json", false, "print it as JSON")
	names, err := parseNames(set, args, 0, 1)
	if err != nil {
		return err
	}
	cfg, _, err := loadConfig(*file)
	if err != nil {
		return err
	}
	var list app.People
	if err := app.Have(ctx, cfg, app.MethodUserList, app.Named{User: strings.Join(names, "")}, &list); err != nil {
		return err
	}
	if *asJSON {
		return printJSON(con.out, list)
	}
	t := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', 0)
	for _, p := range list.Users {
		fmt.Fprintf(t, "%s\t%s\topen in %s\n", p.Name, app.FactorText(p.Factor), amount.Of(len(p.Logins), "chat", "chats"))
	}
	return t.Flush()
}

func totpEnroll(ctx context.Context, con console, v subverb, args []string) error {
	set, file := v.flags(con)
	name, cfg, err := oneName(set, file, args)
	if err != nil {
		return err
	}
	var made app.Enrolled
	if err := app.Have(ctx, cfg, app.MethodTotpEnroll, app.Named{User: name}, &made); err != nil {
		return err
	}
	if err := printEnrolled(con.out, made); err != nil {
		return err
	}
	return prove(ctx, con, cfg, made.User)
}

// printEnrolled shows a second factor, which nothing shows a second time.
func printEnrolled(w io.Writer, made app.Enrolled) error {
	fmt.Fprintf(w, "The second factor of %s. Scan this with an authenticator app:\n\n", made.User)
	drawCode(w, made.URL)
	fmt.Fprintf(w, "\nor type this secret into it:\n\n  %s\n\nRecovery codes, each good once, without the app. Keep them where you do not "+
		"lose them; they are not shown again:\n\n", made.Secret)
	for _, code := range made.Recovery {
		fmt.Fprintf(w, "  %s\n", code)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// errUnproved is that a second factor was made, and no code of it was given.
var errUnproved = errors.New("no code was given, so the second factor counts for nothing yet: run this again, or send the bot a code")

// prove asks for codes until one is right, or none would be taken any more.
func prove(ctx context.Context, con console, cfg *config.Config, user string) error {
	lines := bufio.NewScanner(con.in)
	for {
		fmt.Fprint(con.out, "The six digits that the app shows now: ")
		if !lines.Scan() {
			fmt.Fprintln(con.out)
			return errors.Join(lines.Err(), errUnproved)
		}
		var v app.Verdict
		if err := app.Have(ctx, cfg, app.MethodTotpConfirm, app.Proof{User: user, Code: strings.TrimSpace(lines.Text())}, &v); err != nil {
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
