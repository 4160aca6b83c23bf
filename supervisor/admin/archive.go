package admin

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"mews/supervisor"
	"mews/supervisor/placement"
)

// pack writes all data of a user as a .tar.gz. The user's folder goes to files/ or files.tar, and
// the messages of the database to transcript.jsonl. The rows about the user's access go to
// settings.json. left-out.txt lists unreadable files. If history is
// set, files.tar has the home's file history too. pack follows no link. If the user has no folder,
// the archive has no files.
func (o *Service) pack(ctx context.Context, u supervisor.User, history bool, w io.Writer) error {
	zipped := gzip.NewWriter(w)
	p := &packer{tar: tar.NewWriter(zipped), history: history}
	if u.Home != "" {
		if err := o.packHome(ctx, u, p); err != nil {
			return err
		}
	}
	if err := o.packRecords(ctx, u, p); err != nil {
		return err
	}
	left := strings.Join(p.leftOut, "")
	return errors.Join(p.member("left-out.txt", int64(len(left)), strings.NewReader(left)), p.tar.Close(), zipped.Close())
}

// packHome adds a user's home. If the home belongs to another account than this process, or with
// its file history, a worker archives it.
func (o *Service) packHome(ctx context.Context, u supervisor.User, p *packer) error {
	if _, err := os.Lstat(u.Home); isForeign(u.Home) || p.history && err == nil {
		return o.packArchive(ctx, u, p)
	}
	home, err := os.OpenRoot(u.Home)
	if errors.Is(err, fs.ErrNotExist) { // no folder yet: Mews may make it only when the user first writes
		p.leave(u.Home, textNoHome)
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the folder of %s: %w", u.Name, err)
	}
	defer home.Close()
	p.home = home
	if err := p.files(ctx); err != nil {
		return fmt.Errorf("pack the files of %s: %w", u.Name, err)
	}
	return nil
}

// isForeign reports whether a folder belongs to another account, whose closed files this process
// can't read.
func isForeign(folder string) bool {
	info, err := os.Stat(folder)
	return err == nil && os.Geteuid() != 0 && placement.OwnerUID(info) != uint32(os.Geteuid())
}

// packArchive adds a home's archive as one member, files.tar. A worker made the archive, so this
// process does not open it.
func (o *Service) packArchive(ctx context.Context, u supervisor.User, p *packer) error {
	a, err := o.Archive(ctx, u.Name, p.history)
	if err != nil {
		return &supervisor.Error{Code: supervisor.ErrorCodeOf(err), Message: o.workerFault(err), Err: err}
	}
	defer a.Close()
	p.leftOut = append(p.leftOut, a.LeftOut...)
	return p.member("files.tar", a.Size, a)
}

// packRecords adds the user's rows of the database. It writes the rows to a temporary file first,
// because a tar has each file's size before its content.
func (o *Service) packRecords(ctx context.Context, u supervisor.User, p *packer) error {
	r, err := o.accessRecords(ctx)
	if err != nil {
		return err
	}
	settings, err := json.MarshalIndent(o.describe(u, r), "", "  ")
	if err != nil {
		return err
	}
	settings = append(settings, '\n')
	if err := p.member("settings.json", int64(len(settings)), bytes.NewReader(settings)); err != nil {
		return err
	}
	file, err := os.CreateTemp("", "mews-export-*")
	if err != nil {
		return fmt.Errorf("export %s: %w", u.Name, err)
	}
	defer file.Close()
	if err := os.Remove(file.Name()); err != nil { // the open file keeps its data without a name until it is closed
		return fmt.Errorf("export %s: %w", u.Name, err)
	}
	if err := o.Store.People.Export(ctx, u.Name, file); err != nil {
		return err
	}
	size, err := file.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("export %s: %w", u.Name, err)
	}
	return p.member("transcript.jsonl", size, file)
}

// packer writes an archive.
type packer struct {
	tar     *tar.Writer
	home    *os.Root // the folder whose files are being added
	leftOut []string // lines about unreadable files
	history bool     // the archive has the home's file history too
}

// member adds a file with mode 0600 to the archive.
func (p *packer) member(name string, size int64, from io.Reader) error {
	if err := p.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size}); err != nil {
		return err
	}
	_, err := io.Copy(p.tar, from)
	return err
}

func (p *packer) files(ctx context.Context) error {
	return fs.WalkDir(p.home.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			p.leave(name, err.Error())
			return nil
		}
		return p.entry(name, entry)
	})
}

func (p *packer) leave(name, why string) {
	p.leftOut = append(p.leftOut, fmt.Sprintf("%q: %s\n", name, why))
}

// entry adds one file, folder or link of the home. It leaves out unreadable files, and returns only
// errors of the archive.
func (p *packer) entry(name string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		p.leave(name, err.Error())
		return nil
	}
	h := &tar.Header{Name: path.Join("files", name), Mode: int64(info.Mode().Perm()), ModTime: info.ModTime()}
	switch {
	case info.IsDir():
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
		return p.tar.WriteHeader(h)
	case info.Mode()&fs.ModeSymlink != 0:
		if h.Linkname, err = p.home.Readlink(name); err != nil {
			p.leave(name, err.Error())
			return nil
		}
		h.Typeflag = tar.TypeSymlink
		return p.tar.WriteHeader(h)
	case info.Mode().IsRegular():
		return p.file(name, h)
	}
	p.leave(name, "it is neither a file nor a folder nor a link")
	return nil
}

// file adds a file with its current length. If the file becomes shorter meanwhile, zeros replace
// the missing bytes. Bytes that the file gains are left out.
func (p *packer) file(name string, h *tar.Header) error {
	// without O_NONBLOCK, opening a pipe that has replaced the file would block
	f, err := p.home.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		p.leave(name, err.Error())
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		p.leave(name, "it is no file any more")
		return nil
	}
	h.Typeflag, h.Size = tar.TypeReg, info.Size()
	if err := p.tar.WriteHeader(h); err != nil {
		return err
	}
	n, err := io.CopyN(p.tar, f, h.Size)
	if err == nil {
		return nil
	}
	if n < h.Size {
		p.leave(name, fmt.Sprintf("from byte %d on it could not be read (%v)", n, err))
		_, err = io.CopyN(p.tar, zeros{}, h.Size-n)
	}
	return err
}

// zeros is an endless reader of zero bytes.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
