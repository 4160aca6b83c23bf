package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// project is a generated Go project in a git repository, with a table of long tests.
type project struct {
	*testing.T
	dir string
}

func newProject(t *testing.T, env, commit string) *project {
	p := &project{t, plantWithTools(t, "", "long")}
	write(t, filepath.Join(p.dir, "watched", "file"), "one")
	write(t, filepath.Join(p.dir, nightlyFile), "# a comment\nTestLong | ./long | "+env+" | watched | "+commit+"\n")
	p.git("init", "-q")
	p.commit()
	return p
}

func (p *project) git(args ...string) string {
	p.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Dir = p.dir
	text, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("git %q: %v\n%s", args, err, text)
	}
	return strings.TrimSpace(string(text))
}

func (p *project) commit() {
	p.git("add", ".")
	p.git("commit", "-q", "-m", "all: change something")
}

func (p *project) rows() []longTest {
	p.Helper()
	rows, err := readNightly(p.dir)
	if err != nil {
		p.Fatal(err)
	}
	return rows
}

// full runs the long tests in full, and returns the output.
func (p *project) full() (bool, string) {
	var out bytes.Buffer
	n := &nightly{dir: p.dir, out: &out}
	passes, err := n.run(p.rows(), regexp.MustCompile("Long"))
	if err != nil {
		p.Error(err)
	}
	return passes, out.String()
}

// due runs the short forms of the long tests that are due.
func (p *project) due() (passes bool, out string, verdict []string) {
	var b bytes.Buffer
	j := &judge{dir: p.dir, out: &b, today: today}
	return j.runDue(p.rows()), b.String(), j.verdict
}

func TestNightly_WatchedFolderChanges_ShortFormDue(t *testing.T) {
	p := newProject(t, "LONG=passes", "")
	if passes, out, verdict := p.due(); !passes || !strings.Contains(out, "DONE 1 tests") || !strings.Contains(out, "not passed in full yet") {
		t.Errorf("with no commit: %t, %q\n%s", passes, verdict, out)
	}
	if passes, out := p.full(); !passes || !strings.Contains(out, "ok") {
		t.Fatalf("in full: %t\n%s", passes, out)
	}
	if got, want := p.rows()[0].commit, p.git("rev-parse", "--short=12", "HEAD"); got != want {
		t.Fatalf("kept %q, want %q", got, want)
	}
	p.commit()
	if passes, out, _ := p.due(); !passes || strings.Contains(out, "DONE") {
		t.Errorf("with nothing changed: %t\n%s", passes, out)
	}
	write(t, filepath.Join(p.dir, "watched", "file"), "two")
	if passes, out, _ := p.due(); !passes || !strings.Contains(out, ": watched long/tree_test.go") || !strings.Contains(out, "DONE 1 tests") {
		t.Errorf("with a changed folder: %t\n%s", passes, out)
	}
	if _, out := p.full(); !strings.Contains(out, "keeps its commits") {
		t.Errorf("with a change that no commit has:\n%s", out)
	}
}

func TestNightly_FullRunFails_KeepsCommit(t *testing.T) {
	p := newProject(t, "LONG=fails", "0123456789ab")
	passes, out := p.full()
	want := "replay: MEWS_LONG_SEED=9 LONG=fails go test -count=1 -run '^TestLong$' ./long -v"
	if passes || !strings.Contains(out, want) {
		t.Errorf("%t, want a failure and %q:\n%s", passes, want, out)
	}
	if got := p.rows()[0].commit; got != "0123456789ab" {
		t.Errorf("kept %q", got)
	}
	if passes, out, _ := p.due(); !passes || !strings.Contains(out, "git can't compare with 0123456789ab") {
		t.Errorf("the short form: %t\n%s", passes, out)
	}
}

func TestNightly_MissingTest_Fails(t *testing.T) {
	p := newProject(t, "", "")
	text := "TestLong | ./long | | watched |\nTestGone | ./long | | watched |\n"
	write(t, filepath.Join(p.dir, nightlyFile), text)
	if passes, _, verdict := p.due(); passes || len(verdict) != 1 || verdict[0] != "failed: TestGone (./long): it did not run" {
		t.Errorf("the short form: %t, %q", passes, verdict)
	}
	n := &nightly{dir: p.dir, out: &bytes.Buffer{}}
	if passes, err := n.run(p.rows(), regexp.MustCompile("Gone")); passes || err != nil {
		t.Errorf("in full: %t, %v", passes, err)
	}
	if _, err := n.run(p.rows(), regexp.MustCompile("Nowhere")); err == nil {
		t.Error("no test matched, and it is no error")
	}
}

func TestParseNightly_FieldMissing_Fails(t *testing.T) {
	for _, text := range []string{"TestX | ./x | | y\n", " | ./x | | y |\n", "TestX | | | y |\n", "TestX | ./x | | |\n"} {
		if rows, err := parseNightly(text); err == nil {
			t.Errorf("%q: got %q", text, rows)
		}
	}
}

func TestParseNightly_Table_Parses(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "nightly"))
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := parseNightly(string(text)); err != nil || len(rows) == 0 {
		t.Errorf("%d rows; %v", len(rows), err)
	}
}
