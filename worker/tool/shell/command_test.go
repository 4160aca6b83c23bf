package shell

import (
	"bytes"
	"mews/worker/program"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/worker"
)

func TestRun_BothStreams_KeepTheirOrder(t *testing.T) {
	b := newFixture(t, nil)
	r := b.mustRun("run_command", "command", "for i in 1 2 3; do echo out $i; echo err $i >&2; done")
	if want := "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n"; output(r) != want {
		t.Errorf("got %q, want %q", output(r), want)
	}
	wantContains(t, r.Text, "exit 0, ")
	wantContains(t, r.Brief, "exit 0, 6 lines, ")
}

func TestRun_EachExit_IsReported(t *testing.T) {
	b := newFixture(t, nil)
	for _, test := range []struct{ command, text, brief string }{
		{"exit 3", "exit 3, ", "exit 3, 0 lines, "},
		{"true", "\nno output\n", "exit 0, 0 lines"},
		{"printf one", "\none", "exit 0, 1 line, "},
		{"kill -SEGV $$", "ended by a signal: segmentation fault", "signal"},
		{"echo 'a\x00b\xff' | cat", "a", "exit 0"},
		{"printf 'a\\0b\\377'", "a\uFFFDb\uFFFD", "exit 0"},
		{"cat", "no output", "exit 0"}, // standard input of a command is empty
		{"nosuchprogram", "exit 127", "exit 127"},
	} {
		if strings.Contains(test.command, "\x00") {
			b.mustFail("run_command", "NUL", "command", test.command)
			continue
		}
		r := b.mustRun("run_command", "command", test.command)
		wantContains(t, r.Text, test.text)
		wantContains(t, r.Brief, test.brief)
	}
	b.mustFail("run_command", "empty", "command", " \n")
	b.mustFail("run_command", "write it to a file", "command", strings.Repeat("x", maxCommand+1))
	b.mustFail("run_command", "want 1 to 600 seconds", "command", "true", "timeout", 601)
	b.mustFail("run_command", "unknown field", "command", "true", "cwd", "/")
}

func TestRun_DirArgument_SetsWorkingFolder(t *testing.T) {
	b := newFixture(t, nil)
	if err := os.MkdirAll(filepath.Join(b.dir, "a/b"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.write("file", "")
	for dir, want := range map[string]string{"": b.dir, "a/b": b.dir + "/a/b", "/a": b.dir + "/a", "~/a": b.dir + "/a"} {
		if got := output(b.mustRun("run_command", "command", "pwd -P", "dir", dir)); got != want+"\n" {
			t.Errorf("in %q: %q, want %q", dir, got, want)
		}
	}
	b.mustFail("run_command", "leads out of the folder", "command", "true", "dir", "../x")
	b.mustFail("run_command", "no such file", "command", "true", "dir", "nowhere")
	b.mustFail("run_command", "not a folder", "command", "true", "dir", "file")
}

// TestEnvironment_HasOnlyGivenVariables checks all variables of a program. They do not depend on
// the variables of this process.
func TestEnvironment_HasOnlyGivenVariables(t *testing.T) {
	for _, name := range []string{"PYTHONPATH", "GIT_DIR", "BASH_ENV", "ENV", "LD_LIBRARY_PATH", "SECRET",
		program.RunMarkVariable} {
		t.Setenv(name, "/nowhere")
	}
	b := newFixture(t, nil)
	env := func(r string) []string {
		lines := strings.Split(strings.TrimRight(r, "\n"), "\n")
		slices.Sort(lines)
		for i, line := range lines {
			lines[i] = regexp.MustCompile(`^`+program.RunMarkVariable+`=\w{26}$`).ReplaceAllString(line,
				program.RunMarkVariable)
		}
		return lines
	}
	usual := []string{"GIT_CONFIG_SYSTEM=" + filepath.Join(b.shell.options.Temp, gitConfigName), "HOME=" + b.dir,
		"LANG=C.UTF-8", program.RunMarkVariable, "PATH=" + program.DefaultPath}
	want := append(slices.Clone(usual), "TERM=dumb", "TZ=Europe/Madrid", "USER=alice")
	got := env(output(b.mustRun("run_command", "command", `tr '\0' '\n' < /proc/$$/environ`)))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a command (- wanted, + got):\n%s", diff)
	}
	code := `print(open("/proc/self/environ").read().replace("\0", "\n"), end="")`
	got = env(output(b.mustRun("run_python", "code", code)))
	want = append(slices.Clone(usual), "MPLBACKEND=Agg", "TERM=dumb", "TZ=Europe/Madrid", "USER=alice")
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a script (- wanted, + got):\n%s", diff)
	}
}

