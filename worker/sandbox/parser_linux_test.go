package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// The test binary acts as a parser under the name parserName. parserQuestion asks a worker to start
// that parser, and readerQuestion a reader.
const (
	parserName     = "mews-parser"
	parserQuestion = "parser"
	readerQuestion = "reader"
)

// starters answer the questions by what they start.
var starters = map[string]func(*ToolStarter) string{parserQuestion: startParser, readerQuestion: startReader}

// parserAttempts are actions that are forbidden to a parser, but not to a worker that only reads.
var parserAttempts = []struct {
	what string
	try  func() error
}{
	{"list where it is", func() error { _, err := os.ReadDir("."); return err }},
	{"read the home", func() error { _, err := os.ReadFile(os.Args[1] + "/letter"); return err }},
	{"change the home", func() error { return os.WriteFile(os.Args[1]+"/letter", nil, 0o600) }},
	{"read the workspace", func() error { _, err := os.ReadDir(os.Args[2]); return err }},
	{"list the root", func() error { _, err := os.ReadDir("/"); return err }},
	{"read a system file", func() error { _, err := os.ReadFile("/etc/nsswitch.conf"); return err }},
	{
		"read its worker's memory map",
		func() error { _, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", os.Getppid())); return err },
	},
	{"read the file history", func() error {
		_, err := os.ReadFile(filepath.Join(os.Args[1], "..", historyName, "kept"))
		return err
	}},
	{"have a folder open", func() error {
		for fd := range 64 {
			if _, err := os.Stat(fmt.Sprintf("/proc/self/fd/%d/.", fd)); err == nil {
				return nil
			}
		}
		return errors.New("there is none")
	}},
	{"signal its worker", func() error { return syscall.Kill(os.Getppid(), 0) }},
	{"write to its input", func() error { _, err := os.Stdin.WriteString("x"); return err }},
	{"open its input for writing", func() error {
		f, err := os.OpenFile("/proc/self/fd/0", os.O_WRONLY, 0)
		return errors.Join(err, f.Close())
	}},
	{"raise its memory", func() error {
		return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: 1 << 40, Max: 1 << 40})
	}},
	{"keep a variable", func() error {
		if len(os.Environ()) == 1 { // the environment has only MARK, which startParser has set
			return errors.New("there is none")
		}
		return nil
	}},
}

// actParser limits itself as a parser does, tries forbidden actions, and then takes memory without
// end.
func actParser() error {
	if err := LimitParser(256<<20, time.Minute); err != nil {
		return err
	}
	for _, a := range append(parserAttempts, attempts...) {
		if a.what == "make a process" {
			continue // a parser may make a process, which gets the same walls
		}
		if err := a.try(); err == nil {
			fmt.Println("escaped:", a.what)
		}
	}
	fmt.Println("tried")
	debug.SetGCPercent(-1)
	for taken := 0; ; taken++ {
		_ = bytes.Repeat([]byte{1}, 1<<20)
		if taken > 300 {
			fmt.Println("escaped: it has", taken, "MiB")
			return nil
		}
	}
}

// startParser starts the parser as a worker does for a parserQuestion. It returns the parser's
// output and the error of its end.
func startParser(inside *ToolStarter) string {
	letter, err := os.Open("letter")
	if err != nil {
		return err.Error()
	}
	defer letter.Close()
	home, _ := os.Getwd()
	cmd := exec.Command("/proc/self/exe")
	var out bytes.Buffer
	cmd.Args = []string{parserName, home, InnerWorkspacesPath}
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout = []string{"MARK=1"}, "/", letter, &out
	if err := inside.StartParser(cmd); err != nil {
		return err.Error()
	}
	err = cmd.Wait()
	return strings.Join(append(strings.Split(strings.TrimSpace(out.String()), "\n"), fmt.Sprint(err)), "; ")
}

// TestParser_ForbiddenActions_Fail: a parser sees no folder and no file, whatever its worker sees,
// and ends at its limit of memory. Its worker goes on to use its home.
func TestParser_ForbiddenActions_Fail(t *testing.T) {
	program := plainBinary(t)
	inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
		r.program, r.plan.Worker = program, program
		r.keepHistory()
		r.must(os.WriteFile(filepath.Join(r.host(historyName), "kept"), []byte("mine"), 0o644))
		r.must(os.WriteFile(filepath.Join(r.host("home"), "letter"), []byte("mine"), 0o644))
		got := strings.Split(r.mustPrint(strings.Repeat(parserQuestion+"\n", 2)), "\n")
		want := "tried; exit status 2" // status 2: the Go runtime got no memory
		if diff := cmp.Diff([]string{want, want}, got); diff != "" {
			t.Error(diff)
		}
		kept, err := os.ReadFile(filepath.Join(r.host("home"), "letter"))
		if err != nil || string(kept) != "mine" {
			t.Errorf("the letter is %q, %v", kept, err)
		}
	})
}

// fakePDFToText is a shell script in the place of pdftotext. It tries forbidden actions, and then
// tells its input. Its arguments are the home, the workspaces and the file history.
const fakePDFToText = `
try() { ( eval "$2" ) >/dev/null 2>&1 && echo "escaped: $1"; }
try "change the home" 'echo changed >"$0/letter"'
try "read the home" 'cat "$0/letter"'
try "list the home" 'ls "$0"'
try "list the workspaces" 'ls "$1"'
try "read the file history" 'cat "$2/kept"'
try "write to /tmp" 'echo changed >/tmp/new'
try "open its input for writing" 'echo changed >/proc/self/fd/0'
try "list where it is" 'ls .'
ls /usr >/dev/null || echo "it can't read the system"
cat`

// startReader starts the script as a worker starts pdftotext. It returns the script's output and
// the error of its end.
func startReader(inside *ToolStarter) string {
	letter, err := os.Open("letter")
	if err != nil {
		return err.Error()
	}
	defer letter.Close()
	home, _ := os.Getwd()
	cmd := exec.Command("/bin/sh", "-c", fakePDFToText, home, InnerWorkspacesPath,
		filepath.Join(home, "..", historyName))
	var out bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout = "/", letter, &out
	if err := inside.StartReader(cmd); err != nil {
		return err.Error()
	}
	err = cmd.Wait()
	return strings.Join(append(strings.Split(strings.TrimSpace(out.String()), "\n"), fmt.Sprint(err)), "; ")
}

// TestReader_ForbiddenActions_Fail: a program that reads a file of others gets that file, and no
// file of the user, whatever its worker sees.
func TestReader_ForbiddenActions_Fail(t *testing.T) {
	program := plainBinary(t)
	inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
		r.program, r.plan.Worker = program, program
		r.keepHistory()
		r.must(os.WriteFile(filepath.Join(r.host(historyName), "kept"), []byte("mine"), 0o644))
		r.must(os.WriteFile(filepath.Join(r.host("home"), "letter"), []byte("mine"), 0o644))
		r.must(os.Chmod(filepath.Join(r.host("home"), "letter"), 0o666))
		if got := strings.TrimSpace(r.mustPrint(readerQuestion + "\n")); got != "mine; <nil>" {
			t.Errorf("got %s", got)
		}
	})
}
