//go:build linux || darwin

package spawnwire

import (
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// Conn is one end of the socket. One goroutine may send while another receives. Any goroutine may
// call Close.
type Conn struct {
	file *os.File
	raw  syscall.RawConn
}

// NewConnPair makes a socket, and returns our end and the other process's end. Both close on exec.
func NewConnPair() (*Conn, *os.File, error) {
	fds, err := socketPair()
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

// NewConn takes over fd, even if it fails. fd must be a socket of type socketType.
func NewConn(fd int) (*Conn, error) {
	kind, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_TYPE)
	if err == nil && kind != socketType {
		err = fmt.Errorf("a socket of type %d, want %s", kind, socketName)
	}
	if err == nil {
		err = syscall.SetNonblock(fd, true)
	}
	// non-blocking, so that deadlines and Close work
	file := os.NewFile(uintptr(fd), "spawner socket")
	if err != nil {
		return nil, closeAfter(fmt.Errorf("descriptor %d as the spawner's socket: %w", fd, err), file)
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, closeAfter(err, file)
	}
	return &Conn{file: file, raw: raw}, nil
}

// Send sends m with copies of the descriptors fds, which the caller still owns. It waits at most
// timeout for room in the socket.
func (c *Conn) Send(m Message, timeout time.Duration, fds ...int) error {
	packet, err := Encode(m)
	if err != nil {
		return err
	}
	out := newOutgoing(packet)
	if len(fds) > 0 {
		out.rights = syscall.UnixRights(fds...)
	}
	if err = c.file.SetWriteDeadline(time.Now().Add(timeout)); err == nil {
		var sent error
		err = c.raw.Write(func(fd uintptr) bool {
			sent = out.write(int(fd))
			return sent != syscall.EAGAIN
		})
		if err == nil {
			err = sent
		}
	}
	if err != nil && out.begun {
		err = closeAfter(err, c.file)
	}
	if err != nil {
		return fmt.Errorf("send %T: %w", m, err)
	}
	return nil
}

// Receive waits for the next message. It has no deadline unless SetReceiveDeadline sets one,
// because a peer may be silent for long. The caller owns the returned descriptors, which close on
// exec. If the other side is gone, the error is io.EOF.
func (c *Conn) Receive() (Message, []int, error) {
	in := newIncoming()
	var got error
	err := c.raw.Read(func(fd uintptr) bool {
		got = in.read(int(fd))
		return got != syscall.EAGAIN
	})
	if err == nil {
		err = got
	}
	if err == io.EOF {
		return nil, nil, io.EOF
	}
	var m Message
	if err == nil {
		m, err = Decode(in.message())
	}
	if err == nil {
		return m, in.fds, nil
	}
	CloseDescriptors(in.fds)
	if in.begun {
		err = closeAfter(err, c.file)
	}
	return nil, nil, fmt.Errorf("receive: %w", err)
}

// SetReceiveDeadline sets the time at which a waiting Receive fails. It is for a caller that
// expects an answer in time. The zero time removes the deadline.
func (c *Conn) SetReceiveDeadline(t time.Time) error { return c.file.SetReadDeadline(t) }

// Close ends the connection. A waiting Receive returns an error.
func (c *Conn) Close() error { return c.file.Close() }

// CloseDescriptors closes descriptors that no other code uses.
func CloseDescriptors(fds []int) {
	for _, fd := range fds {
		// Close fails only for a bad descriptor, which needs no closing
		_ = syscall.Close(fd)
	}
}

func parseRights(control []byte) ([]int, error) {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return nil, fmt.Errorf("%w: control message: %w", ErrMalformed, err)
	}
	var fds []int
	for i := range messages {
		got, err := syscall.ParseUnixRights(&messages[i])
		if err != nil {
			return fds, fmt.Errorf("%w: control message: %w", ErrMalformed, err)
		}
		fds = append(fds, got...)
	}
	return fds, nil
}

// retryInterrupted repeats a system call while signals interrupt it.
func retryInterrupted(call func() error) error {
	for {
		if err := call(); err != syscall.EINTR {
			return err
		}
	}
}

func closeAfter(err error, file *os.File) error {
	_ = file.Close() // err matters more than a failed Close
	return err
}
