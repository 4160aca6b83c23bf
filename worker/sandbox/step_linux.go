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

// StepArgument has mews-spawner be the step before stage one.
const StepArgument = "step"

// stepFD is the descriptor on which Step says the pid of stage one.
const stepFD = 4

// Step starts stage one as the account that this process has, as a child of this process's parent, writes its pid to
// descriptor 4, and ends. Descriptors 0 to 3 are those of stage one.
func Step() error {
	p, err := readPlan(os.Environ())
	if err != nil {
		return err
	}
	attr := own(&p)
	attr.Cloneflags |= unix.CLONE_PARENT
	attr.Setsid, attr.Pdeathsig = true, syscall.SIGKILL
	// What the account could do before: nothing of it is for the worker.
	if err := dropCapabilities(); err != nil {
		return err
	}
	unix.CloseOnExec(stepFD)
	pid, err := syscall.ForkExec(self, []string{"mews-spawner", StageArgument}, &syscall.ProcAttr{
		Env: p.Environ(), Sys: &attr, Files: []uintptr{0, 1, 2, 3},
	})
	if err != nil {
		return fmt.Errorf("make the namespaces as uid %d: %w", os.Getuid(), explain(err))
	}
	_, err = fmt.Fprintf(os.NewFile(stepFD, "spawner"), "%d\n", pid)
	return err
}

// stepLimit is how long Step may take, which takes milliseconds. It has the person's account: another process of the
// account may stop it, and nothing else is done by this process meanwhile.
var stepLimit = 10 * time.Second

// startStep starts stage one by way of Step, which enters the home as the person's account: this process's may not.
func (l Launch) startStep(home int, attr syscall.ProcAttr) (pid int, err error) {
	hear, say, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer hear.Close()
	attr.Files = append(attr.Files, say.Fd())
	attr.Dir = byDescriptor(home)
	step, err := syscall.ForkExec(l.self, l.Argv, &attr)
	if err = errors.Join(err, say.Close(), hear.SetReadDeadline(time.Now().Add(stepLimit))); err != nil {
		return 0, err
	}
	_, told := fmt.Fscanln(io.LimitReader(hear, 16), &pid)
	_ = unix.Kill(step, unix.SIGKILL) // it has nothing more to say; it has not been reaped, so the number is its own
	ended := await(step)
	switch {
	case told == nil:
		return pid, isChild(pid)
	case errors.Is(told, os.ErrDeadlineExceeded):
		told = fmt.Errorf("it said nothing within %v; another process of the account may have stopped it", stepLimit)
	case ended != nil && (errors.Is(told, io.EOF) || errors.Is(told, io.ErrUnexpectedEOF)):
		told = ended
	}
	return 0, fmt.Errorf("the step before stage one: %w", told)
}

// isChild is an error for what is no child of this process's. The number comes from a process of the person's account, into
// whose mouth another one of that account may have put it, and what it is the number of will be signalled.
func isChild(pid int) error {
	if pid <= 0 || unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil) != nil {
		return fmt.Errorf("the step before stage one says that this is process %d, which is no child of the spawner", pid)
	}
	return nil
}
