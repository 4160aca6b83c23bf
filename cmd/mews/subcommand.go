package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"mews/config"
	"mews/supervisor"
)

// subcommand is one of several things that a verb does.
type subcommand struct {
	verb string // set by choose
	name string
	run  func(ctx context.Context, con console, v subcommand, args []string) error
}

// choose runs the subcommand of a verb that the first argument names.
func choose(ctx context.Context, con console, verb string, subs []subcommand, args []string) error {
	if len(args) == 0 {
		listSubcommands(con.err, verb, subs)
		return errMisuse
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		listSubcommands(con.err, verb, subs)
		return nil
	}
	for _, v := range subs {
		if v.name == args[0] {
			v.verb = verb
			return v.run(ctx, con, v, args[1:])
		}
	}
	fmt.Fprintf(con.err, textNoSubcommand, verb, supervisor.Printable(args[0]))
	listSubcommands(con.err, verb, subs)
	return errMisuse
}

func listSubcommands(w io.Writer, verb string, subs []subcommand) {
	fmt.Fprintf(w, "Usage:\n\n")
	for _, v := range subs {
		h := helps[verb+" "+v.name]
		fmt.Fprintf(w, "  mews %s %s\n    \t%s\n", verb, strings.TrimSpace(v.name+" "+h.usage), h.summary)
	}
}

// flags is the flag set of a subcommand. file is the value of its --config.
func (v subcommand) flags(con console) (set *flag.FlagSet, file *string) {
	set = flag.NewFlagSet(v.verb+" "+v.name, flag.ContinueOnError)
	set.SetOutput(con.err)
	set.Usage = func() {
		name := v.verb + " " + v.name
		h := helps[name]
		fmt.Fprintf(con.err, textUsage, name, h.summary, strings.TrimSpace(name+" "+h.usage))
		set.VisitAll(func(f *flag.Flag) { printFlag(con.err, f) })
	}
	return set, set.String("config", "", flagConfig)
}

// parseNames reads a subcommand's flags and the words that stand among them, of which there have to be from least to most.
func parseNames(set *flag.FlagSet, args []string, least, most int) (words []string, err error) {
	for {
		if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, err
		} else if err != nil {
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
		fmt.Fprintf(set.Output(), textNoName, set.Name())
	}
	set.Usage()
	return nil, errMisuse
}

// oneName reads the flags of a subcommand that is about one person, and loads the configuration.
func oneName(set *flag.FlagSet, file *string, args []string) (name string, cfg *config.Config, err error) {
	words, err := parseNames(set, args, 1, 1)
	if err != nil {
		return "", nil, err
	}
	cfg, _, err = loadConfig(*file)
	return words[0], cfg, err
}
