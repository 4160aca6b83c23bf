package sandbox

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// SignalAccount signals all processes of an account at one moment. Not even a process that is just
// being forked escapes. The call kill(2) with the pid -1 reaches all processes that the caller may
// signal, and fork(2) starts over if its caller was signalled meanwhile. SignalAccount needs
// CAP_SETUID and CAP_SETGID, and refuses root and the account of this process.
func SignalAccount(uid, gid int, sig unix.Signal) error {
	if uid <= 0 || gid <= 0 || uid == unix.Getuid() || uid == unix.Geteuid() {
		return fmt.Errorf("signal all of account %d: it is this process's own, or none of people's", uid)
	}
	// the thread has the other account afterwards
	err := onSpareThread(func() error { return signalAs(uid, gid, sig) })
	return wrap(err, "signal all of account %d", uid)
}

// KillAll kills all other processes within this process's walls at one moment.
// SignalAccount tells why none escapes. KillAll refuses if no wall confines signals.
func (s *ToolStarter) KillAll() error {
	if err := s.checkSignalsConfined(); err != nil {
		return fmt.Errorf("kill all processes within the walls: %w", err)
	}
	if err := unix.Kill(-1, unix.SIGKILL); err != unix.ESRCH {
		return wrap(err, "kill all processes within the walls")
	}
	return nil
}

// checkSignalsConfined refuses unless this process is the first in its own pid namespace, or
// Landlock forbids it to signal its parent.
func (s *ToolStarter) checkSignalsConfined() error {
	switch {
	case s.tier.AtLeast(TierNamespaces) && unix.Getpid() != 1:
		return errors.New("this process is not the first in a pid namespace")
	case s.tier == TierLandlock && unix.Kill(unix.Getppid(), 0) != unix.EPERM:
		return errors.New("this process may signal its parent")
	case !s.tier.AtLeast(TierLandlock):
		return errors.New("there are no walls")
	}
	return nil
}

// onSpareThread runs fn on a thread that ends with fn, so that changes of the thread do not last.
// It never uses the main thread, which would not end (runtime.LockOSThread). Processes with the
// main thread's account may signal this process. So the main thread is only locked meanwhile.
func onSpareThread(fn func() error) error {
	done := make(chan error, 1)
	go func() { // the thread ends with fn
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			defer runtime.UnlockOSThread()
			done <- onSpareThread(fn)
			return
		}
		done <- fn()
	}()
	return <-done
}

// signalAs gives the calling thread an account and removes all its capabilities before it signals.
// With capabilities the thread could signal every process.
func signalAs(uid, gid int, sig unix.Signal) error {
	if err := errors.Join(setAccount(uid, gid), dropCapabilities()); err != nil {
		return err
	}
	r, e, s := unix.Getresuid()
	if r != uid || e != uid || s != uid {
		return fmt.Errorf("it has accounts %d, %d, %d", r, e, s)
	}
	caps, err := effectiveCapabilities()
	if err == nil && caps != 0 {
		err = errors.New("it has capabilities left, with which it could signal everybody")
	}
	if err != nil {
		return err
	}
	if err := unix.Kill(-1, sig); err != unix.ESRCH {
		return err
	}
	return nil
}