// TestProgramDescriptors_AreOnlyThree: a program has descriptors 0 to 2 and no terminal.
// Descriptor 0 is empty input, and descriptors 1 and 2 can be polled.
func TestProgramDescriptors_AreOnlyThree(t *testing.T) {
	b := newFixture(t, nil)
	r := b.mustRun("run_command", "command", "ls /proc/$$/fd; readlink /proc/$$/fd/0; cut -d' ' -f7 /proc/$$/stat")
	if want := "0\n1\n2\n/dev/null\n0\n"; output(r) != want {
		t.Errorf("got %q, want %q", output(r), want)
	}
	code := `import fcntl; print([fcntl.fcntl(i, fcntl.F_GETFL) & 0o4000 for i in (1, 2)])`
	if got := output(b.mustRun("run_python", "code", code)); got != "[0, 0]\n" {
		t.Errorf("output that does not block: %s", got)
	}
}

// TestRun_HugeOutput_KeepsBothEnds: the model gets the beginning and the end, a file has the whole
// output, and memory stays small.
func TestRun_HugeOutput_KeepsBothEnds(t *testing.T) {
	b := newFixture(t, func(o *Options) { o.limits.head, o.limits.tail, o.limits.kept = 10_000, 10_000, 1<<20 })
	r := b.mustRun("run_command", "command", "seq 100000")
	wantContains(t, r.Text, "\n1\n2\n3\n", "\n99999\n100000\n", "568.9 KB of 588.9 KB left out; the whole is in ")
	wantContains(t, r.Brief, "exit 0, 100,000 lines, ")
	if second := strings.Split(r.Text, "\n")[1]; !strings.HasPrefix(second, "output: 568.9 KB of 588.9 KB left out; the whole is in ") {
		t.Errorf("below the first line, which is always shown: %q", second)
	}
	name := regexp.MustCompile(`the whole is in (\S+)`).FindStringSubmatch(r.Text)[1]
	// Another command can read the part left out.
	if got := output(b.mustRun("run_command", "command", "sed -n 50000p "+name)); got != "50000\n" {
		t.Errorf("line 50000 is %q", got)
	}

	r = b.mustRun("run_command", "command", "head -c 30000000 /dev/zero | tr '\\0' x")
	wantContains(t, r.Text, "the first 1.0 MB are in "+b.shell.environment.temp.dir)
	if len(r.Text) > 21_000 {
		t.Errorf("the text has %d bytes", len(r.Text))
	}
	// this output fits into head and tail together, so it needs no file
	b.mustRun("run_command", "command", "seq 9000")
	b.mustRun("run_command", "command", "seq 10000")
	if files, err := os.ReadDir(b.shell.environment.temp.dir); err != nil || len(files) != maxOutputs {
		t.Errorf("kept: %v, %v", files, err)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the oldest output is still there")
	}
}

// TestCapture_AnyWrites_KeepBothEnds: output may come in any pieces: both ends are whole, and the
// memory is bounded.
func TestCapture_AnyWrites_KeepBothEnds(t *testing.T) {
	for _, step := range []int{1, 7, 99, 100, 101, 5000} {
		for _, total := range []int{0, 1, 99, 100, 101, 199, 200, 201, 1000, 12345} {
			whole := bytes.Repeat([]byte("0123456789\n"), total/11+1)[:total]
			c := &outputCapture{limits: &limits{head: 100, tail: 100, kept: 1 << 20},
				temp: &tempFolder{parent: t.TempDir()}}
			for rest := whole; len(rest) > 0; rest = rest[min(step, len(rest)):] {
				c.add(rest[:min(step, len(rest))])
			}
			if len(c.head) > 100 || cap(c.tail) > 8*max(step, 200) {
				t.Fatalf("%d by %d: head %d, tail %d", total, step, len(c.head), cap(c.tail))
			}
			out := c.finish()
			head, tail := whole[:min(100, total)], whole[max(0, total-100):]
			if total <= 200 && out.text != string(whole) {
				t.Fatalf("%d by %d: %q", total, step, out.text)
			}
			if !strings.HasPrefix(out.text, string(head)) || !strings.HasSuffix(out.text, string(tail)) {
				t.Fatalf("%d by %d: %q", total, step, out.text)
			}
			if want := int64((total + 10) / 11); out.lines != want {
				t.Fatalf("%d by %d: %d lines, want %d", total, step, out.lines, want)
			}
			if files, _ := filepath.Glob(c.temp.dir + "/*"); c.temp.dir != "" && (len(files) == 1) != (total > 200) {
				t.Fatalf("%d by %d: files %v", total, step, files)
			}
		}
	}
}

