package main

import (
	"context"
	"slices"
	"strings"

	"mews/cmd/mews/install"
	"mews/supervisor"
	"mews/supervisor/admin"
)

func userSubcommands() []subcommand {
	return []subcommand{
		{name: "list", run: userList},
		{name: "show", run: userList},
		{name: "add", run: userAdd},
		{name: "invite", run: userInvite},
		{name: "disable", run: userRequest(admin.MethodUserSuspend, suspension(true))},
		{name: "enable", run: userRequest(admin.MethodUserSuspend, suspension(false))},
		{name: "disconnect", run: userDisconnect},
		{name: "remove", run: userRequest(admin.MethodUserRemove, userName)},
		{name: "export", run: userExport},
		{name: "delete", run: userDelete},
	}
}

// userVerb runs `mews user`.
func userVerb(ctx context.Context, con console, args []string) error {
	return choose(ctx, con, "user", userSubcommands(), args)
}

// userList runs `mews user list` and `mews user show`.
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
	text := admin.People.Text
	if words == 1 {
		text = func(list admin.People) string { return list.Users[0].Text() }
	}
	return show(con.out, list, *asJSON, text)
}

func userAdd(ctx context.Context, con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	role := set.String("role", string(supervisor.RoleUser), flagRole)
	account := set.String("account", "", flagAccount)
	zone := set.String("timezone", "", flagTimezone)
	again := set.Bool("again", false, flagAgain)
	name, cfg, err := parseUserName(set, file, bareAccount(args))
	if err != nil {
		return err
	}
	if *account == newAccount {
		p := install.Person{Name: name, Admin: *role == string(supervisor.RoleAdmin), Timezone: *zone}
		return addWithAccount(ctx, con, cfg, p)
	}
	return requestAndPrint(ctx, con, cfg, admin.MethodUserAdd,
		admin.AddUserRequest{Name: name, Role: *role, Account: *account, Timezone: *zone, Again: *again})
}

// newAccount stands for the account of --account without a value, which no account is called.
const newAccount = "+"

// bareAccount lets --account be without a value.
func bareAccount(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		bare := i+1 == len(args) || strings.HasPrefix(args[i+1], "-")
		if bare && (arg == "-account" || arg == "--account") {
			args[i] = "--account=" + newAccount
		}
	}
	return args
}

func suspension(on bool) func(name string) any {
	return func(name string) any { return admin.SuspendUserRequest{User: name, On: on} }
}

// userDisconnect runs `mews user disconnect`.
func userDisconnect(ctx context.Context, con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	words, cfg, err := parseClient(set, file, args, 2, 2)
	if err != nil {
		return err
	}
	return requestAndPrint(ctx, con, cfg, admin.MethodUserDisconnect,
		admin.DisconnectAccountRequest{User: words[0], Telegram: words[1]})
}
