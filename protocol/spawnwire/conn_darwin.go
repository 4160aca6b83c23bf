package spawnwire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"syscall"
)

// macOS has no SOCK_SEQPACKET between Unix sockets. Its datagrams hold 2 KiB
// (net.local.dgram.maxdgram) and do not reliably report that the other side is gone. A stream
// reports that reliably, and keeps descriptors with the bytes that they were sent with. Each
// message comes after its length. An incomplete message ends the connection.
const (
	socketType = syscall.SOCK_STREAM
	socketName = "SOCK_STREAM"
)

const (
	headSize = 4 // size in bytes of the length before each message
	// room for descriptors; further descriptors would stay open (recvmsg drops the control message)
	fdsRoom = 64
)

func socketPair() ([2]int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, socketType, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	return fds, err
}

// outgoing is a message that is being sent.
type outgoing struct {
	rest   []byte
	rights []byte // descriptors, sent with the first byte
	begun  bool   // a part of the message was sent
}

func newOutgoing(packet []byte) *outgoing {
	return &outgoing{rest: append(binary.LittleEndian.AppendUint32(nil, uint32(len(packet))), packet...)}
}

// write sends the rest of the message.
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

// incoming is a message that is being received.
type incoming struct {
	packet []byte // the length, followed by the message once the length is known
	n      int    // number of bytes received
	fds    []int
	begun  bool // a part of the message was received
}

func newIncoming() *incoming { return &incoming{packet: make([]byte, headSize)} }

func (in *incoming) message() []byte { return in.packet[headSize:] }

// read receives until the message is complete, but no byte of the next message.
func (in *incoming) read(fd int) error {
	for in.n < len(in.packet) {
		n, fds, err := receiveSome(fd, in.packet[in.n:])
		in.n, in.fds = in.n+n, append(in.fds, fds...)
		in.begun = in.n > 0
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
		if err == nil && len(in.fds) > MaxDescriptors {
			err = fmt.Errorf("%w: with more than %d descriptors", ErrMalformed, MaxDescriptors)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// makeRoom makes room for the message after its length was read.
func (in *incoming) makeRoom() error {
	size := binary.LittleEndian.Uint32(in.packet)
	if size == 0 || size > MaxPacketBytes {
		return fmt.Errorf("%w: of %d bytes, want 1 to %d", ErrMalformed, size, MaxPacketBytes)
	}
	in.packet = append(in.packet, make([]byte, size)...)
	return nil
}

// receiveSome calls recvmsg(2). It may return descriptors together with an error.
func receiveSome(fd int, to []byte) (n int, fds []int, err error) {
	control := make([]byte, syscall.CmsgSpace(4*fdsRoom))
	var cn, flags int
	syscall.ForkLock.RLock() // no process may be forked before the descriptors close on exec
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
		err = errors.Join(err, fmt.Errorf("%w: with more than %d descriptors", ErrMalformed, MaxDescriptors))
	}
	return n, fds, err
}
