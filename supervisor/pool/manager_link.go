package pool

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
)

// ManagerLink tells the service manager about this service. The spawner that started this process
// passes each message on. A nil ManagerLink sends nothing.
type ManagerLink struct {
	started *os.File // the spawner's socket; kept, because its end would close the socket
	conn    *spawnwire.Conn
}

// OpenManagerLink uses the socket of the spawner that has started this process. The link may send
// before StartSpawner. Without such a spawner it returns nil.
func OpenManagerLink(started *os.File) (*ManagerLink, error) {
	if started == nil {
		return nil, nil
	}
	fd, err := unix.FcntlInt(started.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("reach the service manager: %w", err)
	}
	conn, err := spawnwire.NewConn(fd)
	if err != nil {
		return nil, fmt.Errorf("reach the service manager: %w", err)
	}
	return &ManagerLink{started: started, conn: conn}, nil
}

// managerWait is how long the spawner may take to read a message for the service manager.
const managerWait = time.Second

// Send tells the service's state, one of spawnwire's, and its status for people.
func (l *ManagerLink) Send(state, status string) error {
	if l == nil {
		return nil
	}
	return l.conn.Send(spawnwire.AliveRequest{State: state, Text: spawnwire.ClipStatus(status)}, managerWait)
}

// Close ends the link. It may be called on nil.
func (l *ManagerLink) Close() error {
	if l == nil {
		return nil
	}
	return l.conn.Close()
}
