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
type Restorer struct {
	ws     *Workspace
	folder *os.Root // the folder that was used last
	at     string   // its path; "" means none
	used   bool     // whether anything may have changed
}

// StartRestore starts a restore. The caller calls Close.
func (w *Workspace) StartRestore() *Restorer { return &Restorer{ws: w} }

// RestoredFile is a file for Restorer.File.
type RestoredFile struct {
	Content  io.Reader
	Size     int64
	Mode     fs.FileMode
	Modified time.Time
	Sparse   bool // leave holes for blocks of zeros
}

// File makes the path hold exactly the file. It replaces anything except a folder. The folder of
// the path must exist.
func (r *Restorer) File(name string, f RestoredFile) error {
	return wrapError("put back", name, r.file(name, f))
}

func (r *Restorer) file(name string, f RestoredFile) error {
	folder, err := r.open(path.Dir(name))
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
			err = r.ws.change(func() error { return folder.Rename(temporary, base) }, name)
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

// Folder makes a folder unless there is one, and sets its mode. Its own folder must exist.
func (r *Restorer) Folder(name string, mode fs.FileMode) error {
	folder, err := r.open(path.Dir(name))
	if err != nil {
		return wrapError("put back", name, err)
	}
	base := path.Base(name)
	err = r.ws.change(func() error { return folder.Mkdir(base, mode.Perm()|ownerAll) }, name)
	if errors.Is(err, fs.ErrExist) {
		if info, lost := folder.Lstat(base); lost != nil || !info.IsDir() {
			return wrapError("put back", name, errors.Join(syscall.ENOTDIR, lost))
		}
		err = nil
	}
	return wrapError("put back", name, err)
}

// ownerAll lets the owner fill a folder. Mode later sets the folder's own mode.
const ownerAll fs.FileMode = 0o700

// Link makes the path a symbolic link. It replaces anything except a folder.
func (r *Restorer) Link(name, target string) error {
	folder, err := r.open(path.Dir(name))
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
	folder, err := r.open(path.Dir(name))
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
	if err == nil && r.at != "" && isOrIsBelow(r.at, name) {
		r.leave()
	}
	return wrapError("remove", name, ignoreMissing(err))
}

// Mode sets the permissions of a file or folder.
func (r *Restorer) Mode(name string, mode fs.FileMode) error {
	folder, err := r.open(path.Dir(name))
	if err == nil {
		var info fs.FileInfo
		if info, err = folder.Lstat(path.Base(name)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			err = ErrIsLink
		}
	}
	if err == nil {
		err = r.ws.change(func() error { return folder.Chmod(path.Base(name), mode.Perm()) }, name)
	}
	return wrapError("put back", name, err)
}

func isOrIsBelow(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

// open opens a folder, one folder of its path after the other. None of them may be a link. It keeps
// the last folder open.
func (r *Restorer) open(name string) (*os.Root, error) {
	if r.folder != nil && r.at == name {
		return r.folder, nil
	}
	r.leave()
	at, err := r.ws.root.OpenRoot(".")
	if name != "." {
		for part := range strings.SplitSeq(name, "/") {
			if err != nil {
				return nil, err
			}
			at, err = openStep(at, part)
		}
	}
	if err != nil {
		return nil, err
	}
	r.folder, r.at, r.used = at, name, true
	return at, nil
}

// openStep opens a folder in a folder, which it closes.
func openStep(at *os.Root, name string) (*os.Root, error) {
	defer at.Close()
	info, err := at.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, ErrIsLink
	case !info.IsDir():
		return nil, syscall.ENOTDIR
	}
	below, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := below.Stat(".")
	if err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(ErrIsLink, err, below.Close())
	}
	return below, nil
}

func (r *Restorer) leave() {
	if r.folder != nil {
		_ = r.folder.Close() // it was only used to reach files
		r.folder, r.at = nil, ""
	}
}

// Close makes all changes durable.
func (r *Restorer) Close() error {
	r.leave()
	if !r.used {
		return nil
	}
	f, err := r.ws.root.Open(".")
	if err != nil {
		return err
	}
	return wrapError("put back", ".", errors.Join(syncFileSystem(f), f.Close()))
}

// Stat describes a path, without following a link at its end.
func (r *Restorer) Stat(name string) (fs.FileInfo, error) {
	folder, err := r.open(path.Dir(name))
	if err != nil {
		return nil, err
	}
	return folder.Lstat(path.Base(name))
}
