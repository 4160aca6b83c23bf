// Command mews is the supervisor and the command line of Mews.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // people's time zones, also where the system has none installed

	"mews/supervisor"
)

// version is set when the program is built.
var version = "dev"

// console is where a verb reads and writes.
type console struct {
	in       *os.File
	out, err io.Writer
}

// verb is one thing that the program does.
type verb struct {
	name string
	run  func(ctx context.Context, con console, args []string) error
}

// verbs is the table; the help lists it in this order.
func verbs() []verb {
	return []verb{
		{"run", runVerb},
		{"chat", chatVerb},
		{"status", statusVerb},
		{"models", modelsVerb},
		{"usage", usageVerb},
		{"activity", activityVerb},
		{"job", jobVerb},
		{"memory", memoryVerb},
		{"search", searchVerb},
		{"history", historyVerb},
		{"user", userVerb},
		{"totp", totpVerb},
		{"audit", auditVerb},
		{"reload", reloadVerb},
		{"check", checkVerb},
		{"doctor", doctorVerb},
		{"voice", voiceVerb},
		{"github", githubVerb},
		{"review", reviewVerb},
		{"help", helpVerb},
		{"version", versionVerb},
	}
}

// Exit statuses, as package flag has them: of a verb that failed, and of a command line that makes
// no sense.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	if err := tryPoller(); err != nil {
		os.Exit(exit(console{err: os.Stderr}, err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(dispatch(ctx, console{in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Args[1:]))
}

func dispatch(ctx context.Context, con console, args []string) int {
	if len(args) == 0 {
		usage(con.err)
		return exitUsage
	}
	if args[0] == "-h" || args[0] == "--help" {
		usage(con.out)
		return 0
	}
	if args[0] == "--version" {
		args = []string{"version"}
	}
	for _, v := range verbs() {
		if v.name == args[0] {
			return exit(con, v.run(ctx, con, args[1:]))
		}
	}
	fmt.Fprintf(con.err, textNoVerb, args[0])
	usage(con.err)
	return exitUsage
}

// errMisuse is a command line that makes no sense. Whoever returns it has printed why.
var errMisuse = errors.New("misuse")

func exit(con console, err error) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errMisuse):
		return exitUsage
	}
	// A person's error is shown as it was written for them. Any other one is shown whole: its
	// reader runs the service.
	text := err.Error()
	if e := new(supervisor.Error); errors.As(err, &e) {
		text = e.Message
	}
	fmt.Fprintln(con.err, "mews: "+text)
	return exitFailed
}

func usage(w io.Writer) {
	fmt.Fprint(w, textHelpHead)
	for _, v := range verbs() {
		fmt.Fprintf(w, "  %-8s %s\n", v.name, helps[v.name].summary)
	}
	fmt.Fprint(w, textHelpEnd)
}

// flags is the flag set of a verb, or of a subcommand by both names.
func flags(con console, name string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(con.err)
	set.Usage = func() {
		h := helps[name]
		fmt.Fprintf(con.err, textUsage, name, h.summary, strings.TrimSpace(name+" "+h.usage))
		set.VisitAll(func(f *flag.Flag) { printFlag(con.err, f) })
	}
	return set
}

// printFlag prints a flag with two dashes, as people write it. Package flag prints one.
func printFlag(w io.Writer, f *flag.Flag) {
	value, what := flag.UnquoteUsage(f)
	fmt.Fprintf(w, "  --%s\n    \t%s\n", strings.TrimSpace(f.Name+" "+value), what)
}

// parse reads the flags of a verb, which takes no other arguments.
func parse(set *flag.FlagSet, args []string) error {
	_, err := parseNames(set, args, 0, 0)
	return err
}
