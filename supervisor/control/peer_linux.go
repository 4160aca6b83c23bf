package control

import "golang.org/x/sys/unix"

// socketPeerUID returns the user id of the process that connected to a socket (SO_PEERCRED,
// unix(7)).
func socketPeerUID(fd int) (uint32, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return cred.Uid, nil
}
