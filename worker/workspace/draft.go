package workspace

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"strings"
	"syscall"
)

const (
	draftStep = 1 << 20 // number of bytes for which a growing draft asks the quota each time
	maxSame   = 1000    // maximum number of names that a draft tries
)

// ErrIsLink refuses a folder that is a symbolic link.
var ErrIsLink = errors.New("it is a link, and not a folder of its own")

// ErrFileTooLarge refuses a file larger than this process may write. The system would end the
// process at such a write.
var ErrFileTooLarge = errors.New("it is larger than a file may be here")

// maxFileSize returns the largest size of a file that this process may write, in bytes
// (RLIMIT_FSIZE).
func maxFileSize() int64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit) != nil {
		return math.MaxInt64
	}
	return int64(min(uint64(limit.Cur), math.MaxInt64))
}

// Draft is a file that one goroutine writes piece by piece. It is a temporary file until CommitAs
// gives it a name. The caller closes it.
type Draft struct {
	ws        *Workspace
	dir       string
	folder    *os.Root
	file      *os.File
	temporary string // name of the temporary file; "" once the draft was kept or removed
	kept      string // name of the kept file, in its folder; "" before CommitAs
	sum       hash.Hash
	size      int64
	room      int64 // size that the quota has allowed for the file, in bytes
}

// NewDraft begins a file in the folder dir, and makes dir if it is missing. No part of dir may be a
// link. size is the expected number of bytes, for the quota. The rules do not apply here: the file
// is the user's own and not a tool's.
func (w *Workspace) NewDraft(dir string, size int64) (*Draft, error) {
	d := &Draft{ws: w, sum: sha256.New()}
	if err := d.open(dir, size); err != nil {
		return nil, wrapError("write to", dir, err)
	}
	return d, nil
}

func (d *Draft) open(dir string, size int64) (err error) {
	if d.dir, err = clean(d.ws.dir, dir); err != nil {
		return err
	}
	if err := checkFolders(d.ws.root, d.dir); err != nil {
		return err
	}
	if err := d.reserve(size); err != nil {
		return err
	}
	if d.folder, err = openOrMake(d.ws.root, d.dir, newFolder); err != nil {
		return err
	}
	name := TemporaryPrefix + rand.Text() + TemporarySuffix
	if d.file, err = d.folder.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, newFile); err != nil {
		return errors.Join(err, d.folder.Close())
	}
	d.temporary = name
	return nil
}

// checkFolders refuses a path if a part of it exists and is not a folder.
func checkFolders(root *os.Root, name string) error {
	at := "."
	for part := range strings.SplitSeq(name, "/") {
		at = path.Join(at, part)
		info, err := root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			return ErrIsLink
		case !info.IsDir():
			return syscall.ENOTDIR
		}
	}
	return nil
}

// reserve asks the quota for a size.
func (d *Draft) reserve(size int64) error {
	if size <= d.room {
		return nil
	}
	d.room = size
	if size > maxFileSize() {
		return ErrFileTooLarge
	}
	return d.ws.quota.CheckGrowth(diskSize(size))
}

// Write adds to the file. It asks the quota for bytes beyond the expected size.
func (d *Draft) Write(p []byte) (int, error) {
	if size := d.size + int64(len(p)); size > d.room {
		if err := d.reserve(size + draftStep); err != nil {
			return 0, wrapError("write to", d.dir, err)
		}
	}
	n, err := d.file.Write(p)
	d.sum.Write(p[:n])
	d.size += int64(n)
	return n, wrapError("write to", d.dir, err)
}

// Size returns the number of written bytes.
func (d *Draft) Size() int64 { return d.size }

// SHA256 returns the SHA-256 of the written bytes, in hex.
func (d *Draft) SHA256() string { return hex.EncodeToString(d.sum.Sum(nil)) }

// File returns the open file for reading. It has all written bytes, even if CommitAs has found the
// same bytes in another file.
func (d *Draft) File() *os.File { return d.file }

// Reopen opens the kept file again, for reading only. The caller closes it.
func (d *Draft) Reopen() (*os.File, error) {
	f, err := openRegular(d.folder, d.kept, os.O_RDONLY)
	return f, wrapError("read", path.Join(d.dir, d.kept), err)
}

// CommitAs names the file and returns its path. If the name is taken by a file with the same bytes,
// CommitAs returns the path of that file. If it is taken by another file, the draft gets a numbered
// name, such as name-2.pdf. When CommitAs returns, the file is on the disk.
func (d *Draft) CommitAs(name string) (string, error) {
	kept, err := d.keep(name)
	return kept, wrapError("write", path.Join(d.dir, name), err)
}

func (d *Draft) keep(name string) (string, error) {
	if err := d.file.Sync(); err != nil {
		return "", err
	}
	for n := 1; n <= maxSame; n++ {
		try := numberedName(name, n)
		err := d.ws.change(func() error { return rename(d.folder, d.temporary, d.folder, try, true) }, path.Join(d.dir,
			try))
		if err == nil {
			d.temporary, d.kept = "", try
			d.ws.quota.RecordGrowth(diskSize(d.size))
			return path.Join(d.dir, try), syncFolder(d.folder)
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		if d.hasSameBytes(try) {
			d.kept = try
			return path.Join(d.dir, try), d.remove()
		}
	}
	return "", fs.ErrExist
}

// numberedName returns a name with a number from 2 on before its extension.
func numberedName(name string, n int) string {
	if n == 1 {
		return name
	}
	extension := path.Ext(name)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, extension), n, extension)
}

// hasSameBytes reports whether a file in the draft's folder has the same bytes. An unreadable file
// counts as different.
func (d *Draft) hasSameBytes(name string) bool {
	info, err := d.folder.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != d.size {
		return false
	}
	f, err := openRegular(d.folder, name, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return err == nil && bytes.Equal(sum.Sum(nil), d.sum.Sum(nil))
}

// remove removes the temporary file, unless it has been renamed or removed.
func (d *Draft) remove() error {
	name := d.temporary
	if d.temporary = ""; name == "" {
		return nil
	}
	return ignoreMissing(d.folder.Remove(name))
}

// Close closes the file, and removes it if it was not kept.
func (d *Draft) Close() error { return errors.Join(d.remove(), d.file.Close(), d.folder.Close()) }
