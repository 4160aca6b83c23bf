package spawn

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
)

// SocketVariable is the environment variable with the descriptor of the spawner's socket. The
// variable also tells mews that its spawner has started it.
const SocketVariable = "MEWS_SPAWNER_FD"

// ProgramExitError tells how the program of SuperviseProgram has ended. Status 0 causes no error.
type ProgramExitError struct {
	Program string
	Status  int // status as a shell gives it: after a signal 128 plus the signal's number
}

func (e ProgramExitError) Error() string {
	return fmt.Sprintf("%s ended with status %d", e.Program, e.Status)
}

// ReadPolicyFile reads a policy file. The file must be writable only by root.
func ReadPolicyFile(path string) (Policy, error) {
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

// SuperviseProgram starts mews, by argv, without any of this process's privilege. It serves mews as
// Run does, and passes on the signals of a service manager. It returns when mews and all workers
// have ended. The error is a ProgramExitError if the status of mews is not 0.
func SuperviseProgram(argv []string, o Options) error {
	runtime.LockOSThread() // a child process gets the capabilities of the thread that starts it
	defer runtime.UnlockOSThread()
	if err := errors.Join(prepare(), clearInheritable()); err != nil {
		return err
	}
	conn, theirs, err := spawnwire.NewConnPair()
	if err != nil {
		return err
	}
	manager, err := findManager()
	if err != nil {
		return err
	}
	chld, told := notifySignals() // called before the program starts, so that no signal is lost
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{theirs} // the socket becomes the program's descriptor 3
	cmd.Env = append(os.Environ(), SocketVariable+"="+strconv.Itoa(3))
	err = cmd.Start()
	if err = errors.Join(err, theirs.Close()); err != nil {
		return errors.Join(fmt.Errorf("start %s: %w", argv[0], err), conn.Close())
	}
	s := newSpawner(conn, o)
	s.supervisor = cmd.Process.Pid // reap waits for this program too
	s.manager = manager
	if err := s.run(chld, told); err != nil {
		return err
	}
	status := s.status.ExitStatus()
	if s.status.Signaled() {
		status = 128 + int(s.status.Signal())
	}
	if status != 0 {
		return ProgramExitError{argv[0], status}
	}
	return nil
}

// clearInheritable ensures that children of this process inherit only the capabilities that are
// named at their start.
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
	return wrap(err, "keep the capabilities from mews: inheritable")
}
