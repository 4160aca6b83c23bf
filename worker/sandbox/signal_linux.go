package sandbox

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// SignalAccount signals all processes of an account in one moment, so that not even one that is just being made is left out
// (kill(2): -1 reaches all that the caller may signal; fork(2) begins anew if its caller was signalled meanwhile). It needs
// CAP_SETUID and CAP_SETGID, and refuses the account of this process.
func SignalAccount(uid, gid int, sig unix.Signal) error {
	if uid <= 0 || gid <= 0 || uid == unix.Getuid() || uid == unix.Geteuid() {
		return fmt.Errorf("signal all of account %d: it is this process's own, or none of people's", uid)
	}
	done := make(chan error, 1)
	go func() { // ends with the signal, and its thread with it: that is never unlocked, because it has the other account
		runtime.LockOSThread()
		done <- signalAs(uid, gid, sig)
	}()
	if err := <-done; err != nil {
		return fmt.Errorf("signal all of account %d: %w", uid, err)
	}
	return nil
}

// signalAs gives the calling thread an account, and no power but that, before it signals.
func signalAs(uid, gid int, sig unix.Signal) error {
	if err := errors.Join(setAccount(uid, gid), dropCapabilities()); err != nil {
		return err
	}
	r, e, s := unix.Getresuid()
	if r != uid || e != uid || s != uid {
		return fmt.Errorf("it has accounts %d, %d, %d", r, e, s)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	if err := unix.Capget(&header, &have[0]); err != nil {
		return fmt.Errorf("read the capabilities: capget: %w", err)
	}
	if have[0].Effective|have[1].Effective != 0 {
		return errors.New("it has capabilities left, with which it could signal everybody")
	}
	if err := unix.Kill(-1, sig); err != nil && err != unix.ESRCH {
		return err
	}
	return nil
}
