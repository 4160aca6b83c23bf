//go:build !linux

package workspace

import "io/fs"

// StampOf returns the stamp of a file.
func StampOf(info fs.FileInfo) Stamp {
	return Stamp{inode: 1, size: info.Size(), changed: info.ModTime().UnixNano()}
}
