//go:build linux || darwin

package spawn

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"mews/protocol/spawnwire"
)

const sendTimeout = 10 * time.Second // a supervisor that does not read is as good as gone

// packet is what one Receive gave.
type packet struct {
	message spawnwire.Message
	fds     []int
	err     error
}

// receive hands on packets until the first error, which it hands on too, and closes the channel.
func receive(conn *spawnwire.Conn, to chan<- packet) {
	defer close(to)
	for {
		var p packet
		p.message, p.fds, p.err = conn.Receive()
		to <- p
		if p.err != nil {
			return
		}
	}
}

// signalProcess is kill(2). ESRCH is no error: it has ended, and will be reaped. EPERM is none either: a process that took
// other credentials must not be able to end the spawner; it is tried again with the next sweep.
func signalProcess(pid int, sig syscall.Signal) error {
	err := syscall.Kill(pid, sig)
	if err != nil && err != syscall.ESRCH && err != syscall.EPERM {
		return fmt.Errorf("signal %v to %d: %w", sig, pid, err)
	}
	return nil
}

func ownAccount() Account { return Account{uint32(os.Getuid()), uint32(os.Getgid())} }
