package spawn

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
)

// SocketVariable tells a mews that its spawner has started it, and on which descriptor it finds it.
const SocketVariable = "MEWS_SPAWNER_FD"

// EndedError is how the program ended that Supervise has started, where that was not well.
type EndedError struct {
	Program string
	Status  int // as a shell has it: 128 and the signal's number after a signal
}

func (e EndedError) Error() string {
	return fmt.Sprintf("%s ended with status %d", e.Program, e.Status)
}

// OpenPolicy reads a policy's file, which nobody but root may be able to write.
func OpenPolicy(path string) (Policy, error) {
	f, err := os.Open(path)
	if err != nil {
		return Policy{}, fmt.Errorf("read the policy: %w", err)
	}
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return Policy{}, fmt.Errorf("read the policy: %w", err)
	}
	if st.Uid != 0 || st.Mode&0o022 != 0 {
		return Policy{}, fmt.Errorf("read the policy: %s must be root's, and nobody else's to write (chown root:root, chmod 644)", path)
	}
	p, err := ReadPolicy(f)
	if err != nil {
		err = fmt.Errorf("read the policy: %s: %w", path, err)
	}
	return p, err
}

// Supervise starts a program, mews, without any of this process's privilege, serves it as Run does, and passes on to it
// the signals of a service manager. It returns when the program has ended and nothing is left of any worker; an EndedError
// says that it did not end well.
func Supervise(argv []string, o Options) error {
	runtime.LockOSThread() // capabilities are a thread's, and so is what it starts
	defer runtime.UnlockOSThread()
	if err := errors.Join(prepare(), clearInheritable()); err != nil {
		return err
	}
	conn, theirs, err := spawnwire.Pair()
	if err != nil {
		return err
	}
	chld, told := notifySignals() // before the program could be waiting for a signal
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{theirs} // its descriptor 3
	cmd.Env = append(os.Environ(), SocketVariable+"="+strconv.Itoa(3))
	err = cmd.Start()
	if err = errors.Join(err, theirs.Close()); err != nil {
		return errors.Join(fmt.Errorf("start %s: %w", argv[0], err), conn.Close())
	}
	o.supervisorPID = cmd.Process.Pid // it is reaped with all the others
	s := newSpawner(conn, o)
	err = s.run(chld, told)
	if status := shellStatus(s.status); err == nil && status != 0 {
		err = EndedError{argv[0], status}
	}
	return err
}

// shellStatus is an end as a shell has it.
func shellStatus(s syscall.WaitStatus) int {
	if s.Signaled() {
		return 128 + int(s.Signal())
	}
	return s.ExitStatus()
}

// clearInheritable has what this process starts get none of its capabilities, unless it is given them by name.
func clearInheritable() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("keep the capabilities from mews: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	err := unix.Capget(&header, &have[0])
	have[0].Inheritable, have[1].Inheritable = 0, 0
	if err == nil {
		err = unix.Capset(&header, &have[0])
	}
	if err != nil {
		return fmt.Errorf("keep the capabilities from mews: inheritable: %w", err)
	}
	return nil
}
