//go:build !linux

package workspace

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncFileSystem makes all changes of all file systems durable (sync(2)).
func syncFileSystem(*os.File) error { return unix.Sync() }
