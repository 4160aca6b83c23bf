package program

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// TestMain makes the test process a sub-reaper, like a worker.
func TestMain(m *testing.M) {
	runForkRole()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// bash returns RunOptions for a script. Standard output goes to out, and standard error to errs.
func bash(script string, out, errs io.Writer) RunOptions {
	return RunOptions{Cmd: exec.Command("/bin/bash", "-c", script), Output: out, Errors: errs,
		Linger: 200 * time.Millisecond}
}

func TestRunToEnd_EachProgramEnd_IsReported(t *testing.T) {
	children := NewChildren((*exec.Cmd).Start)
	for _, test := range []struct {
		script, out, errs string
		exit, leftovers   int
	}{
		{"echo a; echo b >&2; exit 3", "a\n", "b\n", 3, 0},
		{"sleep 1000 & echo a", "a\n", "", 0, 1},
		{"setsid sleep 1000 >/dev/null 2>&1 & echo a", "a\n", "", 0, 1},
		// the program has its own process group, and an empty standard input
		{"cut -d' ' -f5 /proc/self/stat; echo $$; cat", "$$\n$$\n", "", 0, 0},
	} {
		var out, errs bytes.Buffer
		r := bash(test.script, &out, &errs)
		leftovers, err := children.RunToEnd(t.Context(), r)
		want := strings.ReplaceAll(test.out, "$$", strconv.Itoa(r.Cmd.ProcessState.Pid()))
		if err != nil || out.String() != want || errs.String() != test.errs || r.Cmd.ProcessState.ExitCode() != test.exit || leftovers != test.leftovers {
			t.Errorf("%s: %q and %q, %v, %d left running, %v", test.script, &out, &errs, r.Cmd.ProcessState, leftovers, err)
		}
	}
	if children.Len() > 0 {
		t.Error("children are left")
	}
}

// TestRun_ContextEnds_KillsAll covers a run without a grace. The program and all its processes are
// killed at once.
func TestRun_ContextEnds_KillsAll(t *testing.T) {
	children := NewChildren((*exec.Cmd).Start)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var got bytes.Buffer
	r := bash("trap '' TERM; setsid sleep 1000 & echo $!; sleep 1000", writerFunc(func(p []byte) (int, error) {
		cancel(enough)
		return got.Write(p)
	}), io.Discard)
	if _, err := children.RunToEnd(ctx, r); !errors.Is(err, enough) {
		t.Errorf("ended with %v", err)
	}
	if status := r.Cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
		t.Errorf("ended by %v", status.Signal())
	}
	pid, err := strconv.Atoi(strings.TrimSpace(got.String()))
	if err != nil || IsProcessAlive(pid) {
		t.Errorf("process %d goes on, %v", pid, err)
	}
}

// TestRunToEnd_Nice_AppliesToAllProcesses checks that all processes of the program get the
// priority.
func TestRunToEnd_Nice_AppliesToAllProcesses(t *testing.T) {
	var out bytes.Buffer
	r := bash("until [ $(nice) -eq 15 ]; do :; done; nice", &out, io.Discard)
	r.Nice = 15
	if _, err := NewChildren((*exec.Cmd).Start).RunToEnd(t.Context(), r); err != nil || out.String() != "15\n" {
		t.Errorf("%q, %v", &out, err)
	}
}

// TestRun_WriterFails_EndsProgram checks that a failed Writer ends the program, even one that
// ignores SIGPIPE.
func TestRun_WriterFails_EndsProgram(t *testing.T) {
	full := errors.New("full")
	refuse := writerFunc(func([]byte) (int, error) { return 0, full })
	for _, script := range []string{"yes", "yes >&2", "trap '' PIPE; yes; sleep 1000", "echo a"} {
		if _, err := NewChildren((*exec.Cmd).Start).RunToEnd(t.Context(), bash(script, refuse, refuse)); !errors.Is(err,
			full) {
			t.Errorf("%s: %v", script, err)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
