package archive

import (
	"archive/tar"
	"fmt"
	"io"
	"time"
)

// Members adds members to an archive that are no files of the home.
type Members struct{ archiver *archiver }

// Add adds a member of a size, if it fits. If open fails, the member is left out. If r ends early
// or fails, zeros replace the missing bytes, and the member is listed as incomplete.
func (m Members) Add(name string, size int64, at time.Time, open func() (io.ReadCloser, error)) error {
	a := m.archiver
	r, err := open()
	if err != nil {
		a.leaveOut(name, err.Error())
		return nil
	}
	defer r.Close() // it was only read, so an error of Close loses nothing
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: size, ModTime: at}
	if written, err := a.writeHeader(name, h); err != nil || !written {
		return err
	}
	n, err := io.CopyN(a.tar, r, size)
	if err == nil || n == size {
		return err
	}
	a.leaveOut(name, fmt.Sprintf("from byte %d on it could not be read (%v)", n, err))
	_, err = io.CopyN(a.tar, zeroReader{}, size-n)
	return err
}

// LeaveOut lists a name that is left out, and why.
func (m Members) LeaveOut(name, reason string) { m.archiver.leaveOut(name, reason) }
