package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// verdicts has the expected lines of the verdict for each package of the tree. nil means that the
// package passes.
var verdicts = map[string][]string{
	"ordinary": nil,
	"flaky": {
		"flaky: TestMarker (./flaky)",
		"  add to .ci/flaky: ./flaky | TestMarker | 2026-01-31 | tree_test.go:21: no file / yet",
		"failed: TestListed (./flaky): flaky again, and .ci/flaky has it already: mend it",
	},
	"broken": {"failed: TestBroken (./broken): again, when it ran alone"},
	"leak":   {"failed: ./leak: it failed without a failed test: TestMain, a leak, a panic, an exit or a timeout"},
	"panics": {
		"failed: ./panics: it ended too early: a panic, an exit or a timeout",
		"failed: TestFails (./panics): not run again: its package ended too early: a panic, an exit or a timeout",
		"failed: TestPanics (./panics): not run again: its package ended too early: a panic, an exit or a timeout",
	},
	"exits": {
		"failed: ./exits: it ended too early: a panic, an exit or a timeout",
		"failed: TestFails (./exits): not run again: its package ended too early: a panic, an exit or a timeout",
	},
	"hangs":   {"failed: ./hangs: it failed without a failed test: TestMain, a leak, a panic, an exit or a timeout"},
	"unbuilt": {"failed: ./unbuilt: it does not build"},
	"raced": {
		"failed: ./raced: a DATA RACE",
		"failed: TestWrite (./raced): not run again: a DATA RACE in its package",
	},
	"names": {
		"failed: TestKill_OneProcess (./names): not run again: its name has Kill",
		"  replay: MEWS_KILL_SEED=42 go test -count=1 -run '^TestKill_OneProcess$' ./names -v",
		"failed: TestTable (./names): not run again: its name has Crash",
		"failed: FuzzParse (./names): not run again: its name has Fuzz",
		"  replay: go test -count=1 -run '^FuzzParse$/^seed#0$' ./names -v",
	},
	"prints": {
		"failed: TestSeed (./prints): not run again: its output has seed",
		"  replay: go test -count=1 -run '^TestSeed$' ./prints -v # seed 42",
		"failed: TestRapid (./prints): not run again: its output has seed",
		"  replay: go test -count=1 -run '^TestRapid$' ./prints -v -rapid.seed=7",
		"failed: TestMail (./prints): not run again: its output has Lost",
		"failed: TestChild (./prints): not run again: a panic in its output",
	},
	"worker/spawn/below": {"failed: TestPlain (./worker/spawn/below): not run again: tests in this folder never are"},
	"skips":              {"failed: TestSkipped/sub (./skips): skipped as root, where nothing is missing"},
	"long":               {"failed: TestOther (./long): again, when it ran alone"},
}

func TestJudge_EachPackage_HasVerdict(t *testing.T) {
	dir := plant(t, ofTree("many")...)
	all := events(t, dir, append([]string{"-timeout=1m"}, folders(ofTree("many", "hangs"))...)...)
	all.packages = append(all.packages, events(t, dir, "-timeout=1s", "./hangs").packages...)
	for _, p := range all.packages {
		t.Run(p.folder, func(t *testing.T) {
			var out bytes.Buffer
			j := &judge{dir: dir, out: &out, today: today, isRoot: true, flaky: []flakyTest{{folder: "./flaky", test: "TestListed"}}}
			j.results(&results{packages: []*packageResult{p}}, errors.New("exit status 1"))
			want, isThere := verdicts[strings.TrimPrefix(p.folder, "./")]
			if p.folder == "./ordinary" {
				// no test has failed, so the exit status of go test fails the run
				want = []string{"failed: go test: exit status 1"}
			}
			if got := j.verdict; !isThere || !slices.Equal(got, want) {
				t.Errorf("got:\n%s\nwant:\n%s\noutput:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), out.String())
			}
			if failed := slices.ContainsFunc(want, func(line string) bool { return strings.HasPrefix(line, "failed") }); j.failed != failed {
				t.Errorf("failed: %t", j.failed)
			}
		})
	}
	if len(all.packages) != len(verdicts) {
		t.Errorf("%d packages, want %d", len(all.packages), len(verdicts))
	}
}

// folders returns the folders of packages in the form that the go command takes.
func folders(packages []string) (all []string) {
	for _, name := range packages {
		all = append(all, "./"+name)
	}
	return all
}

func TestJudge_ManyFailures_NoneRunsAgain(t *testing.T) {
	dir := plant(t, "many")
	var out bytes.Buffer
	j := &judge{dir: dir, out: &out, today: today}
	j.results(events(t, dir, "./..."), errors.New("exit status 1"))
	if got := strings.Count(strings.Join(j.verdict, "\n"), "not run again: 11 tests failed"); got != 11 || out.Len() > 0 {
		t.Errorf("%d of 11 judged so:\n%s\n%s", got, strings.Join(j.verdict, "\n"), out.String())
	}
}

func TestJudge_InterruptedRun_Fails(t *testing.T) {
	dir := plant(t, "ordinary", "long")
	j := &judge{dir: dir, out: &bytes.Buffer{}, today: today}
	all := events(t, dir, "./ordinary")
	if err := j.expect([]string{"./..."}, all); err != nil {
		t.Fatal(err)
	}
	j.results(all, nil)
	if want := "failed: ./long: it did not end"; !slices.Equal(j.verdict, []string{want}) {
		t.Errorf("got %q, want %q", j.verdict, want)
	}
}

func TestJudge_NoTest_Fails(t *testing.T) {
	j := &judge{}
	j.results(newResults(), nil)
	if !j.failed {
		t.Error("no test ran, and it passed")
	}
}

func TestJudge_FlakyTest_PassesWithGotestsum(t *testing.T) {
	dir := plantWithTools(t, "", "ordinary", "flaky")
	var out bytes.Buffer
	j := &judge{dir: dir, out: &out, today: today, flags: []string{"-skip=TestListed"}}
	if !j.test([]string{"./..."}) {
		t.Errorf("it failed: %q", j.verdict)
	}
	for _, want := range []string{"DONE 4 tests, 2 failures", "=== run again, alone: TestMarker (./flaky)", "--- PASS: TestMarker/sub_test"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, out.String())
		}
	}
	if got := strings.Join(j.verdict, "\n"); !strings.HasPrefix(got, "flaky: TestMarker (./flaky)\n") {
		t.Errorf("got %q", got)
	}
}

func TestJudge_ExpiredFlakyEntry_FailsRun(t *testing.T) {
	dir := plantWithTools(t, "./x | TestX | 2026-01-23 | it failed\n", "ordinary")
	j := &judge{dir: dir, out: &bytes.Buffer{}, today: today}
	if j.test([]string{"./..."}) || len(j.verdict) != 1 {
		t.Errorf("got %q, want a failure", j.verdict)
	}
}

// plantWithTools plants a project as plant does. It adds the go.mod of the tools, and a list of
// flaky tests.
func plantWithTools(t *testing.T, flaky string, packages ...string) string {
	t.Helper()
	dir := plant(t, packages...)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, ".ci", name), string(text))
	}
	write(t, filepath.Join(dir, flakyFile), flaky)
	return dir
}
