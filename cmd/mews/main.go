// Command mews is the supervisor and the command line of Mews.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	_ "time/tzdata" // users' time zones, even if the system has no zone files

	"mews/cmd/mews/stopsignal"
	"mews/config/spelling"
	"mews/supervisor"
	"mews/supervisor/printable"
)

// version is set by the linker.
var version = "dev"

// console is the input and the outputs of a verb.
type console struct {
	in       *os.File
	out, err io.Writer
}

// verb is a command of the program, such as run.
type verb struct {
	name string
	run  func(ctx context.Context, con console, args []string) error
}

// verbs is the table of verbs, in the order of the help.
func verbs() []verb {
	return []verb{
		{"run", runVerb},
		{"chat", chatVerb},
		{"status", statusVerb},
		{"models", modelsVerb},
		{"usage", usageVerb},
		{"activity", activityVerb},
		{"job", jobVerb},
		{"todo", todoVerb},
		{"memory", memoryVerb},
		{"search", searchVerb},
		{"history", historyVerb},
		{"home", homeVerb},
		{"user", userVerb},
		{"totp", totpVerb},
		{"audit", auditVerb},
		{"reload", reloadVerb},
		{"service", serviceVerb},
		{"backup", backupVerb},
		{"restore", restoreVerb},
		{"check", checkVerb},
		{"doctor", doctorVerb},
		{"install", installVerb},
		{"voice", voiceVerb},
		{"github", githubVerb},
		{"review", reviewVerb},
		{"update", updateVerb},
		{"help", helpVerb},
		{"version", versionVerb},
	}
}

// hiddenVerbs are verbs that only other programs of Mews run.
func hiddenVerbs() []verb { return []verb{{"preflight", preflightVerb}} }

// Exit statuses: for a verb that failed and for a wrong command line, as in package flag. The
// others are for scripts (see `mews help keeping-it-running`) and for the service manager: the last
// is EX_CONFIG of sysexits(3), with which the unit does not start the service again.
const (
	exitFailed        = 1
	exitUsage         = 2
	exitNotRunning    = 3 // `mews status --check` finds no running service
	exitWarnings      = 4 // `mews doctor` finds only warnings
	exitConfiguration = 78
)

// exitError is the error for an exit status of its own. Its text is printed unless it is "".
type exitError struct {
	status int
	text   string
}

func (e *exitError) Error() string { return e.text }

func main() {
	ctx, stop := stopsignal.Context()
	defer stop()
	if err := tryPoller(); err != nil {
		os.Exit(exit(console{err: os.Stderr}, err))
	}
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
	if slices.Contains(versionFlags, args[0]) {
		args = append([]string{"version"}, args[1:]...)
	}
	for _, v := range append(verbs(), hiddenVerbs()...) {
		if v.name == args[0] {
			return exit(con, v.run(ctx, con, args[1:]))
		}
	}
	fmt.Fprintf(con.err, textNoVerb, printable.DropControls(args[0]))
	if verb := otherWords[args[0]]; verb != "" {
		fmt.Fprintf(con.err, textMeant, verb)
		return exitUsage
	}
	if !suggest(con.err, "mews ", args[0], verbNames()) {
		fmt.Fprintln(con.err)
		usage(con.err)
	}
	return exitUsage
}

// otherWords are words that people try as verbs, each with the command that they mean.
var otherWords = map[string]string{
	"start": "mews run", "serve": "mews run", "restart": "mews service restart",
	"stop": "Ctrl-C where Mews runs, or mews service stop", "log": "mews service logs", "logs": "mews service logs",
	"invite": "mews user invite NAME", "users": "mews user list", "people": "mews user list",
	"reminders": "mews job", "reminder": "mews job", "remind": "mews job add 'WHEN: TEXT'",
	"tasks": "mews job", "jobs": "mews job",
	"undo": "mews chat /undo", "new": "mews chat /new",
}

// versionFlags are flags that other programs have for their version.
var versionFlags = []string{"--version", "-version", "-v", "-V"}

func verbNames() (names []string) {
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	return names
}

// suggest writes the names that are near to a mistyped word. It reports whether there are such
// names. The parameter before is the text in front of each name.
func suggest(w io.Writer, before, word string, names []string) bool {
	near := spelling.NearNames(word, names)
	if near == nil {
		return false
	}
	fmt.Fprintf(w, textMeant, before+strings.Join(near, ", "+before))
	return true
}

// configurationError is the error of a service that only an admin can mend: its configuration is
// wrong, its programs are of several versions, or a newer version has used its database. The
// service manager should not try again.
type configurationError struct{ error }

func (e *configurationError) Unwrap() error { return e.error }

// errMisuse is the error for a wrong command line. The function that returns this error has printed
// the reason.
var errMisuse = errors.New("misuse")

func exit(con console, err error) int {
	var wanted *helpRequestError
	switch {
	case errors.As(err, &wanted):
		printUsage(con.out, wanted.set)
		return 0
	case err == nil:
		return 0
	case errors.Is(err, errMisuse):
		return exitUsage
	}
	failed := &exitError{status: exitFailed}
	if errors.As(err, &failed) && failed.text == "" {
		return failed.status
	}
	// Errors are shown whole, even if they were not written for people, because the reader runs the
	// service.
	text := err.Error()
	if e := new(supervisor.Error); errors.As(err, &e) {
		text = e.Message
	}
	fmt.Fprintln(con.err, "mews: "+text)
	if errors.As(err, new(*configurationError)) {
		return exitConfiguration
	}
	return failed.status
}

func usage(w io.Writer) {
	fmt.Fprint(w, textHelpHead)
	for _, v := range verbs() {
		fmt.Fprintf(w, "  %-8s %s\n", v.name, helps[v.name].summary)
	}
	fmt.Fprint(w, textHelpEnd)
}

// flags returns the flag set of a verb, or of a subcommand such as "user add".
func flags(con console, name string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(con.err)
	set.Usage = func() {} // package flag prints no usage, because parseNames does
	return set
}

// helpRequestError is the error for a command line with --help. exit prints the usage.
type helpRequestError struct{ set *flag.FlagSet }

func (*helpRequestError) Error() string { return flag.ErrHelp.Error() }

// printUsage prints the usage of a verb or subcommand.
func printUsage(w io.Writer, set *flag.FlagSet) {
	h := helps[set.Name()]
	fmt.Fprintf(w, textUsage, set.Name(), h.summary, strings.TrimSpace(set.Name()+" "+h.usage))
	set.VisitAll(func(f *flag.Flag) { printFlag(w, f) })
}

// printFlag prints a flag with two dashes, as people write it. Package flag would print only one
// dash.
func printFlag(w io.Writer, f *flag.Flag) {
	value, what := flag.UnquoteUsage(f)
	fmt.Fprintf(w, "  --%s\n    \t%s\n", strings.TrimSpace(f.Name+" "+value), what)
}

// parse reads the flags of a verb that takes no other arguments.
func parse(set *flag.FlagSet, args []string) error {
	_, err := parseNames(set, args, 0, 0)
	return err
}
