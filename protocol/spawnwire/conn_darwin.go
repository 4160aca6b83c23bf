package spawnwire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// macOS has no SOCK_SEQPACKET between Unix sockets, and its datagrams hold 2 KiB (net.local.dgram.maxdgram) and do not
// surely tell that the other side is gone. A stream does, and keeps descriptors with the bytes that they were sent with;
// messages are kept apart by their length before each. One that was cut short ends the connection.
const (
	socketType = syscall.SOCK_STREAM
	socketName = "SOCK_STREAM"
)

const (
	headSize = 4  // bytes of a packet's length
	fdsRoom  = 64 // descriptors that there is room for: what does not fit would be left open (recvmsg drops the control)
)

// Pair makes the two ends of a socket: ours, and a file for the other process. Both close on exec.
func Pair() (*Conn, *os.File, error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, socketType, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
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
	out := outgoing{rest: append(binary.LittleEndian.AppendUint32(nil, uint32(len(packet))), packet...)}
	if len(fds) > 0 {
		out.rights = syscall.UnixRights(fds...)
	}
	if err := c.file.SetWriteDeadline(time.Now().Add(timeout)); err != nil {
		return fmt.Errorf("send %T: %w", m, err)
	}
	var sent error
	err = c.raw.Write(func(fd uintptr) bool { // one caller at a time, until it returns
		sent = out.write(int(fd))
		return sent != syscall.EAGAIN
	})
	if err == nil {
		err = sent
	}
	if err != nil && out.begun {
		err = closeAfter(err, c.file)
	}
	if err != nil {
		return fmt.Errorf("send %T: %w", m, err)
	}
	return nil
}

// outgoing is a message on its way out.
type outgoing struct {
	rest   []byte
	rights []byte // go with its first byte
	begun  bool
}

// write sends on until nothing is left.
func (out *outgoing) write(fd int) error {
	for len(out.rest) > 0 {
		var n int
		err := retryInterrupted(func() (err error) {
			n, err = syscall.SendmsgN(fd, out.rest, out.rights, nil, 0)
			return err
		})
		if err != nil {
			return err
		}
		out.rest, out.rights, out.begun = out.rest[n:], nil, true
	}
	return nil
}

// Receive waits for the next message, without a deadline: how long the other side is silent says nothing. The
// descriptors are the caller's, and close on exec. It returns io.EOF when the other side is gone.
func (c *Conn) Receive() (Message, []int, error) {
	in := incoming{packet: make([]byte, headSize)}
	var got error
	err := c.raw.Read(func(fd uintptr) bool { // one caller at a time, until it returns
		got = in.read(int(fd))
		return got != syscall.EAGAIN
	})
	if err == nil {
		err = got
	}
	var m Message
	if err == nil {
		m, err = Decode(in.packet[headSize:])
	}
	if err == io.EOF {
		return nil, nil, io.EOF
	}
	if err != nil && in.n > 0 {
		CloseAll(in.fds)
		err = closeAfter(err, c.file)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("receive: %w", err)
	}
	return m, in.fds, nil
}

// incoming is a message on its way in.
type incoming struct {
	packet []byte // its length, and once that is known, the message after it
	n      int    // bytes of packet that are there
	fds    []int
}

// read reads on until the message is whole, and no byte of the next one.
func (in *incoming) read(fd int) error {
	for in.n < len(in.packet) {
		n, fds, err := receiveSome(fd, in.packet[in.n:])
		in.n, in.fds = in.n+n, append(in.fds, fds...)
		switch {
		case err == syscall.EAGAIN:
			return err
		case in.n == 0 && (err == nil || err == syscall.ECONNRESET):
			return io.EOF
		case err == nil && n == 0:
			return io.ErrUnexpectedEOF
		case err == nil && in.n == headSize && len(in.packet) == headSize:
			err = in.makeRoom()
		}
		if err == nil && len(in.fds) > MaxFiles {
			err = fmt.Errorf("%w: with more than %d descriptors", ErrMalformed, MaxFiles)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// makeRoom makes room for a message whose length has come.
func (in *incoming) makeRoom() error {
	size := binary.LittleEndian.Uint32(in.packet)
	if size == 0 || size > MaxPacket {
		return fmt.Errorf("%w: of %d bytes, want 1 to %d", ErrMalformed, size, MaxPacket)
	}
	in.packet = append(in.packet, make([]byte, size)...)
	return nil
}

// receiveSome is recvmsg(2); the descriptors are given also with an error.
func receiveSome(fd int, to []byte) (n int, fds []int, err error) {
	control := make([]byte, syscall.CmsgSpace(4*fdsRoom))
	var cn, flags int
	syscall.ForkLock.RLock() // nothing is forked before the descriptors close on exec
	defer syscall.ForkLock.RUnlock()
	err = retryInterrupted(func() (err error) {
		n, cn, flags, _, err = syscall.Recvmsg(fd, to, control, 0)
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	fds, err = parseRights(control[:cn])
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
	if flags&syscall.MSG_CTRUNC != 0 {
		err = errors.Join(err, fmt.Errorf("%w: with more than %d descriptors", ErrMalformed, MaxFiles))
	}
	return n, fds, err
}
