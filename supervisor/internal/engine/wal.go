package engine

import (
	"github.com/ncruces/go-sqlite3/vfs"
)

// vfsName is the VFS of the engine: SQLite's own, except for the journal.
const vfsName = "mews"

func init() { vfs.Register(vfsName, GatherJournal(vfs.Find("").(vfs.VFSFilename))) }

// GatherJournal returns a VFS that gathers the journal's pages before it writes them.
func GatherJournal(files vfs.VFSFilename) vfs.VFS { return gatheringVFS{files} }

// gatheringVFS merges consecutive writes to the journal into one write to the disk. SQLite makes
// two for each page of a transaction.
type gatheringVFS struct{ vfs.VFSFilename }

// OpenFilename opens a file as its own VFS does.
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
// truncated. So SQLite reads no page, and promises none, that is not in the file. Nobody else has
// the file open.
type journal struct {
	vfs.File
	gathered []byte // gathered bytes
	offset   int64  // their offset in the file
}

// WriteAt gathers bytes that directly follow the gathered ones.
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

// flush writes the gathered bytes. It does not repeat a failed write: SQLite writes them again, or
// gives up the transaction.
func (j *journal) flush() error {
	if len(j.gathered) == 0 {
		return nil
	}
	held := j.gathered
	j.gathered = held[:0]
	_, err := j.File.WriteAt(held, j.offset)
	return err
}

// ReadAt, Size, Truncate and Sync use the file after flushing the gathered bytes.
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

// Close closes the file. Bytes that are still gathered belong to a transaction that was given up.
func (j *journal) Close() error { return j.File.Close() }
