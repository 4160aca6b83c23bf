//go:build linux || darwin

package spawnwire

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// Conn is one end of the socket. One goroutine may send while another receives; Close may come from any.
type Conn struct {
	file *os.File
	raw  syscall.RawConn
}

// NewConn takes over fd, also when it fails. fd must be a socket of type socketType.
func NewConn(fd int) (*Conn, error) {
	kind, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_TYPE)
	if err == nil && kind != socketType {
		err = fmt.Errorf("a socket of type %d, want %s", kind, socketName)
	}
	if err == nil {
		err = syscall.SetNonblock(fd, true)
	}
	file := os.NewFile(uintptr(fd), "spawner socket") // non-blocking, so that deadlines and Close work
	if err != nil {
		return nil, closeAfter(fmt.Errorf("descriptor %d as the spawner's socket: %w", fd, err), file)
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, closeAfter(err, file)
	}
	return &Conn{file: file, raw: raw}, nil
}

// SetReceiveDeadline bounds one Receive where an answer is due; the zero time takes the bound away.
func (c *Conn) SetReceiveDeadline(t time.Time) error { return c.file.SetReadDeadline(t) }

// Close ends the connection; a Receive that waits returns an error.
func (c *Conn) Close() error { return c.file.Close() }

// CloseAll closes descriptors that nobody else knows of.
func CloseAll(fds []int) {
	for _, fd := range fds {
		_ = syscall.Close(fd) // it fails for a bad descriptor only, and then there is nothing to close
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

// retryInterrupted repeats a system call that a signal has interrupted.
func retryInterrupted(call func() error) error {
	for {
		if err := call(); err != syscall.EINTR {
			return err
		}
	}
}

func closeAfter(err error, file *os.File) error {
	_ = file.Close() // err is what matters
	return err
}
