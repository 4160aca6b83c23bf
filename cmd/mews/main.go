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
	name    string
	usage   string // what may follow the name
	summary string
	run     func(ctx context.Context, con console, args []string) error
}

// verbs is the table; the help lists it in this order.
func verbs() []verb {
	return []verb{
		{"run", "[--config FILE] [--chat [--user NAME]]", "serve; with --chat also drop into the chat", runVerb},
		{"chat", "[--config FILE] [--user NAME] [--chat NAME]", "talk to your assistant in the terminal", chatVerb},
		{"status", "[--config FILE] [--json]", "what runs, for whom, and what waits", statusVerb},
		{"models", "[--config FILE] [--json]", "which models there are, and which answers you", modelsVerb},
		{"usage", "[--config FILE] [--user NAME] [--days N] [--json]", "what was asked of models, and what that cost", usageVerb},
		{"user", "WHAT [NAME] [FLAG] ...", "who may talk: list, show, add, invite, disable, enable, remove, export, delete", userVerb},
		{"totp", "WHAT [NAME] [FLAG] ...", "second factors: enroll, status, reset, unlock", totpVerb},
		{"audit", "[verify] [FLAG] ...", "who did what, and whether that log is what was written", auditVerb},
		{"reload", "[--config FILE] [--json]", "have the service read its configuration again", reloadVerb},
		{"check", "[--config FILE]", "check the configuration, and say everything that is wrong with it", checkVerb},
		{"doctor", "[--config FILE] [--escapes]", "look for what may keep Mews from working, and say what to do", doctorVerb},
		{"version", "", "print the version", versionVerb},
	}
}

// Exit statuses: of a verb that did not do its work, and of a command line that makes no sense. (As flag has them.)
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(dispatch(ctx, console{in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Args[1:]))
}

func dispatch(ctx context.Context, con console, args []string) int {
	if len(args) == 0 {
		usage(con.err)
		return exitUsage
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
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
	fmt.Fprintf(con.err, "mews: there is no verb %q\n\n", args[0])
	usage(con.err)
	return exitUsage
}

// errMisuse is a command line that makes no sense. Who returns it has said why.
var errMisuse = errors.New("misuse")

func exit(con console, err error) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errMisuse):
		return exitUsage
	}
	// A person's error is shown as it was written for them; any other one whole, for here the person is the operator.
	text := err.Error()
	if e := new(supervisor.Error); errors.As(err, &e) {
		text = e.Message
	}
	fmt.Fprintln(con.err, "mews: "+text)
	return exitFailed
}

func usage(w io.Writer) {
	fmt.Fprint(w, "Mews: an assistant for the people of one household or team.\n\nUsage: mews VERB [flags]\n\n")
	for _, v := range verbs() {
		fmt.Fprintf(w, "  %-8s %s\n", v.name, v.summary)
	}
	fmt.Fprint(w, "\nmews VERB --help lists a verb's flags.\n")
}

// flags is the flag set of a verb.
func flags(con console, name string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(con.err)
	set.Usage = func() {
		for _, v := range verbs() {
			if v.name == name {
				fmt.Fprintf(con.err, "mews %s: %s\n\nUsage: mews %s %s\n", v.name, v.summary, v.name, v.usage)
			}
		}
		set.VisitAll(func(f *flag.Flag) { describe(con.err, f) })
	}
	return set
}

// describe tells of a flag as people write it, with two dashes. (The flag package takes one and prints one.)
func describe(w io.Writer, f *flag.Flag) {
	value, what := flag.UnquoteUsage(f)
	fmt.Fprintf(w, "  --%s\n    \t%s\n", strings.TrimSpace(f.Name+" "+value), what)
}

// parse reads a verb's flags; verbs take no other arguments.
func parse(set *flag.FlagSet, args []string) error {
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errMisuse
	}
	if set.NArg() > 0 {
		fmt.Fprintf(set.Output(), "mews %s takes no argument %q\n", set.Name(), set.Arg(0))
		set.Usage()
		return errMisuse
	}
	return nil
}

func versionVerb(_ context.Context, con console, args []string) error {
	if err := parse(flags(con, "version"), args); err != nil {
		return err
	}
	fmt.Fprintln(con.out, "mews", version)
	return nil
}
