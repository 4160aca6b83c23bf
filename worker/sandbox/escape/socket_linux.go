package escape

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

func sockets() []Probe {
	icmp := socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)
	return []Probe{
		{Row: "N1", What: "make an IPv4 stream socket", Core: true, run: socket(unix.AF_INET, unix.SOCK_STREAM, 0)},
		{Row: "N2", What: "make an IPv6 datagram socket", run: socket(unix.AF_INET6, unix.SOCK_DGRAM, 0)},
		{Row: "N3", What: "make a netlink socket", Core: true, run: socket(unix.AF_NETLINK, unix.SOCK_RAW, 0)},
		{Row: "N4", What: "make a packet socket", Kernel: true, run: socket(unix.AF_PACKET, unix.SOCK_RAW, 0)},
		{Row: "N5", What: "make a vsock socket", run: socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)},
		{Row: "N6", What: "make an AF_ALG socket", Kernel: true, run: socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)},
		{Row: "N7", What: "make a raw ICMP socket", Kernel: true, run: icmp},
		{Row: "N8", What: "connect to a service on 127.0.0.1", run: needsVictim(tcp, connectTCP)},
		{Row: "N9", What: "connect to an abstract socket", Core: true, run: needsVictim(abstract, connectAbstract)},
		{Row: "N10", What: "connect to a socket in the file system", Core: true,
			run: needsVictim(socketPath, connectPath)},
		{Row: "N11", What: "send a datagram into the world", run: sendOut},
	}
}

func tcp(v Victims) string        { return v.TCP }
func abstract(v Victims) string   { return v.Abstract }
func socketPath(v Victims) string { return v.Socket }

func socket(family, kind, protocol int) func(Victims) error {
	return func(Victims) error {
		fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, protocol)
		return closeMade("socket", fd, err)
	}
}

// answerLimit bounds the wait for an answer of a service on this machine.
const answerLimit = 5 * time.Second

func connectTCP(v Victims) error {
	var at unix.SockaddrInet4
	_, err := fmt.Sscanf(v.TCP, "%d.%d.%d.%d:%d", &at.Addr[0], &at.Addr[1], &at.Addr[2], &at.Addr[3], &at.Port)
	if err != nil {
		return notTriedError("no IPv4 address and port: " + v.TCP)
	}
	return receiveSecret(unix.AF_INET, &at, v)
}

func connectAbstract(v Victims) error {
	// package unix turns @ into the zero byte of an abstract name
	return receiveSecret(unix.AF_UNIX, &unix.SockaddrUnix{Name: "@" + v.Abstract}, v)
}

func connectPath(v Victims) error {
	return receiveSecret(unix.AF_UNIX, &unix.SockaddrUnix{Name: v.Socket}, v)
}

// receiveSecret connects and reads the secret.
func receiveSecret(family int, to unix.Sockaddr, v Victims) error {
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	conn := os.NewFile(uintptr(fd), "socket")
	defer conn.Close()
	limit := unix.NsecToTimeval(answerLimit.Nanoseconds())
	// SO_SNDTIMEO also limits connect
	for _, option := range []int{unix.SO_SNDTIMEO, unix.SO_RCVTIMEO} {
		if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, option, &limit); err != nil {
			return fmt.Errorf("setsockopt: %w", err)
		}
	}
	if err := unix.Connect(fd, to); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	said := make([]byte, len(v.Secret))
	if n, err := io.ReadFull(conn, said); err != nil {
		return fmt.Errorf("connected, and received %d bytes: %w", n, err)
	}
	return checkSecret(said, v)
}

// sendOut sends an empty datagram to an address of TEST-NET-1 (RFC 5737). It is routed like any
// other address, but no machine has it.
func sendOut(Victims) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	defer unix.Close(fd)
	to := &unix.SockaddrInet4{Port: 53, Addr: [4]byte{192, 0, 2, 1}}
	return wrapCall("sendto", unix.Sendto(fd, nil, unix.MSG_DONTWAIT, to))
}
