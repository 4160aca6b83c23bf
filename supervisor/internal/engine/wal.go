package engine

import (
	"github.com/ncruces/go-sqlite3/vfs"
)

// vfsName is how SQLite reaches its files here: as it does without, but for the journal.
const vfsName = "mews"

func init() { vfs.Register(vfsName, GatherJournal(vfs.Find("").(vfs.VFSFilename))) }

// GatherJournal is a way to files that has the journal's pages be gathered.
func GatherJournal(files vfs.VFSFilename) vfs.VFS { return gatheringVFS{files} }

// gatheringVFS has what SQLite writes to its journal one after another be one write to the disk: by
// itself it is two for each page of a transaction.
type gatheringVFS struct{ vfs.VFSFilename }

// OpenFilename opens a file as its own VFS does.
func (v gatheringVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := v.VFSFilename.OpenFilename(name, flags)
	if err == nil && flags&vfs.OPEN_WAL != 0 {
		f = &journal{File: f}
	}
	return f, flags, err
}

// maxGathered is how many bytes are held back at most.
const maxGathered = 256 << 10

// journal is the write-ahead log. What is held back is written before it is synced, read or cut
// off: SQLite takes no page from it, and promises none, that is not in the file. Nobody else has
// the file open.
type journal struct {
	vfs.File
	held []byte // held back
	at   int64  // where it begins in the file
}

// WriteAt holds back what comes right behind what was held back before.
func (j *journal) WriteAt(p []byte, at int64) (int, error) {
	if len(j.held) > 0 && at != j.at+int64(len(j.held)) || len(j.held)+len(p) > maxGathered {
		if err := j.flush(); err != nil {
			return 0, err
		}
	}
	if len(j.held) == 0 {
		j.at = at
	}
	j.held = append(j.held, p...)
	return len(p), nil
}

// flush writes what is held back. What fails is not tried again: SQLite writes it anew, or gives
// the transaction up.
func (j *journal) flush() error {
	if len(j.held) == 0 {
		return nil
	}
	held := j.held
	j.held = held[:0]
	_, err := j.File.WriteAt(held, j.at)
	return err
}

// ReadAt, Size, Truncate and Sync are the file's, once what is held back is in it.
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

// Close closes the file; what is held back then belongs to a transaction that was given up.
func (j *journal) Close() error { return j.File.Close() }
