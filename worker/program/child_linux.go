package program

import (
	"errors"

	"golang.org/x/sys/unix"
)

// hasChild reports whether this process has a child, even an ended one that was not reaped.
func hasChild() bool {
	const children = unix.WEXITED | unix.WNOHANG | unix.WNOWAIT
	return !errors.Is(unix.Waitid(unix.P_ALL, 0, nil, children, nil), unix.ECHILD)
}
