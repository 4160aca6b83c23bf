// Verdict decides whether a run of the tests passes. It is run in the folder .ci and works in the
// folder above:
//
//	verdict test PACKAGE... FLAG...   run the tests, run failed ones again, and judge
//	verdict changed FLAG...           the same with the long tests whose folders have changed, in their short forms
//	verdict nightly PATTERN FLAG...   run the long tests that match in full
//	verdict report FILE               print what each part of a run took, beside the last kept run
//
// With -list FILE the lines of the verdict are added to a file, and not printed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// commands are the subcommands of verdict. Each function reports whether the run passes.
var commands = map[string]func(j *judge, args []string) (bool, error){
	"test":    runTests,
	"changed": runChanged,
	"nightly": runNightly,
	"report":  runReport,
}

func main() {
	list := flag.String("list", "", "the `file` that the lines of the verdict are added to")
	flag.Parse()
	command, ok := commands[flag.Arg(0)]
	if !ok {
		fmt.Fprintln(os.Stderr, "usage: verdict [-list FILE] test|changed|nightly|report ARGUMENT...")
		os.Exit(2)
	}
	j := &judge{dir: "..", out: os.Stdout, today: time.Now().UTC(), isRoot: os.Getuid() == 0}
	passes, err := command(j, flag.Args()[1:])
	if err == nil {
		err = j.tell(*list)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "verdict:", err)
	}
	if err != nil || !passes {
		os.Exit(1)
	}
}

// tell prints the lines of the verdict. If list is a file, tell adds the lines to that file
// instead.
func (j *judge) tell(list string) error {
	text := strings.Join(append(j.verdict, ""), "\n")
	if list == "" {
		_, err := io.WriteString(j.out, text)
		return err
	}
	file, err := os.OpenFile(list, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

func runTests(j *judge, args []string) (bool, error) {
	at := slices.IndexFunc(append(args, "-"), func(arg string) bool { return strings.HasPrefix(arg, "-") })
	j.flags = args[at:]
	return j.test(args[:at]), nil
}

func runChanged(j *judge, args []string) (bool, error) {
	rows, err := readNightly(j.dir)
	if err != nil {
		return false, err
	}
	j.flags = args
	return j.runDue(rows), nil
}

func runNightly(j *judge, args []string) (bool, error) {
	if len(args) == 0 {
		args = []string{""}
	}
	pattern, err := regexp.Compile(args[0])
	if err != nil {
		return false, err
	}
	rows, err := readNightly(j.dir)
	if err != nil {
		return false, err
	}
	n := &nightly{dir: j.dir, flags: args[1:], out: j.out, isRoot: j.isRoot}
	return n.run(rows, pattern)
}

func readNightly(dir string) ([]longTest, error) {
	text, err := os.ReadFile(filepath.Join(dir, nightlyFile))
	if err != nil {
		return nil, err
	}
	return parseNightly(string(text))
}

// runReport prints the report of a run.
func runReport(j *judge, args []string) (bool, error) {
	if len(args) != 1 {
		return false, errors.New("which report?")
	}
	now, err := readParts(args[0])
	if err != nil {
		return false, err
	}
	last, err := readParts(filepath.Join(j.dir, timesFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	printReport(j.out, now, last)
	return true, nil
}

// readParts reads the parts of a report.
func readParts(path string) ([]part, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseParts(string(text))
}
