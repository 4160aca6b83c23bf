package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

const nightlyFile = ".ci/nightly"

// longTest is a row of the table of long tests.
type longTest struct {
	test, folder string
	env          []string // environment variables of the full run; the short form has none
	watched      []string // folders of the project; a change in one of them makes the short form of the test due
	commit       string   // last commit at which the full run of this test passed; "" means that it never passed
}

// parseNightly parses the table of long tests.
func parseNightly(text string) (rows []longTest, err error) {
	for _, fields := range tableRows(text) {
		if len(fields) != 5 || fields[0] == "" || fields[1] == "" || fields[3] == "" {
			return nil, fmt.Errorf("%s: want test | package | environment | folders | commit, got %q", nightlyFile, strings.Join(fields, " | "))
		}
		rows = append(rows, longTest{fields[0], fields[1], strings.Fields(fields[2]), strings.Fields(fields[3]), fields[4]})
	}
	return rows, nil
}

func (l longTest) String() string {
	return fmt.Sprintf("%s | %s | %s | %s | %s", l.test, l.folder, strings.Join(l.env, " "), strings.Join(l.watched, " "), l.commit)
}

// dueReason returns why the short form of a test is due, or "" if it is not: neither a watched
// folder nor the test's own file has changed.
func (l longTest) dueReason(dir string) string {
	if l.commit == "" {
		return "it has not passed in full yet"
	}
	watched := slices.Concat(l.watched, l.files(dir))
	cmd := exec.Command("git", slices.Concat([]string{"diff", "--quiet", l.commit, "--"}, watched)...)
	cmd.Dir = dir
	err := cmd.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &ended) && ended.ExitCode() == 1:
		return "one of these changed since " + l.commit + ": " + strings.Join(watched, " ")
	}
	return "git can't compare with " + l.commit
}

// files lists the test files that declare the test.
func (l longTest) files(dir string) (files []string) {
	// no error is possible, because the pattern is well formed
	all, _ := filepath.Glob(filepath.Join(dir, l.folder, "*_test.go"))
	for _, path := range all {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "func "+l.test+"(") {
			files = append(files, path[len(dir)+1:])
		}
	}
	return files
}

// runDue runs the short forms of the long tests that are due, and judges them as all other tests.
func (j *judge) runDue(rows []longTest) bool {
	var due []longTest
	for _, row := range rows {
		if reason := row.dueReason(j.dir); reason != "" {
			fmt.Fprintf(j.out, "%s (%s): %s\n", row.test, row.folder, reason)
			due = append(due, row)
		}
	}
	if len(due) == 0 {
		fmt.Fprintln(j.out, "nothing that the long tests watch has changed since they passed")
		return true
	}
	var names, folders []string
	for _, row := range due {
		names, folders = append(names, row.test), append(folders, row.folder)
	}
	slices.Sort(folders)
	j.flags = append(j.flags, "-run", "^("+strings.Join(names, "|")+")$")
	_ = j.readFlaky() // the run of all other tests already reports the faults of the list
	all, err := j.run(slices.Compact(folders))
	j.results(all, err)
	for _, row := range due {
		if all.stateOf(row.folder, row.test) == "" {
			j.fail("%s (%s): it did not run", row.test, row.folder)
		}
	}
	return !j.failed
}

// nightly runs long tests in full.
type nightly struct {
	dir    string
	flags  []string // flags of go test
	out    io.Writer
	isRoot bool
	report strings.Builder
}

// run runs each row whose test matches the pattern, one after the other, and reports whether all
// passed. If the tree of files has no uncommitted change, it writes the current commit into the
// rows that passed.
func (n *nightly) run(rows []longTest, pattern *regexp.Regexp) (bool, error) {
	commit := n.cleanCommit()
	var passed []longTest
	rows = slices.DeleteFunc(rows, func(l longTest) bool { return !pattern.MatchString(l.test) })
	for _, row := range rows {
		if n.passes(row) {
			passed = append(passed, row)
		}
	}
	fmt.Fprintf(n.out, "\n%s", n.report.String())
	if len(rows) == 0 {
		return false, fmt.Errorf("%s has no test that matches %s", nightlyFile, pattern)
	}
	if commit == "" {
		fmt.Fprintf(n.out, "%s keeps its commits: the tree has changes that no commit has\n", nightlyFile)
		return len(passed) == len(rows), nil
	}
	return len(passed) == len(rows), n.keep(passed, commit)
}

// passes runs one long test in full, and adds its line to the report.
func (n *nightly) passes(l longTest) bool {
	fmt.Fprintf(n.out, "\n=== %s %s (%s)\n", strings.Join(l.env, " "), l.test, l.folder)
	started, result := time.Now(), "ok"
	all, err := runTest(n.dir, l.env, l.folder, slices.Concat(n.flags, []string{"-count=1", "-run", exactly(l.test)}), n.out)
	if err != nil || !all.isClean(n.isRoot) || all.stateOf(l.folder, l.test) != "pass" {
		result = "failed"
	}
	fmt.Fprintf(&n.report, "%-32s %5.0fs  %s\n", l.test, time.Since(started).Seconds(), result)
	if result == "ok" {
		return true
	}
	for _, t := range all.failedTests() {
		for _, command := range replays(t, l.env) {
			fmt.Fprintf(&n.report, "  replay: %s\n", command)
		}
	}
	return false
}

// cleanCommit returns the current commit, or "" if there are uncommitted changes. Changes of the
// table itself do not count.
func (n *nightly) cleanCommit() string {
	changes, err := n.git("status", "--porcelain", "--", ".", ":!"+nightlyFile)
	if err != nil || changes != "" {
		return ""
	}
	commit, err := n.git("rev-parse", "--short=12", "HEAD")
	if err != nil {
		return ""
	}
	return commit
}

func (n *nightly) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stderr = n.dir, n.out
	text, err := cmd.Output()
	return strings.TrimSpace(string(text)), err
}

// keep writes the commit into the rows that passed, and prints these rows.
func (n *nightly) keep(passed []longTest, commit string) error {
	path := filepath.Join(n.dir, nightlyFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(string(text), "\n")
	for i, line := range lines {
		rows, _ := parseNightly(line) // no error is possible, because the whole table was parsed before
		if len(rows) == 1 && slices.ContainsFunc(passed, func(l longTest) bool { return l.test == rows[0].test && l.folder == rows[0].folder }) {
			lines[i] = line[:strings.LastIndex(line, "|")+1] + " " + commit + "\n"
			fmt.Fprint(n.out, lines[i])
		}
	}
	return os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644)
}
