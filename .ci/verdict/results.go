package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// module is the name of the project's module, with which its import paths begin.
const module = "mews"

// event is one line of `go test -json`. `go doc test2json` explains the keys.
type event struct {
	Action, Package, Test, Output, FailedBuild string
}

// testResult is the result of one top-level test, with the output and the failures of its subtests.
type testResult struct {
	in     *packageResult
	name   string
	state  string   // state of the test: run, pass, fail or skip
	failed []string // names of the failed tests: failed subtests, and the top-level test itself
	output strings.Builder
}

func (t *testResult) String() string { return fmt.Sprintf("%s (%s)", t.name, t.in.folder) }

// packageResult is the result of the tests of one package.
type packageResult struct {
	folder  string // folder of the package as the go command takes it, such as ./supervisor/app
	state   string // state of the package: pass, fail or skip; "" until the package has ended
	built   bool
	regular bool // whether package testing has ended the tests and printed FAIL, so there was no panic, exit or timeout
	raced   bool // whether the race detector has printed DATA RACE
	tests   []*testResult
	skipped []string // names of the skipped tests and subtests
	byName  map[string]*testResult
}

// results are the results of one run of `go test`.
type results struct {
	packages []*packageResult
	byPath   map[string]*packageResult
}

func newResults() *results { return &results{byPath: map[string]*packageResult{}} }

// readResults reads the events of a run. It calls show with the output of each event; show may be
// nil.
func readResults(r io.Reader, show func(string)) (*results, error) {
	all, lines := newResults(), bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if e := (event{}); bytes.HasPrefix(line, []byte("{")) && json.Unmarshal(line, &e) == nil {
			all.add(e)
			line = []byte(e.Output)
		}
		if show != nil {
			show(string(line))
		}
		if err == io.EOF {
			return all, nil
		} else if err != nil {
			return all, fmt.Errorf("read the events of go test: %w", err)
		}
	}
}

// stateOf returns the state of a top-level test, or "" if it did not run.
func (r *results) stateOf(folder, name string) string {
	for _, p := range r.packages {
		if t := p.byName[name]; p.folder == folder && t != nil {
			return t.state
		}
	}
	return ""
}

// isClean reports whether no test failed. If skipsCount is true, no test may be skipped either.
func (r *results) isClean(skipsCount bool) bool {
	for _, p := range r.packages {
		if packageFault(p) != "" || p.state == "fail" || skipsCount && len(p.skipped) > 0 {
			return false
		}
	}
	return true
}

// failedTests lists the top-level tests that failed.
func (r *results) failedTests() (failed []*testResult) {
	for _, p := range r.packages {
		for _, t := range p.tests {
			if t.state == "fail" {
				failed = append(failed, t)
			}
		}
	}
	return failed
}

func (r *results) add(e event) {
	if e.Package == "" { // events of the compiler name no package
		return
	}
	p := r.byPath[e.Package]
	if p == nil {
		p = &packageResult{folder: folderOf(e.Package), built: true, byName: map[string]*testResult{}}
		r.byPath[e.Package] = p
		r.packages = append(r.packages, p)
	}
	p.raced = p.raced || strings.Contains(e.Output, "DATA RACE")
	if e.Test == "" {
		p.addOwn(e)
	} else {
		p.addTest(e)
	}
}

// addOwn adds an event of the package itself, not of one of its tests.
func (p *packageResult) addOwn(e event) {
	switch e.Action {
	case "output":
		p.regular = p.regular || e.Output == "FAIL\n"
	case "pass", "fail", "skip":
		p.state, p.built = e.Action, e.FailedBuild == ""
	}
}

// optionalSkip begins the reason of a skipped test that may be skipped as root too, because it needs
// something that no machine must have: a key, a model, a network or a kernel's setting.
const optionalSkip = "optional: "

// addTest adds an event of a test or of a subtest.
func (p *packageResult) addTest(e event) {
	name, _, isSub := strings.Cut(e.Test, "/")
	t := p.byName[name]
	if t == nil {
		t = &testResult{in: p, name: name}
		p.byName[name] = t
		p.tests = append(p.tests, t)
	}
	t.output.WriteString(e.Output)
	switch e.Action {
	case "fail":
		t.failed = append(t.failed, e.Test)
	case "skip":
		if !strings.Contains(t.output.String(), optionalSkip) {
			p.skipped = append(p.skipped, e.Test)
		}
	case "run", "pass":
	default:
		return
	}
	if !isSub {
		t.state = e.Action
	}
	if t.state == "pass" {
		t.output.Reset() // only failed tests need their output, and the output of all tests is large
	}
}

// folderOf returns the folder of a package, in the form that the go command takes in the root of
// the project.
func folderOf(path string) string {
	if path == module {
		return "."
	}
	return "./" + strings.TrimPrefix(path, module+"/")
}
