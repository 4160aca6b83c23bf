//go:build !linux

package shell

import (
	"io/fs"
	"time"
)

// fileTime is the time that a file gets that is changed now.
func fileTime() time.Time { return time.Now() }

// changedAt is when a file was last changed.
func changedAt(info fs.FileInfo) time.Time { return info.ModTime() }
