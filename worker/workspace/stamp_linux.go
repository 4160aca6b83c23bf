package workspace

import (
	"io/fs"
	"syscall"
)

// StampOf returns the stamp of a file. A program can't set the time in the stamp.
func StampOf(info fs.FileInfo) Stamp {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Stamp{size: info.Size(), changed: info.ModTime().UnixNano()}
	}
	return Stamp{inode: st.Ino, size: st.Size, changed: syscall.TimespecToNsec(st.Ctim)}
}