// TestRun_NoTempFolder_ReportsOutput: without a temporary folder the result has both ends of the
// output and names no file.
func TestRun_NoTempFolder_ReportsOutput(t *testing.T) {
	b := newFixture(t, func(o *Options) { o.Temp, o.limits.head, o.limits.tail = "/nowhere", 100, 100 })
	r := b.mustRun("run_command", "command", "seq 1000")
	wantContains(t, r.Text, "\n1\n2\n", "\n999\n1000\n", "could not be kept: keep the output: ", "no such file")
}

func TestRun_Timeout_EndsProgram(t *testing.T) {
	b := newFixture(t, func(o *Options) { o.limits.timeout = 2 * time.Second })
	r := b.mustRun("run_command", "command", "echo begun; sleep 1000; echo never")
	wantContains(t, r.Text, "timed out after 2 s, ", "begun\n")
	wantContains(t, r.Brief, "timed out after 2 s, 1 line")
	if strings.Contains(r.Text, "never") {
		t.Error(r.Text)
	}
}

func TestRun_Progress_ShowsNewestLine(t *testing.T) {
	b := newFixture(t, nil)
	ended := make(chan error)
	go func() {
		_, err := b.call(t.Context(), "run_command", "command",
			`printf '\033[1mone\033[0m\n'; until test -e next; do sleep 0.01; done; printf '10%%\r20%%\r'; sleep 1000`, "timeout", 600)
		ended <- err
	}()
	b.awaitProgress("one")
	b.write("next", "")
	b.awaitProgress("20%")
	if err := b.shell.Close(); err != nil {
		t.Error(err)
	}
	<-ended
}

func TestRun_NoShell_IsAnError(t *testing.T) {
	b := newFixture(t, func(o *Options) { o.Path = "/nowhere" })
	b.mustFail("run_command", "neither bash nor sh in /nowhere", "command", "true")
	b.mustFail("run_python", "python3 is not installed here", "code", "pass")
	b.mustFail("terminal", "neither bash nor sh", "action", "open")
}

// changed returns a result's changes of files, after the change for the command itself.
func changed(t *testing.T, r worker.Result, command string) []protocol.Change {
	t.Helper()
	if len(r.Changes) == 0 || r.Changes[0].Kind != "run" || r.Changes[0].Target != command || !strings.HasPrefix(r.Changes[0].Detail, "exit 0, ") {
		t.Fatalf("changes: %+v, want them to begin with a run of %s", r.Changes, command)
	}
	return r.Changes[1:]
}

// TestRun_LedgerEntry_NamesCommand: the change has the first words of the command, how it ended and
// how long it took. It does not tell what the command did.
func TestRun_LedgerEntry_NamesCommand(t *testing.T) {
	b := newFixture(t, nil)
	b.write("s.py", "raise SystemExit(4)")
	for _, c := range []struct{ tool, argument, value, target, detail string }{
		{"run_command", "command", "echo one &&\n\techo two # " + strings.Repeat("x", 80), "echo one && echo two # " + strings.Repeat("x", 37) + "…", `exit 0, \d.*s`},
		{"run_command", "command", "exit 3", "exit 3", `exit 3, \d.*s`},
		{"run_command", "command", "kill -9 $$", "kill -9 $$", `ended by a signal: killed, \d.*s`},
		{"run_python", "path", "s.py", "python s.py", `exit 4, \d.*s`},
	} {
		r := b.mustRun(c.tool, c.argument, c.value)
		if len(r.Changes) != 1 {
			t.Fatalf("%s: changes %+v", c.value, r.Changes)
		}
		got := r.Changes[0]
		if got.Kind != "run" || got.Target != c.target || !regexp.MustCompile("^"+c.detail+"$").MatchString(got.Detail) {
			t.Errorf("%s: %+v, want %s, %s", c.value, got, c.target, c.detail)
		}
	}
}

func TestTerminal_LedgerEntry_NamesCommand(t *testing.T) {
	b := newFixture(t, nil)
	r := b.mustRun("terminal", "action", "open", "command", "printf done", "wait_for", "done")
	if want := []protocol.Change{{Kind: "run", Target: "printf done", Detail: "in terminal 1"}}; !reflect.DeepEqual(r.Changes, want) {
		t.Errorf("changes: %+v, want %+v", r.Changes, want)
	}
	if r = b.mustRun("terminal", "action", "read"); r.Changes != nil {
		t.Errorf("reading has changed %+v", r.Changes)
	}
}
