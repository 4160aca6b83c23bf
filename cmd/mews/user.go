package main

import (
	"context"
	"fmt"
	"io"
	"mews/supervisor/app"
	"strings"
	"text/tabwriter"

	"github.com/mdp/qrterminal/v3"

	"mews/protocol/amount"
	"mews/supervisor"
)

func userVerbs() []subverb {
	return []subverb{
		{name: "list", usage: "[--json]", summary: "who may talk, and what lets them", run: userList},
		{name: "show", usage: "NAME [--json]", summary: "one person", run: userList},
		{
			name: "add", usage: "NAME [--role admin|user] [--account A] [--timezone TZ] [--again]",
			summary: "add a person without the configuration; they get a folder below the state folder", run: userAdd,
		},
		{
			name: "invite", usage: "NAME [--enrol=false] [--revoke]",
			summary: "print a code that lets a person in on Telegram; with --revoke take back those that nobody has used", run: userInvite,
		},
		{name: "disable", usage: "NAME", summary: "shut a person out for now, end their logins, and take back their invites", run: userSuspend(true)},
		{name: "enable", usage: "NAME", summary: "let a person in again who was disabled", run: userSuspend(false)},
		{name: "remove", usage: "NAME", summary: "take out a person who was added; what is theirs stays", run: userRemove},
		{name: "export", usage: "NAME [--output FILE]", summary: "write all that is kept of a person, also of one who was removed, and their files, as a .tar.gz", run: userExport},
		{name: "delete", usage: "NAME [--yes]", summary: "delete all that is kept of a person who is none any more, and their folder", run: userDelete},
	}
}

// userVerb is `mews user`.
func userVerb(ctx context.Context, con console, args []string) error {
	return choose(ctx, con, "user", userVerbs(), args)
}

// userList is `mews user list`, and of one person `mews user show`.
func userList(ctx context.Context, con console, v subverb, args []string) error {
	set, file := v.flags(con)
	asJSON := set.Bool("json", false, "print it as JSON")
	words := map[string]int{"show": 1}[v.name]
	names, err := parseNames(set, args, words, words)
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
	switch {
	case *asJSON:
		return printJSON(con.out, list)
	case words == 1:
		return printPerson(con.out, list.Users[0])
	}
	return printPeople(con.out, list.Users)
}

// printPeople writes a line for each.
func printPeople(w io.Writer, list []app.Person) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "NAME\tROLE\tFROM\tTELEGRAM\tSECOND FACTOR\tOPEN IN\tFOLDER\n")
	for _, p := range list {
		name := p.Name
		if p.Suspended {
			name += " (disabled)"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", name, p.Role, source(p), orDash(strings.Join(p.Telegram, ", ")), app.FactorText(p.Factor),
			amount.Of(len(p.Logins), "chat", "chats"), p.Home)
	}
	return t.Flush()
}

// source is where a person is known from.
func source(p app.Person) string {
	if p.Configured {
		return "configuration"
	}
	return "added"
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// printPerson writes all about one.
func printPerson(w io.Writer, p app.Person) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	speaks := "may speak"
	if p.Suspended {
		speaks = "DISABLED: may not speak"
	}
	for _, line := range [][2]string{
		{"name", p.Name}, {"role", p.Role}, {"from", source(p)}, {"now", speaks}, {"folder", p.Home}, {"account", orDash(p.Account)},
		{"timezone", orDash(p.Timezone)}, {"model", orDash(p.Model)}, {"telegram", orDash(strings.Join(p.Telegram, ", "))},
		{"second factor", app.FactorText(p.Factor)}, {"budget", budgetText(p.Budget)}, {"open invites", fmt.Sprint(p.Invites)},
	} {
		fmt.Fprintf(t, "%s\t%s\n", line[0], line[1])
	}
	for _, l := range p.Logins {
		fmt.Fprintf(t, "login\t%s since %s\n", strings.TrimSpace(l.Channel+" "+l.Chat), l.Since.Local().Format("2006-01-02 15:04"))
	}
	return t.Flush()
}

// budgetText is what a person may spend.
func budgetText(s app.Spendable) string {
	var parts []string
	for _, part := range []struct {
		amount int64
		of     string
	}{{s.Turn, "a turn"}, {s.Day, "a day"}, {s.Month, "a month"}} {
		if part.amount > 0 {
			parts = append(parts, amount.Dollars(part.amount)+" "+part.of)
		}
	}
	if len(parts) == 0 {
		return "no limit"
	}
	return strings.Join(parts, ", ")
}

