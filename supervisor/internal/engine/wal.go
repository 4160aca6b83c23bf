package engine

import (
	"errors"
	"syscall"

	"github.com/ncruces/go-sqlite3/vfs"
)

// vfsName is the name of the engine's VFS. It differs from SQLite's own VFS only in its handling of
// the journal.
const vfsName = "mews"

// readerVFSName is the name of the VFS that opens files for reading if their disk is read-only.
const readerVFSName = "mews-reader"

func init() {
	files := vfs.Find("").(vfs.VFSFilename)
	vfs.Register(vfsName, NewGatheringVFS(files))
	vfs.Register(readerVFSName, readerVFS{files})
}

// readerVFS opens files of a read-only disk for reading, as SQLite's own VFS in C does.
type readerVFS struct{ vfs.VFSFilename }

func (v readerVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, opened, err := v.VFSFilename.OpenFilename(name, flags)
	if errors.Is(err, syscall.EROFS) {
		flags = flags&^(vfs.OPEN_READWRITE|vfs.OPEN_CREATE) | vfs.OPEN_READONLY
		if f, opened, err = v.VFSFilename.OpenFilename(name, flags); err == nil {
			f = unlockedFile{f}
		}
	}
	return f, opened, err
}

// unlockedFile is a file of a read-only disk. It takes no lock, because nobody can write the file,
// and the kernel gives no exclusive lock on a file that is open for reading.
type unlockedFile struct{ vfs.File }

func (unlockedFile) Lock(vfs.LockLevel) error         { return nil }
func (unlockedFile) Unlock(vfs.LockLevel) error       { return nil }
func (unlockedFile) CheckReservedLock() (bool, error) { return false, nil }

// NewGatheringVFS returns a VFS that gathers several writes to the journal into one.
func NewGatheringVFS(files vfs.VFSFilename) vfs.VFS { return gatheringVFS{files} }

// gatheringVFS merges consecutive writes to the journal into one write to the disk. SQLite makes
// two writes for each page of a transaction.
type gatheringVFS struct{ vfs.VFSFilename }

// OpenFilename opens a file. It wraps the journal so that writes are gathered.
func (v gatheringVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := v.VFSFilename.OpenFilename(name, flags)
	if err == nil && flags&vfs.OPEN_WAL != 0 {
		f = &journal{File: f}
	}
	return f, flags, err
}

// maxGathered is the largest number of gathered bytes.
const maxGathered = 256 << 10

// journal is the write-ahead log. Gathered bytes are written before the file is synced, read or
// truncated. So SQLite never relies on a page that is not in the file. No other process has the
// file open.
type journal struct {
	vfs.File
	gathered []byte // bytes that are not written yet
	offset   int64  // offset of the gathered bytes in the file
}

// WriteAt gathers bytes that directly follow the gathered bytes. Other bytes are written after a
// flush.
func (j *journal) WriteAt(p []byte, at int64) (int, error) {
	if len(j.gathered) > 0 && at != j.offset+int64(len(j.gathered)) || len(j.gathered)+len(p) > maxGathered {
		if err := j.flush(); err != nil {
			return 0, err
		}
	}
	if len(j.gathered) == 0 {
		j.offset = at
	}
	j.gathered = append(j.gathered, p...)
	return len(p), nil
}

// flush writes the gathered bytes. It does not repeat a failed write, since SQLite writes the bytes
// again or gives up the transaction.
func (j *journal) flush() error {
	if len(j.gathered) == 0 {
		return nil
	}
	held := j.gathered
	j.gathered = held[:0]
	_, err := j.File.WriteAt(held, j.offset)
	return err
}

// ReadAt flushes the gathered bytes, and then reads from the file.
func (j *journal) ReadAt(p []byte, at int64) (int, error) {
	if err := j.flush(); err != nil {
		return 0, err
	}
	return j.File.ReadAt(p, at)
}

func (j *journal) Size() (int64, error) {
	if err := j.flush(); err != nil {
		return 0, err
	}
	return j.File.Size()
}

func (j *journal) Truncate(size int64) error {
	if err := j.flush(); err != nil {
		return err
	}
	return j.File.Truncate(size)
}

func (j *journal) Sync(flags vfs.SyncFlag) error {
	if err := j.flush(); err != nil {
		return err
	}
	return j.File.Sync(flags)
}

// Close closes the file. Bytes that are still gathered are dropped: they belong to a transaction
// that was rolled back.
func (j *journal) Close() error { return j.File.Close() }
