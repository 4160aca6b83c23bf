package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"mews/supervisor/app"
	"strings"

	"mews/config"
)

// subverb is one thing that a verb does which does several.
type subverb struct {
	name    string
	usage   string // what may follow the name
	summary string
	run     func(ctx context.Context, con console, v subverb, args []string) error
	verb    string // whose it is
}

// choose runs the subverb that the first argument names.
func choose(ctx context.Context, con console, verb string, subs []subverb, args []string) error {
	if len(args) == 0 {
		listSubverbs(con.err, verb, subs)
		return errMisuse
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		listSubverbs(con.err, verb, subs)
		return nil
	}
	for _, v := range subs {
		if v.name == args[0] {
			v.verb = verb
			return v.run(ctx, con, v, args[1:])
		}
	}
	fmt.Fprintf(con.err, "mews %s: there is no %q\n\n", verb, app.Printable(args[0]))
	listSubverbs(con.err, verb, subs)
	return errMisuse
}

func listSubverbs(w io.Writer, verb string, subs []subverb) {
	fmt.Fprintf(w, "Usage:\n\n")
	for _, v := range subs {
		fmt.Fprintf(w, "  mews %s %s\n    \t%s\n", verb, strings.TrimSpace(v.name+" "+v.usage), v.summary)
	}
}

// flags is the flag set of a subverb, and where it has the configuration's file.
func (v subverb) flags(con console) (set *flag.FlagSet, file *string) {
	set = flag.NewFlagSet(v.verb+" "+v.name, flag.ContinueOnError)
	set.SetOutput(con.err)
	set.Usage = func() {
		fmt.Fprintf(con.err, "mews %s %s: %s\n\nUsage: mews %s %s\n", v.verb, v.name, v.summary, v.verb, strings.TrimSpace(v.name+" "+v.usage))
		set.VisitAll(func(f *flag.Flag) { describe(con.err, f) })
	}
	return set, set.String("config", "", "the configuration `FILE`")
}

// parseNames reads a subverb's flags, and what stands among them: as many words as it has to be, or up to most.
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
	wrong := "says nobody's name"
	if len(words) > most {
		wrong = fmt.Sprintf("takes no argument %q", words[most])
	}
	fmt.Fprintf(set.Output(), "mews %s %s\n", set.Name(), wrong)
	set.Usage()
	return nil, errMisuse
}

// oneName reads the flags of a subverb that is about one person, and loads the configuration.
func oneName(set *flag.FlagSet, file *string, args []string) (name string, cfg *config.Config, err error) {
	words, err := parseNames(set, args, 1, 1)
	if err != nil {
		return "", nil, err
	}
	cfg, _, err = loadConfig(*file)
	return words[0], cfg, err
}
