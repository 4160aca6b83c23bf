package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"mews/config"
	"mews/supervisor/admin"
	"mews/supervisor/app"
	"mews/supervisor/printable"
)

// subcommand is one of several commands of a verb, such as add in `mews user add`.
type subcommand struct {
	verb string // name of the verb; choose sets it
	name string
	run  func(ctx context.Context, con console, v subcommand, args []string) error
}

// choose runs the subcommand that the first argument names.
func choose(ctx context.Context, con console, verb string, subs []subcommand, args []string) error {
	if len(args) == 0 {
		listSubcommands(con.err, verb, subs)
		return errMisuse
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		listSubcommands(con.out, verb, subs)
		return nil
	}
	for _, v := range subs {
		if v.name == args[0] {
			v.verb = verb
			return v.run(ctx, con, v, args[1:])
		}
	}
	fmt.Fprintf(con.err, textNoSubcommand, verb, printable.DropControls(args[0]))
	var names []string
	for _, v := range subs {
		names = append(names, v.name)
	}
	if !suggest(con.err, "mews "+verb+" ", args[0], names) {
		fmt.Fprintln(con.err)
		listSubcommands(con.err, verb, subs)
	}
	return errMisuse
}

func listSubcommands(w io.Writer, verb string, subs []subcommand) {
	fmt.Fprintf(w, "Usage:\n\n")
	for _, v := range subs {
		h := helps[verb+" "+v.name]
		fmt.Fprintf(w, "  mews %s %s\n    \t%s\n", verb, strings.TrimSpace(v.name+" "+h.usage), h.summary)
	}
}

// flags returns the flag set of a subcommand. file is the value of --config.
func (v subcommand) flags(con console) (set *flag.FlagSet, file *string) {
	set = flags(con, v.verb+" "+v.name)
	return set, set.String("config", "", flagConfig)
}

// parseNames reads flags and words, in any order. The number of words must be between least and
// most.
func parseNames(set *flag.FlagSet, args []string, least, most int) (words []string, err error) {
	for {
		if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, &helpRequestError{set}
		} else if err != nil {
			if flag, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); unknown {
				suggest(set.Output(), "mews "+set.Name()+" --", flag, flagNames(set))
			}
			printUsage(set.Output(), set)
			return nil, errMisuse
		}
		if set.NArg() == 0 {
			break
		}
		words, args = append(words, set.Arg(0)), set.Args()[1:]
	}
	if len(words) >= least && len(words) <= most {
		return words, nil
	}
	if len(words) > most {
		fmt.Fprintf(set.Output(), textNoArgument, set.Name(), words[most])
	} else {
		fmt.Fprintf(set.Output(), textNoName, set.Name(), firstPlaceholder(helps[set.Name()].usage))
	}
	printUsage(set.Output(), set)
	return nil, errMisuse
}

// flagNames returns the names of a set's flags.
func flagNames(set *flag.FlagSet) (names []string) {
	set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

// firstPlaceholder returns the first placeholder of a usage, such as OWNER/REPO.
func firstPlaceholder(usage string) string {
	word, _, _ := strings.Cut(usage, " ")
	return cmp.Or(strings.Trim(word, "[]"), "NAME")
}

// parseClient is parseNames for a verb that asks the service. It also loads the configuration of
// the --config flag.
func parseClient(set *flag.FlagSet, file *string, args []string, least, most int) (words []string, cfg *config.Config,
	err error) {
	if words, err = parseNames(set, args, least, most); err == nil {
		cfg, err = findConfig(*file)
	}
	return words, cfg, err
}

// parseUserName is parseClient for a subcommand with one argument, a user's name.
func parseUserName(set *flag.FlagSet, file *string, args []string) (name string, cfg *config.Config, err error) {
	words, cfg, err := parseClient(set, file, args, 1, 1)
	return strings.Join(words, ""), cfg, err
}

// userRequest makes a subcommand that only takes a user's name. It sends a request and prints the
// result.
func userRequest(method string, about func(name string) any) func(context.Context, console, subcommand, []string) error {
	return func(ctx context.Context, con console, v subcommand, args []string) error {
		set, file := v.flags(con)
		name, cfg, err := parseUserName(set, file, args)
		if err != nil {
			return err
		}
		return requestAndPrint(ctx, con, cfg, method, about(name))
	}
}

func userName(name string) any { return admin.UserRequest{User: name} }

// requestAndPrint sends a request and prints the result.
func requestAndPrint(ctx context.Context, con console, cfg *config.Config, method string, params any) error {
	done, err := app.CallAdminService[admin.TextResult](ctx, cfg, method, params)
	if err == nil {
		_, err = fmt.Fprintln(con.out, done.Text)
	}
	return err
}

// listUsers asks for the named user, or for all users if names is empty.
func listUsers(ctx context.Context, cfg *config.Config, names []string) (admin.People, error) {
	return app.CallAdminService[admin.People](ctx, cfg, admin.MethodUserList,
		admin.UserRequest{User: strings.Join(names, "")})
}
