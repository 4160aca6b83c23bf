package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// StageZeroArgument is the argument with which mews-spawner runs RunStageZero.
const StageZeroArgument = "stage-zero"

// shortageStatus is spawnwire.ShortageExitStatus. A worker's program must not link that package.
const shortageStatus = 75

// pidFD is the descriptor to which RunStageZero writes the pid of stage one.
const pidFD = firstMountFD

// RunStageZero starts stage one with this process's account. Stage one is a child of this process's
// parent. RunStageZero writes its pid to descriptor 6, and returns. Descriptors 0 to 5 are the
// descriptors of stage one.
func RunStageZero() error {
	p, err := readPlan(os.Environ())
	if err != nil {
		return err
	}
	attr := ownUserNamespace(&p)
	attr.Cloneflags |= unix.CLONE_PARENT
	attr.Setsid, attr.Pdeathsig = true, syscall.SIGKILL
	// The worker must not get the capabilities of the spawner's account.
	if err := dropCapabilities(); err != nil {
		return err
	}
	unix.CloseOnExec(pidFD)
	pid, err := syscall.ForkExec(selfExe, []string{"mews-spawner", StageOneArgument}, &syscall.ProcAttr{
		Env: p.Environ(), Sys: &attr, Files: []uintptr{0, 1, 2, 3, 4, 5},
	})
	if err != nil {
		return fmt.Errorf("make the namespaces as uid %d: %w", os.Getuid(), withNamespaceAdvice(err))
	}
	_, err = fmt.Fprintf(os.NewFile(pidFD, "spawner"), "%d\n", pid)
	return err
}

// stageZeroLimit bounds the time of RunStageZero; it usually takes milliseconds. RunStageZero has
// the user's account, so another process of that account may stop it, and the spawner waits
// meanwhile.
var stageZeroLimit = 10 * time.Second

// startViaStageZero starts stage one through RunStageZero, which enters the home as the user's
// account. The spawner's account may lack that right.
func (l Launch) startViaStageZero(home int, attr syscall.ProcAttr) (pid int, err error) {
	output, pidFile, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer output.Close()
	attr.Files = append(attr.Files, pidFile.Fd())
	attr.Dir = fdPath(home)
	zero, err := syscall.ForkExec(l.self, l.Argv, &attr)
	if err = errors.Join(err, pidFile.Close(), output.SetReadDeadline(time.Now().Add(stageZeroLimit))); err != nil {
		return 0, err
	}
	_, failed := fmt.Fscanln(io.LimitReader(output, 16), &pid)
	// stage zero has no further work; it has not been reaped, so no other process has its pid
	_ = unix.Kill(zero, unix.SIGKILL)
	ended := waitExit(zero)
	switch {
	case failed == nil:
		return pid, checkChild(pid)
	case errors.Is(failed, os.ErrDeadlineExceeded):
		failed = fmt.Errorf("it said nothing within %v; another process of the account may have stopped it", stageZeroLimit)
	case ended != nil && (errors.Is(failed, io.EOF) || errors.Is(failed, io.ErrUnexpectedEOF)):
		failed = ended
	}
	return 0, fmt.Errorf("stage zero: %w", failed)
}

// checkChild refuses a pid that is no child of this process. The pid comes from a process of the
// user's account, which another process of that account may control. The spawner will signal it.
func checkChild(pid int) error {
	if pid <= 0 || unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil) != nil {
		return fmt.Errorf("stage zero says that stage one is process %d, which is no child of the spawner", pid)
	}
	return nil
}
