package workspace

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
)

// Restorer restores many paths to earlier states. It follows no link, and asks the quota before
// each file. Close makes all changes durable together. One goroutine uses it.
//
// A folder that its owner may not change is opened for the owner until Mode or Close.
type Restorer struct {
	ws     *Workspace
	folder *os.Root // the folder that was used last
	at     string   // its path; "" means none
	used   bool     // whether anything may have changed
	// writable means that the folder was opened for its owner
	writable bool
	// opened has the earlier permissions of the folders that were opened for their owner
	opened map[string]fs.FileMode
}

// StartRestore starts a restore. The caller calls Close.
func (w *Workspace) StartRestore() *Restorer {
	return &Restorer{ws: w, opened: map[string]fs.FileMode{}}
}

// RestoredFile is a file for Restorer.File.
type RestoredFile struct {
	Content  io.Reader
	Size     int64
	Mode     fs.FileMode
	Modified time.Time
	Sparse   bool // leave holes for blocks of zeros
	// Check is called right before the file gets its place. Its error leaves the path as it is. nil
	// means no check.
	Check func() error
}

// File makes the path hold exactly the file. It replaces anything except a folder. The folder of
// the path must exist.
func (r *Restorer) File(name string, f RestoredFile) error {
	return wrapError("put back", name, r.file(name, f))
}

func (r *Restorer) file(name string, f RestoredFile) error {
	folder, err := r.openToChange(path.Dir(name))
	if err != nil {
		return err
	}
	base := path.Base(name)
	old, err := folder.Lstat(base)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if old != nil && old.IsDir() {
		return syscall.EISDIR
	}
	if f.Size > maxFileSize() {
		return ErrFileTooLarge
	}
	return r.ws.withinQuota(growth(old, f.Size), func() error {
		temporary := TemporaryPrefix + rand.Text() + TemporarySuffix
		err := writeRestored(folder, temporary, f)
		if err == nil {
			err = r.ws.change(func() error {
				if f.Check != nil {
					if err := f.Check(); err != nil {
						return err
					}
				}
				return folder.Rename(temporary, base)
			}, name)
		}
		if err != nil {
			return errors.Join(err, ignoreMissing(folder.Remove(temporary)))
		}
		return nil
	})
}

// writeRestored makes a new file without a sync.
func writeRestored(folder *os.Root, name string, f RestoredFile) error {
	to, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFile)
	if err != nil {
		return err
	}
	w := &sparseWriter{file: to, sparse: f.Sparse}
	n, err := io.CopyBuffer(struct{ io.Writer }{w}, f.Content, make([]byte, min(f.Size+1, 1<<20)))
	if err == nil && n != f.Size {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		err = w.finish()
	}
	if err == nil {
		err = to.Chmod(f.Mode.Perm())
	}
	err = errors.Join(err, to.Close())
	if err == nil && !f.Modified.IsZero() {
		err = folder.Chtimes(name, time.Time{}, f.Modified)
	}
	return err
}

// sparseWriter skips blocks of zeros, so that they become holes.
type sparseWriter struct {
	file   *os.File
	sparse bool
	at     int64
}

var zeros [diskBlock]byte

func (w *sparseWriter) Write(p []byte) (int, error) {
	if !w.sparse {
		n, err := w.file.WriteAt(p, w.at)
		w.at += int64(n)
		return n, err
	}
	for done := 0; done < len(p); {
		n := min(diskBlock-int(w.at%diskBlock), len(p)-done)
		if b := p[done : done+n]; string(b) != string(zeros[:n]) {
			if _, err := w.file.WriteAt(b, w.at); err != nil {
				return done, err
			}
		}
		w.at += int64(n)
		done += n
	}
	return len(p), nil
}

// finish sets the length of a file that ends in a hole.
func (w *sparseWriter) finish() error {
	if !w.sparse {
		return nil
	}
	return w.file.Truncate(w.at)
}

// Link makes the path a symbolic link. It replaces anything except a folder.
func (r *Restorer) Link(name, target string) error {
	folder, err := r.openToChange(path.Dir(name))
	if err == nil {
		err = r.ws.change(func() error {
			temporary := TemporaryPrefix + rand.Text() + TemporarySuffix
			if err := folder.Symlink(target, temporary); err != nil {
				return err
			}
			if err := folder.Rename(temporary, path.Base(name)); err != nil {
				return errors.Join(err, folder.Remove(temporary))
			}
			return nil
		}, name)
	}
	return wrapError("put back", name, err)
}

// Remove removes a file, a link or an empty folder for good. A missing path is no error.
func (r *Restorer) Remove(name string) error {
	folder, err := r.openToChange(path.Dir(name))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return wrapError("remove", name, err)
	}
	info, err := folder.Lstat(path.Base(name))
	if err == nil {
		err = r.ws.change(func() error { return folder.Remove(path.Base(name)) }, name)
	}
	if err == nil && !info.IsDir() {
		r.ws.quota.RecordGrowth(-diskSize(info.Size()))
	}
	if err == nil {
		delete(r.opened, name)
		if r.at != "" && isOrIsBelow(r.at, name) {
			r.leave()
		}
	}
	return wrapError("remove", name, ignoreMissing(err))
}

func isOrIsBelow(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

// Close closes folders that were opened for their owners, and makes all changes durable.
func (r *Restorer) Close() error {
	err := r.closeOpened()
	r.leave()
	if !r.used {
		return err
	}
	f, lost := r.ws.root.Open(".")
	if lost != nil {
		return errors.Join(err, lost)
	}
	return errors.Join(err, wrapError("put back", ".", errors.Join(syncFileSystem(f), f.Close())))
}

// Stat describes a path, without following a link at its end.
func (r *Restorer) Stat(name string) (fs.FileInfo, error) {
	folder, err := r.open(path.Dir(name))
	if err != nil {
		return nil, err
	}
	return folder.Lstat(path.Base(name))
}
