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

// StageZeroArgument has mews-spawner be stage zero, which starts stage one.
const StageZeroArgument = "stage-zero"

// pidFD is the descriptor on which StageZero writes the pid of stage one.
const pidFD = 4

// StageZero starts stage one as the account that this process has, as a child of this process's parent, writes its pid to
// descriptor 4, and ends. Descriptors 0 to 3 are those of stage one.
func StageZero() error {
	p, err := readPlan(os.Environ())
	if err != nil {
		return err
	}
	attr := ownUserNamespace(&p)
	attr.Cloneflags |= unix.CLONE_PARENT
	attr.Setsid, attr.Pdeathsig = true, syscall.SIGKILL
	// What the account could do before: nothing of it is for the worker.
	if err := dropCapabilities(); err != nil {
		return err
	}
	unix.CloseOnExec(pidFD)
	pid, err := syscall.ForkExec(selfExe, []string{"mews-spawner", StageOneArgument}, &syscall.ProcAttr{
		Env: p.Environ(), Sys: &attr, Files: []uintptr{0, 1, 2, 3},
	})
	if err != nil {
		return fmt.Errorf("make the namespaces as uid %d: %w", os.Getuid(), withNamespaceAdvice(err))
	}
	_, err = fmt.Fprintf(os.NewFile(pidFD, "spawner"), "%d\n", pid)
	return err
}

// stageZeroLimit is how long StageZero may take, which takes milliseconds. It has the person's account: another process of the
// account may stop it, and nothing else is done by this process meanwhile.
var stageZeroLimit = 10 * time.Second

// startViaStageZero starts stage one by way of StageZero, which enters the home as the person's account: this process's may not.
func (l Launch) startViaStageZero(home int, attr syscall.ProcAttr) (pid int, err error) {
	hear, say, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer hear.Close()
	attr.Files = append(attr.Files, say.Fd())
	attr.Dir = fdPath(home)
	zero, err := syscall.ForkExec(l.self, l.Argv, &attr)
	if err = errors.Join(err, say.Close(), hear.SetReadDeadline(time.Now().Add(stageZeroLimit))); err != nil {
		return 0, err
	}
	_, told := fmt.Fscanln(io.LimitReader(hear, 16), &pid)
	_ = unix.Kill(zero, unix.SIGKILL) // it has nothing more to say; it has not been reaped, so the number is its own
	ended := waitExit(zero)
	switch {
	case told == nil:
		return pid, checkChild(pid)
	case errors.Is(told, os.ErrDeadlineExceeded):
		told = fmt.Errorf("it said nothing within %v; another process of the account may have stopped it", stageZeroLimit)
	case ended != nil && (errors.Is(told, io.EOF) || errors.Is(told, io.ErrUnexpectedEOF)):
		told = ended
	}
	return 0, fmt.Errorf("stage zero: %w", told)
}

// checkChild is an error for what is no child of this process's. The number comes from a process of the person's account, into
// whose mouth another one of that account may have put it, and what it is the number of will be signalled.
func checkChild(pid int) error {
	if pid <= 0 || unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil) != nil {
		return fmt.Errorf("stage zero says that this is process %d, which is no child of the spawner", pid)
	}
	return nil
}
