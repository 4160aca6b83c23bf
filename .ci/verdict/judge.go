package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxReruns is the maximum number of failed tests that run again. More failures are hardly chance,
// and their reruns would take long.
const maxReruns = 10

// judge decides which failures of a run count.
type judge struct {
	dir     string    // root folder of the project
	flags   []string  // flags of go test
	out     io.Writer // receives the output of the tests, for people
	today   time.Time
	isRoot  bool // whether root runs the tests: root has all rights that tests need, so no test may be skipped unless it is optional
	flaky   []flakyTest
	verdict []string // lines of the verdict, for the end of the report
	failed  bool
}

// test runs the tests of packages. It judges their results and the list of flaky tests, and reports
// whether the run passes.
func (j *judge) test(packages []string) bool {
	for _, fault := range j.readFlaky() {
		j.fail("%s: %s", flakyFile, fault)
	}
	j.results(j.run(packages))
	return !j.failed
}

// readFlaky reads the list of flaky tests, and returns the list's faults.
func (j *judge) readFlaky() (faults []string) {
	text, err := os.ReadFile(filepath.Join(j.dir, flakyFile))
	if err != nil {
		return []string{err.Error()}
	}
	j.flaky, faults = parseFlaky(string(text), j.today)
	return faults
}

// run runs the tests by gotestsum, which prints the failed tests and a closing line. It returns the
// results that it reads from gotestsum's event file.
func (j *judge) run(packages []string) (*results, error) {
	file, err := os.CreateTemp("", "mews-events-")
	if err != nil {
		j.fail("%v", err)
		return newResults(), nil
	}
	defer func() { _, _ = file.Close(), os.Remove(file.Name()) }() // the file was only read, so an error does no harm
	args := []string{"tool", "-modfile=.ci/go.mod", "gotestsum", "--format", "pkgname-and-test-fails", "--jsonfile", file.Name(), "--"}
	cmd := exec.Command(goProgram(), slices.Concat(args, packages, j.flags)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = j.dir, j.out, j.out
	status := cmd.Run()
	all, err := readResults(file, nil)
	if err = cmp.Or(err, j.expect(packages, all)); err != nil {
		j.fail("%v", err)
	}
	return all, status
}

// expect adds the packages that must have results to all. After an interrupted run, all then shows
// which packages are missing.
func (j *judge) expect(packages []string, all *results) error {
	cmd := exec.Command(goProgram(), slices.Concat([]string{"list"}, packages)...)
	cmd.Dir, cmd.Stderr = j.dir, j.out
	paths, err := cmd.Output()
	for _, path := range strings.Fields(string(paths)) {
		all.add(event{Package: path})
	}
	if err != nil {
		return fmt.Errorf("list the packages: %w", err)
	}
	return nil
}

// results judges the results of a run. status is the run's error, or nil.
func (j *judge) results(all *results, status error) {
	for _, p := range all.packages {
		if fault := packageFault(p); fault != "" {
			j.fail("%s: %s", p.folder, fault)
		}
		if j.isRoot {
			for _, name := range p.skipped {
				j.fail("%s (%s): skipped as root, where nothing is missing", name, p.folder)
			}
		}
	}
	failed := all.failedTests()
	for _, t := range failed {
		j.failedTest(t, len(failed))
	}
	switch {
	case status != nil && len(failed) == 0 && !j.failed:
		j.fail("go test: %v", status)
	case !slices.ContainsFunc(all.packages, func(p *packageResult) bool { return len(p.tests) > 0 }) && !j.failed:
		j.fail("no test ran")
	}
}

// failedTest judges one failed test. count is the number of all failed tests.
func (j *judge) failedTest(t *testResult, count int) {
	reason := finalReason(t)
	if reason == "" && count > maxReruns {
		reason = fmt.Sprintf("%d tests failed", count)
	}
	switch {
	case reason != "":
		j.fail("%s: not run again: %s", t, reason)
	case !j.passesAlone(t):
		j.fail("%s: again, when it ran alone", t)
	case slices.ContainsFunc(j.flaky, func(f flakyTest) bool { return f.folder == t.in.folder && f.test == t.name }):
		j.fail("%s: flaky again, and %s has it already: mend it", t, flakyFile)
	default:
		j.say("flaky: %s", t)
		j.say("  add to %s: %s", flakyFile, flakyTest{t.in.folder, t.name, j.today.Format(time.DateOnly), t.seen()})
	}
	for _, command := range replays(t, nil) {
		j.say("  replay: %s", command)
	}
}

// passesAlone runs a failed test again, without other tests, and reports whether it passes.
func (j *judge) passesAlone(t *testResult) bool {
	fmt.Fprintf(j.out, "\n=== run again, alone: %s\n", t)
	all, err := runTest(j.dir, nil, t.in.folder, slices.Concat(j.flags, []string{"-count=1", "-run", exactly(t.name)}), j.out)
	return err == nil && all.isClean(j.isRoot) && all.stateOf(t.in.folder, t.name) == "pass"
}

// runTest runs go test on one package with the variables in env. It copies the output to out, and
// returns the results.
func runTest(dir string, env []string, folder string, flags []string, out io.Writer) (*results, error) {
	cmd := exec.Command(goProgram(), slices.Concat([]string{"test", "-json", folder}, flags)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), env...)
	events, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return newResults(), err
	}
	// this function shows the output of the tests to people
	all, err := readResults(events, func(text string) { _, _ = io.WriteString(out, text) })
	return all, cmp.Or(err, cmd.Wait())
}

// seen returns the first line that a failed test printed. That line goes into the list of flaky
// tests.
func (t *testResult) seen() string {
	for line := range strings.Lines(frameOutput.ReplaceAllString(t.output.String(), "")) {
		if line = strings.TrimSpace(strings.ReplaceAll(line, "|", "/")); line != "" {
			return line
		}
	}
	return "it printed nothing"
}

func (j *judge) fail(format string, args ...any) {
	j.failed = true
	j.say("failed: "+format, args...)
}

func (j *judge) say(format string, args ...any) {
	j.verdict = append(j.verdict, fmt.Sprintf(format, args...))
}

// goProgram returns the go command, which the Makefile names in GO.
func goProgram() string {
	if program := os.Getenv("GO"); program != "" {
		return program
	}
	return "go"
}
