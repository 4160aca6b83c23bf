package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const last = `pkg: mews/cmd/mews
BenchmarkA/x_1-5-2   	     261	   4000 ns/op	       480.5 µs-fsync
BenchmarkA/x_1-5-2   	     261	   8000 ns/op	       0.25 µs-fsync
pkg: mews/supervisor
BenchmarkA/x_1-5-2   	     261	   1 ns/op
`

var spaces = regexp.MustCompile(` *\n`)

func TestTable_EachGoal_ShowsOKOrMiss(t *testing.T) {
	const goals = `# a comment
cmd/mews:A/x_1-5   ns/op     <= 6000
cmd/mews:A/x_1-5   ns/op     <= 5999

cmd/mews:A/x_1-5   ns/op     >= 6001
cmd/mews:A/x_1-5   ns/op     <= 5999 + supervisor:A/x_1-5 ns/op
supervisor:A/x_1-5 ns/op     <= 2 + supervisor:B ns/op
supervisor:A/x_1-5 turns/s   >= 2
`
	dir := t.TempDir()
	var files []string
	for name, text := range map[string]string{"goals": goals, "last": strings.ReplaceAll(last, "000", "00"), "now": last} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"goals", "last", "now"} {
		files = append(files, filepath.Join(dir, name))
	}
	var table strings.Builder
	if err := run(&table, files); err != nil {
		t.Fatal(err)
	}
	const want = `
benchmark           unit     last kept  now   goal
cmd/mews:A/x_1-5    ns/op    600        6000  <= 6000  ok
cmd/mews:A/x_1-5    ns/op    600        6000  <= 5999  MISS
cmd/mews:A/x_1-5    ns/op    600        6000  >= 6001  MISS
cmd/mews:A/x_1-5    ns/op    600        6000  <= 6000  ok
supervisor:A/x_1-5  ns/op    1          1     <= 2     not measured
supervisor:A/x_1-5  turns/s  -          -     >= 2     not measured
`
	if got := "\n" + spaces.ReplaceAllString(table.String(), "\n"); got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
}

func TestReadGoals_WrongLine_ErrorNamesLine(t *testing.T) {
	for line, want := range map[string]string{
		"a ns/op <= ":         "line 1: got 3 words",
		"a ns/op < 3":         "line 1: got <, want <= or >=",
		"a ns/op <= x":        "line 1: strconv.ParseFloat",
		"a ns/op <= 3 - b ns": "line 1: got -, want +",
	} {
		if _, err := readGoals(strings.NewReader(line)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", line, err, want)
		}
	}
}

// TestGoalsFile_EachRow_NamesAFigure checks that the benchmark of each committed goal exists. The
// stored figures have the benchmark, or a test file of the benchmark's package declares it.
func TestGoalsFile_EachRow_NamesAFigure(t *testing.T) {
	const kept = "../../cmd/mews/testdata/"
	goals, err := open(kept+"goals.txt", readGoals)
	if err != nil {
		t.Fatal(err)
	}
	last, err := open(kept+"last.txt", readFigures)
	if err != nil {
		t.Fatal(err)
	}
	everKept := map[string]bool{}
	for f := range last {
		everKept[function(f.name)] = true
	}
	seen := map[figure]bool{}
	for _, g := range goals {
		if seen[g.figure] {
			t.Errorf("%v has two goals", g.figure)
		}
		seen[g.figure] = true
		for _, f := range []figure{g.figure, g.plus} {
			if f == (figure{}) {
				continue
			}
			if _, ok := last[f]; !ok && everKept[function(f.name)] || !declared(t, f.name) {
				t.Errorf("there is no figure %v", f)
			}
		}
	}
	if len(goals) == 0 {
		t.Error("there are no goals")
	}
}

// function returns the name of the benchmark function in a figure's name, without sub-benchmarks.
func function(name string) string {
	pkg, benchmark, _ := strings.Cut(name, ":")
	benchmark, _, _ = strings.Cut(benchmark, "/")
	return pkg + ":" + benchmark
}

// declared reports whether a test file of a figure's package declares the figure's benchmark.
func declared(t *testing.T, name string) bool {
	t.Helper()
	pkg, benchmark, _ := strings.Cut(function(name), ":")
	files, err := filepath.Glob("../../" + pkg + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc Benchmark"+benchmark+"(") {
			return true
		}
	}
	return false
}
