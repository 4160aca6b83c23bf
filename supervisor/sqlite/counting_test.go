package sqlite

import (
	"sync/atomic"
	"testing"

	"github.com/ncruces/go-sqlite3/vfs"

	"mews/supervisor/internal/engine"
)

// IOCounts counts the system calls on a database's files. These are pread64, pwrite64, fdatasync
// and fcntl on Linux.
type IOCounts struct{ reads, writes, syncs, locks atomic.Int64 }

// OptionsWithIOCounts returns options for a database whose system calls are counted. Only one such
// database may be open at a time.
func OptionsWithIOCounts() (Options, *IOCounts) {
	c := &IOCounts{}
	vfs.Register("mews-counted", engine.NewGatheringVFS(countingVFS{vfs.Find("").(vfs.VFSFilename), c}))
	return Options{vfs: "mews-counted"}, c
}

// Reset sets the counts to 0.
func (c *IOCounts) Reset() {
	for _, n := range []*atomic.Int64{&c.reads, &c.writes, &c.syncs, &c.locks} {
		n.Store(0)
	}
}

// ReportCounts reports the counts of system calls per operation. The argument n is the number of
// operations.
func (c *IOCounts) ReportCounts(b *testing.B, n int) {
	for unit, calls := range map[string]*atomic.Int64{"pread/op": &c.reads, "pwrite/op": &c.writes, "fdatasync/op": &c.syncs,
		"fcntl/op": &c.locks} {
		b.ReportMetric(float64(calls.Load())/float64(n), unit)
	}
}

type countingVFS struct {
	vfs.VFSFilename
	counts *IOCounts
}

func (v countingVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := v.VFSFilename.OpenFilename(name, flags)
	if err != nil {
		return nil, flags, err
	}
	return &countingFile{f, v.counts}, flags, nil
}

type countingFile struct {
	vfs.File
	counts *IOCounts
}

func (f *countingFile) ReadAt(p []byte, at int64) (int, error) {
	f.counts.reads.Add(1)
	return f.File.ReadAt(p, at)
}

func (f *countingFile) WriteAt(p []byte, at int64) (int, error) {
	f.counts.writes.Add(1)
	return f.File.WriteAt(p, at)
}

func (f *countingFile) Sync(flags vfs.SyncFlag) error {
	f.counts.syncs.Add(1)
	return f.File.Sync(flags)
}

func (f *countingFile) Lock(level vfs.LockLevel) error {
	f.counts.locks.Add(1)
	return f.File.Lock(level)
}

func (f *countingFile) Unlock(level vfs.LockLevel) error {
	f.counts.locks.Add(1)
	return f.File.Unlock(level)
}