func userAdd(ctx context.Context, con console, v subverb, args []string) error {
	set, file := v.flags(con)
	role := set.String("role", string(supervisor.RoleUser), "the `ROLE`: admin or user")
	account := set.String("account", "", "the OS `ACCOUNT` that is theirs; without it, the service's own")
	zone := set.String("timezone", "", "where they live, such as Europe/Madrid: the `ZONE`; without it, the machine's")
	again := set.Bool("again", false, "they were here before: give them back what is kept of them")
	name, cfg, err := oneName(set, file, args)
	if err != nil {
		return err
	}
	var done app.Outcome
	err = app.Have(ctx, cfg, app.MethodUserAdd, app.Newcomer{Name: name, Role: *role, Account: *account, Timezone: *zone, Again: *again}, &done)
	return said(con, done, err)
}

// said prints what became of an errand.
func said(con console, done app.Outcome, err error) error {
	if err == nil {
		_, err = fmt.Fprintln(con.out, done.Text)
	}
	return err
}

func userSuspend(on bool) func(context.Context, console, subverb, []string) error {
	return func(ctx context.Context, con console, v subverb, args []string) error {
		set, file := v.flags(con)
		name, cfg, err := oneName(set, file, args)
		if err != nil {
			return err
		}
		var done app.Outcome
		err = app.Have(ctx, cfg, app.MethodUserSuspend, app.Suspension{User: name, On: on}, &done)
		return said(con, done, err)
	}
}

func userRemove(ctx context.Context, con console, v subverb, args []string) error {
	return simple(ctx, con, v, app.MethodUserRemove, args)
}

// simple is a subverb that is about one person, and takes nothing else.
func simple(ctx context.Context, con console, v subverb, method string, args []string) error {
	set, file := v.flags(con)
	name, cfg, err := oneName(set, file, args)
	if err != nil {
		return err
	}
	var done app.Outcome
	err = app.Have(ctx, cfg, method, app.Named{User: name}, &done)
	return said(con, done, err)
}

func userInvite(ctx context.Context, con console, v subverb, args []string) error {
	set, file := v.flags(con)
	enrol := set.Bool("enrol", true, "the invite also lets them set up a second factor in the chat")
	revoke := set.Bool("revoke", false, "take back the invites that nobody has used, and make none")
	name, cfg, err := oneName(set, file, args)
	if err != nil {
		return err
	}
	var made app.Invited
	err = app.Have(ctx, cfg, app.MethodUserInvite, app.Invitation{User: name, Enrol: *enrol && !*revoke, Revoke: *revoke}, &made)
	switch {
	case err != nil:
		return err
	case *revoke:
		_, err = fmt.Fprintf(con.out, "%s of %s taken back\n", amount.Of(int(made.Revoked), "invite", "invites"), name)
		return err
	}
	return printInvite(con.out, name, made)
}

// printInvite shows an invite, which nothing shows a second time.
func printInvite(w io.Writer, name string, made app.Invited) error {
	fmt.Fprintf(w, "An invite for %s, good once and until %s:\n\n", name, made.Expires.Local().Format("2006-01-02 15:04 MST"))
	switch {
	case made.Link != "":
		fmt.Fprintf(w, "  %s\n\n", made.Link)
		drawCode(w, made.Link)
		fmt.Fprintf(w, "\nThey open that, or send the bot this:\n\n")
	case made.Botless != "":
		fmt.Fprintf(w, "%s Then they send the bot this:\n\n", made.Botless)
	default:
		fmt.Fprintf(w, "They send the bot this on Telegram:\n\n")
	}
	fmt.Fprintf(w, "  /start %s\n", made.Code)
	if made.Enrol {
		fmt.Fprintf(w, "\nWith it they can set up a second factor in that chat.\n")
	}
	_, err := fmt.Fprintln(w)
	return err
}

// drawCode draws a text as a QR code, two rows of modules in a line.
func drawCode(w io.Writer, text string) {
	qrterminal.GenerateWithConfig(text, qrterminal.Config{Level: qrterminal.M, Writer: w, HalfBlocks: true,
		BlackChar: qrterminal.BLACK_BLACK, WhiteChar: qrterminal.WHITE_WHITE, BlackWhiteChar: qrterminal.BLACK_WHITE,
		WhiteBlackChar: qrterminal.WHITE_BLACK, QuietZone: qrterminal.QUIET_ZONE})
}
