package workspace

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncFileSystem makes all changes of an open folder's file system durable (syncfs(2)).
func syncFileSystem(folder *os.File) error { return unix.Syncfs(int(folder.Fd())) }
