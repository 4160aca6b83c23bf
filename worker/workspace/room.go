package workspace

import (
	"io/fs"
	"syscall"
)

// boundless is the room of a folder that nobody has limited.
type boundless struct{}

func (boundless) Fits(int64) error { return nil }
func (boundless) Grew(int64)       {}

// fit does what makes the folder grow by so many bytes, where there is room for it.
func (w *Workspace) fit(grow int64, do func() error) error {
	if err := w.room.Fits(grow); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	w.room.Grew(grow)
	return nil
}

// page is how much file systems hand out at once, in bytes, most of them.
const page = 4096

// onDisk is what a file of so many bytes takes.
func onDisk(size int64) int64 { return (size + page - 1) / page * page }

// growth is by how much the folder grows when a file of so many bytes takes old's place; nil is none. What is no longer than
// before never counts as growth, and a file that has other names stays.
func growth(old fs.FileInfo, size int64) int64 {
	if old == nil {
		return onDisk(size)
	}
	st, ok := old.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return onDisk(size) - onDisk(old.Size())
	case st.Nlink > 1:
		return onDisk(size)
	}
	grow := onDisk(size) - st.Blocks*512 // the unit of Blocks, whatever the file system's is (stat(2))
	if size <= old.Size() {
		return min(grow, 0)
	}
	return grow
}
