package workspace

import (
	"errors"
	"os"
)

// AppendFile adds data on a new line at the end of the file at path. It makes the file and its
// folders if they are missing. It makes a single write, so that the data does not mix with other
// appends. When AppendFile returns, the data is on the disk. If the disk fills up during the write,
// the written part is removed. created means that there was no file before.
func (w *Workspace) AppendFile(path string, data []byte) (created bool, err error) {
	p, err := w.locateTarget(path)
	if err != nil {
		return false, wrapError("append to", path, err)
	}
	size := int64(len(data))
	if p.info == nil {
		err = w.withinQuota(diskSize(size), func() error {
			return w.change(func() error { return replaceFile(w.root, p, data, ModeCreate, nil) }, p.name)
		})
		return true, wrapError("append to", path, err)
	}
	old := p.info.Size()
	err = w.withinQuota(diskSize(old+size)-diskSize(old), func() error {
		return w.change(func() error { return appendToFile(w.root, p, data) }, p.name)
	})
	return false, wrapError("append to", path, err)
}

// appendToFile appends to an existing file.
func appendToFile(root *os.Root, p location, data []byte) error {
	if p.info.Mode()&anyWrite == 0 {
		return ErrReadOnly
	}
	f, err := openRegular(root, p.name, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	return errors.Join(appendLine(f, data), f.Close())
}

func appendLine(f *os.File, data []byte) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			data = append([]byte{'\n'}, data...)
		}
	}
	n, err := f.Write(data)
	if err != nil {
		return errors.Join(err, undoAppend(f, size, int64(n)))
	}
	return f.Sync()
}

// undoAppend removes the n bytes that were written after size, unless other programs have written
// since.
func undoAppend(f *os.File, size, n int64) error {
	info, err := f.Stat()
	if err != nil || n == 0 || info.Size() != size+n {
		return err
	}
	return f.Truncate(size)
}
