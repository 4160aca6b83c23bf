package spawn

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
)

// manager is the service manager that started this process. It believes only this process
// (NotifyAccess=main), so no worker can report for the service. See sd_notify(3).
type manager struct {
	fd      int
	address unix.Sockaddr
}

// managerVariables tell a program where its service manager is. They are for this process alone:
// mews and the workers do not get them.
var managerVariables = []string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}

// findManager returns the service manager of the environment, or nil. It removes the manager from
// the environment.
func findManager() (*manager, error) {
	name := os.Getenv("NOTIFY_SOCKET")
	for _, v := range managerVariables {
		if err := os.Unsetenv(v); err != nil {
			return nil, err
		}
	}
	switch {
	case name == "":
		return nil, nil
	case name[0] != '/' && name[0] != '@':
		return nil, fmt.Errorf("NOTIFY_SOCKET is %q, want a path or @ and a name", name)
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open a socket to the service manager: %w", err)
	}
	return &manager{fd, &unix.SockaddrUnix{Name: name}}, nil // @ means an abstract name there, too
}

// startExtension is how much longer a start may take after each message that it goes on.
const startExtension = "EXTEND_TIMEOUT_USEC=90000000"

// managerLines are the lines for the service manager, by the service's state.
var managerLines = map[string]string{
	spawnwire.StateStarting: startExtension,
	spawnwire.StateReady:    "READY=1\nWATCHDOG=1",
	spawnwire.StateAlive:    "WATCHDOG=1",
	spawnwire.StateStopping: "STOPPING=1",
}

// notifyManager passes the service's state on to the service manager. A manager that can't be
// reached is no error: it restarts a service that it does not hear from.
func (s *spawner) notifyManager(m spawnwire.AliveRequest, fds []int) error {
	if len(fds) > 0 {
		return fmt.Errorf("the supervisor sent %d descriptors with alive, want none", len(fds))
	}
	lines, ok := managerLines[m.State]
	if !ok {
		return fmt.Errorf("the supervisor is %q, which is no state of a service", m.State)
	}
	if s.manager == nil {
		return nil
	}
	if m.Text != "" {
		lines += "\nSTATUS=" + strings.ReplaceAll(m.Text, "\n", " ")
	}
	err := unix.Sendto(s.manager.fd, []byte(lines), unix.MSG_NOSIGNAL, s.manager.address)
	if err != nil && !errors.Is(err, unix.EAGAIN) {
		fmt.Fprintln(os.Stderr, "mews-spawner: tell the service manager:", err)
	}
	return nil
}
