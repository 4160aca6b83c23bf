package control

import "golang.org/x/sys/unix"

// socketPeerUID returns the user id of the process that connected to a socket (LOCAL_PEERCRED,
// unix(4)).
func socketPeerUID(fd int) (uint32, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return cred.Uid, nil
}
