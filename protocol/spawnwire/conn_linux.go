package spawnwire

import (
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// What a connection's socket is: it keeps each message apart.
const (
	socketType = syscall.SOCK_SEQPACKET
	socketName = "SOCK_SEQPACKET"
)

// Pair makes the two ends of a socket: ours, and a file for the other process. Both close on exec.
func Pair() (*Conn, *os.File, error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make a socketpair: %w", err)
	}
	theirs := os.NewFile(uintptr(fds[1]), "spawner socket")
	ours, err := NewConn(fds[0])
	if err != nil {
		return nil, nil, closeAfter(err, theirs)
	}
	return ours, theirs, nil
}

// Send sends m, and with it descriptors, which stay the caller's. It waits at most timeout for room.
func (c *Conn) Send(m Message, timeout time.Duration, fds ...int) error {
	packet, err := Encode(m)
	if err != nil {
		return err
	}
	var rights []byte
	if len(fds) > 0 {
		rights = syscall.UnixRights(fds...)
	}
	if err := c.file.SetWriteDeadline(time.Now().Add(timeout)); err != nil {
		return fmt.Errorf("send %T: %w", m, err)
	}
	var sent error
	err = c.raw.Write(func(fd uintptr) bool {
		sent = retryInterrupted(func() error {
			return syscall.Sendmsg(int(fd), packet, rights, nil, syscall.MSG_NOSIGNAL)
		})
		return sent != syscall.EAGAIN
	})
	if err == nil {
		err = sent
	}
	if err != nil {
		return fmt.Errorf("send %T: %w", m, err)
	}
	return nil
}

// Receive waits for the next message, without a deadline: how long the other side is silent says nothing. The
// descriptors are the caller's, and close on exec. It returns io.EOF when the other side is gone.
func (c *Conn) Receive() (Message, []int, error) {
	packet := make([]byte, MaxPacket)
	control := make([]byte, syscall.CmsgSpace(4*MaxFiles))
	var n, cn, flags int
	var got error
	err := c.raw.Read(func(fd uintptr) bool {
		got = retryInterrupted(func() (err error) {
			n, cn, flags, _, err = syscall.Recvmsg(int(fd), packet, control, syscall.MSG_CMSG_CLOEXEC)
			return err
		})
		return got != syscall.EAGAIN
	})
	if err == nil {
		err = got
	}
	if err == syscall.ECONNRESET || (err == nil && n == 0 && cn == 0) {
		return nil, nil, io.EOF
	}
	if err != nil {
		return nil, nil, fmt.Errorf("receive: %w", err)
	}
	return decodeReceived(packet[:n], control[:cn], flags)
}

// decodeReceived decodes what one recvmsg gave, and closes its descriptors if it is refused.
func decodeReceived(packet, control []byte, flags int) (Message, []int, error) {
	fds, err := parseRights(control)
	if err == nil && flags&(syscall.MSG_TRUNC|syscall.MSG_CTRUNC) != 0 {
		err = fmt.Errorf("%w: longer than %d bytes or with more than %d descriptors", ErrMalformed, MaxPacket, MaxFiles)
	}
	var m Message
	if err == nil {
		m, err = Decode(packet)
	}
	if err != nil {
		CloseAll(fds)
		return nil, nil, fmt.Errorf("receive: %w", err)
	}
	return m, fds, nil
}
