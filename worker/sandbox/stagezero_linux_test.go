package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
)

// TestStageZero_Hijacked_CannotChooseWorker: stage zero runs as the user's account, so another
// process of that account may stop it, kill it, or write in its place. No other process may become
// the worker, and the spawner waits only briefly.
func TestStageZero_Hijacked_CannotChooseWorker(t *testing.T) {
	defer func(limit time.Duration) { stageZeroLimit = limit }(stageZeroLimit)
	stageZeroLimit = time.Second
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	dir := t.TempDir()
	home, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(home)
	const noChild = "which is no child of the spawner"
	// a process that stops itself again and again, because other processes of the session may
	// continue it
	const stops = "while :; do kill -STOP $$; done"
	for says, want := range map[string]string{
		"echo 1 >&6":                      noChild, // pid of the machine's first process
		"echo 0 >&6":                      noChild, // kill(2) takes 0 for the caller's process group
		"echo -1 >&6":                     noChild, // kill(2) takes -1 for every process
		"echo $$ >&6":                     noChild, // pid of stage zero itself, which is about to be reaped
		": & echo $! >&6":                 noChild, // pid of a child of stage zero
		"echo one >&6":                    "expected integer",
		"exit 3":                          "status 3",
		stops:                             "may have stopped it",
		"echo 1 >&6; exec 6>&-; " + stops: noChild,
	} {
		program := filepath.Join(dir, "zero")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+says+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		l := Launch{Argv: []string{"mews-spawner", StageZeroArgument}, Env: []string{"PATH=" + os.Getenv("PATH")}, viaStageZero: true, self: program}
		pid, err := l.StartStageOne(home, null.Fd(), null.Fd(), null.Fd(), null.Fd())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d, %v; want %s", says, pid, err, want)
		}
		if _, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != syscall.ECHILD {
			t.Errorf("%s: a child is left: %v", says, err)
		}
	}
}

// TestStageOne_ResourceShortage_IsRetryable: a stage that ended because of a shortage may be tried
// again.
func TestStageOne_ResourceShortage_IsRetryable(t *testing.T) {
	for status, want := range map[string]bool{"75": true, "1": false} {
		cmd := exec.Command("/bin/sh", "-c", "exit "+status)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := waitExit(cmd.Process.Pid); errors.Is(err, unix.EAGAIN) != want {
			t.Errorf("status %s: %v", status, err)
		}
	}
	if shortageStatus != spawnwire.ShortageExitStatus {
		t.Errorf("%d is %d on the wire", shortageStatus, spawnwire.ShortageExitStatus)
	}
}
