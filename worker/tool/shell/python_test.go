package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/worker/workspace"
)

func TestPython_RunsCodeAndScripts(t *testing.T) {
	b := newFixture(t, nil)
	b.write("mine.py", "def double(n): return 2 * n\n")
	b.write("script.py", "import sys, mine\nprint(mine.double(21), sys.argv[1:], __name__)\n")

	code := "import sys, mine, os\nprint(mine.double(4), sys.argv[1:], __name__, os.getcwd())\n"
	if got, want := output(b.mustRun("run_python", "code", code, "args", []string{"a b", "c"})),
		"8 ['a b', 'c'] __main__ "+b.dir+"\n"; got != want {
		t.Errorf("code: %q, want %q", got, want)
	}
	if got, want := output(b.mustRun("run_python", "path", "script.py", "args", []string{"x"})), "42 ['x'] __main__\n"; got != want {
		t.Errorf("a script: %q, want %q", got, want)
	}
	if got := output(b.mustRun("run_python", "code", "\ufeffprint('a mark of the order of bytes')")); !strings.HasPrefix(got, "a mark") {
		t.Errorf("code with a mark: %q", got)
	}
	// An error names the line, and no compiled files are left in the folder.
	r := b.mustRun("run_python", "code", "x = 1\n\nraise ValueError('of mine')\n")
	wantContains(t, r.Text, "exit 1, ", "line 3, in <module>", "raise ValueError('of mine')", "ValueError: of mine")
	if len(r.Changes) != 1 || r.Changes[0].Kind != "run" {
		t.Errorf("changes %v", r.Changes)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "__pycache__")); err == nil {
		t.Error("__pycache__ was made")
	}
	if scripts, _ := filepath.Glob(filepath.Join(b.shell.environment.temp.dir, "script-*")); len(scripts) > 0 {
		t.Errorf("left: %v", scripts)
	}

	b.mustFail("run_python", "either code or the path")
	b.mustFail("run_python", "either code or the path", "code", "x", "path", "script.py")
	b.mustFail("run_python", "no such file", "path", "none.py")
	b.mustFail("run_python", "not a file", "path", ".")
	b.mustFail("run_python", "leads out", "path", "../script.py")
	b.mustFail("run_python", "NUL", "code", "x", "args", []string{"a\x00"})
}

// TestPython_Multiprocessing_FindsScript: the multiprocessing module must find the script again.
func TestPython_Multiprocessing_FindsScript(t *testing.T) {
	b := newFixture(t, nil)
	code := `
import multiprocessing
def square(n): return n * n
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(square, [1, 2, 3]))
`
	if got := output(b.mustRun("run_python", "code", code)); got != "[1, 4, 9]\n" {
		t.Errorf("got %s", got)
	}
}

// TestPython_Changes_AreReported: changed pictures are reported as pictures.
func TestPython_Changes_AreReported(t *testing.T) {
	b := newFixture(t, nil)
	b.write("old.txt", "old")
	b.write("same.txt", "same")
	b.write("gone.txt", "gone")
	r := b.mustRun("run_python", "code", `
import os
os.makedirs("charts")
open("charts/a.png", "wb").write(b"\x89PNG" + bytes(1996))
open("b.SVG", "w").write("<svg/>")
open("old.txt", "a").write("er")
os.remove("gone.txt")
print("done")
`)
	want := []protocol.Change{
		{Kind: "write", Target: "b.SVG", Detail: "created, 6 bytes"},
		{Kind: "write", Target: "charts/a.png", Detail: "created, 2.0 KB"},
		{Kind: "delete", Target: "gone.txt", Detail: "gone"},
		{Kind: "write", Target: "old.txt", Detail: "changed, 5 bytes"},
	}
	for i := range want {
		// the change cannot be undone
		want[i].Undo = workspace.RecordProgramChange(want[i].Target, b.stateOf(want[i].Target))
	}
	if diff := cmp.Diff(want, changed(t, r, "python")); diff != "" {
		t.Errorf("changes (- wanted, + got):\n%s", diff)
	}
	wantText := "b.SVG: created, 6 bytes, a picture; send_file sends it\ncharts/a.png: created, 2.0 KB, a picture\n" +
		"gone.txt: gone\nold.txt: changed, 5 bytes\ndone\n"
	if diff := cmp.Diff(wantText, output(r)); diff != "" {
		t.Errorf("text (- wanted, + got):\n%s", diff)
	}
	wantContains(t, r.Brief, "exit 0, 1 line, ", ", 4 files changed")
}

func TestPython_TempFiles_AreNoChanges(t *testing.T) {
	var temp string
	b := newFixture(t, func(o *Options) {
		temp = filepath.Join(o.Home, ".tmp")
		o.Temp, o.Env, o.limits.head, o.limits.tail = temp, []string{"TMPDIR=" + temp}, 10, 10
	})
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	r := b.mustRun("run_python", "code", `
import tempfile
tempfile.mkdtemp()
open("mine.txt", "w").write("x")
print("long" * 100)
`)
	wantContains(t, r.Text, "the whole is in "+temp)
	want := []protocol.Change{{Kind: "write", Target: "mine.txt", Detail: "created, 1 byte"}}
	for i := range want {
		// the change cannot be undone
		want[i].Undo = workspace.RecordProgramChange(want[i].Target, b.stateOf(want[i].Target))
	}
	if diff := cmp.Diff(want, changed(t, r, "python")); diff != "" {
		t.Errorf("changes (- wanted, + got):\n%s", diff)
	}
}

func TestPython_ManyChanges_AreCut(t *testing.T) {
	b := newFixture(t, func(o *Options) { o.limits.entries = 30 })
	r := b.mustRun("run_python", "code", "for i in range(25): open(f'{i:02}', 'w').write('x')")
	wantContains(t, r.Text, "19: created, 1 byte\n", "and 5 files more\n")
	all := changed(t, r, "python")
	if len(all) != maxNamed+1 || all[maxNamed].Target != "5 more files" || strings.Contains(r.Text, "20: ") {
		t.Errorf("%d changes: %s", len(r.Changes), r.Text)
	}
	r = b.mustRun("run_python", "code", "for i in range(25): open(f'x{i:02}', 'w').write('x')")
	wantContains(t, r.Text, "which files changed is not known: the folder holds too many\n")
}
