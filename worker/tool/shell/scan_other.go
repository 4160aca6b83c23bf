//go:build !linux

package shell

import (
	"io/fs"
	"time"
)

// fileTime returns the time that a file would get for a change now.
func fileTime() time.Time { return time.Now() }

// changedAt returns when a file was last changed.
func changedAt(info fs.FileInfo) time.Time { return info.ModTime() }
