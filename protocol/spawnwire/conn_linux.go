package spawnwire

import (
	"fmt"
	"io"
	"syscall"
)

// A socket of type socketType keeps messages apart.
const (
	socketType = syscall.SOCK_SEQPACKET
	socketName = "SOCK_SEQPACKET"
)

func socketPair() ([2]int, error) {
	return syscall.Socketpair(syscall.AF_UNIX, socketType|syscall.SOCK_CLOEXEC, 0)
}

// outgoing is a message that is being sent.
type outgoing struct {
	packet []byte
	rights []byte
	begun  bool // always false: a packet is sent whole or not at all
}

func newOutgoing(packet []byte) *outgoing { return &outgoing{packet: packet} }

func (out *outgoing) write(fd int) error {
	return retryInterrupted(func() error {
		return syscall.Sendmsg(fd, out.packet, out.rights, nil, syscall.MSG_NOSIGNAL)
	})
}

// incoming is a message that is being received.
type incoming struct {
	packet []byte
	fds    []int
	begun  bool // always false: a packet is received whole or not at all
}

func newIncoming() *incoming { return &incoming{packet: make([]byte, MaxPacketBytes)} }

func (in *incoming) message() []byte { return in.packet }

func (in *incoming) read(fd int) error {
	control := make([]byte, syscall.CmsgSpace(4*MaxDescriptors))
	var n, cn, flags int
	err := retryInterrupted(func() (err error) {
		n, cn, flags, _, err = syscall.Recvmsg(fd, in.packet, control, syscall.MSG_CMSG_CLOEXEC)
		return err
	})
	if err == syscall.ECONNRESET || err == nil && n == 0 && cn == 0 {
		return io.EOF
	}
	if err != nil {
		return err
	}
	in.packet = in.packet[:n]
	in.fds, err = parseRights(control[:cn])
	if err == nil && flags&(syscall.MSG_TRUNC|syscall.MSG_CTRUNC) != 0 {
		err = fmt.Errorf("%w: longer than %d bytes or with more than %d descriptors", ErrMalformed, MaxPacketBytes,
			MaxDescriptors)
	}
	return err
}
