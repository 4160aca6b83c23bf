package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/admin"
)

func userSubcommands() []subcommand {
	return []subcommand{
		{name: "list", run: userList},
		{name: "show", run: userList},
		{name: "add", run: userAdd},
		{name: "invite", run: userInvite},
		{name: "disable", run: byName(admin.MethodUserSuspend, suspension(true))},
		{name: "enable", run: byName(admin.MethodUserSuspend, suspension(false))},
		{name: "remove", run: byName(admin.MethodUserRemove, userName)},
		{name: "export", run: userExport},
		{name: "delete", run: userDelete},
	}
}

// userVerb is `mews user`.
func userVerb(ctx context.Context, con console, args []string) error {
	return choose(ctx, con, "user", userSubcommands(), args)
}

// userList is `mews user list` and `mews user show`.
func userList(ctx context.Context, con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	asJSON := set.Bool("json", false, flagJSON)
	words := map[string]int{"show": 1}[v.name]
	names, cfg, err := parseClient(set, file, args, words, words)
	if err != nil {
		return err
	}
	list, err := listUsers(ctx, cfg, names)
	if err != nil {
		return err
	}
	print := printPeople
	if words == 1 {
		print = printPerson
	}
	return show(con.out, list, *asJSON, print)
}

// printPeople prints a line for each person.
func printPeople(w io.Writer, list admin.People) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, textPeopleHead)
	for _, p := range list.Users {
		name := p.Name
		if p.Suspended {
			name += " (disabled)"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", name, p.Role, sourceText(p), orDash(strings.Join(p.Telegram, ", ")), admin.FactorText(p.Factor),
			amount.Of(len(p.Logins), "chat", "chats"), p.Home)
	}
	return t.Flush()
}

// sourceText says where a person is known from.
func sourceText(p admin.Person) string {
	if p.Configured {
		return "configuration"
	}
	return "added"
}

// printPerson prints all that is known of the one person in the list.
func printPerson(w io.Writer, list admin.People) error {
	p := list.Users[0]
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	speaks := textMaySpeak
	if p.Suspended {
		speaks = textMayNotSpeak
	}
	for _, line := range [][2]string{
		{"name", p.Name}, {"role", p.Role}, {"from", sourceText(p)}, {"now", speaks}, {"folder", p.Home}, {"account", orDash(p.Account)},
		{"timezone", orDash(p.Timezone)}, {"model", orDash(p.Model)}, {"telegram", orDash(strings.Join(p.Telegram, ", "))},
		{"second factor", admin.FactorText(p.Factor)}, {"budget", budgetText(p.Budget)}, {"open invites", fmt.Sprint(p.Invites)},
	} {
		fmt.Fprintf(t, "%s\t%s\n", line[0], line[1])
	}
	for _, l := range p.Logins {
		fmt.Fprintf(t, textLoginSince, strings.TrimSpace(l.Channel+" "+l.Chat), l.Since.Local().Format("2006-01-02 15:04"))
	}
	return t.Flush()
}

// budgetText is what a person may spend.
func budgetText(s admin.SpendLimits) string {
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
		return textNoLimit
	}
	return strings.Join(parts, ", ")
}

func userAdd(ctx context.Context, con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	role := set.String("role", string(supervisor.RoleUser), flagRole)
	account := set.String("account", "", flagAccount)
	zone := set.String("timezone", "", flagTimezone)
	again := set.Bool("again", false, flagAgain)
	name, cfg, err := oneName(set, file, args)
	if err != nil {
		return err
	}
	return request(ctx, con, cfg, admin.MethodUserAdd,
		admin.NewUser{Name: name, Role: *role, Account: *account, Timezone: *zone, Again: *again})
}

func suspension(on bool) func(name string) any {
	return func(name string) any { return admin.SuspendRequest{User: name, On: on} }
}
