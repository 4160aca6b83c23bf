// Package archive writes all files of a user's home to a tar.
package archive

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

// Names in an archive.
const (
	filesFolder = "files" // folder with the contents of the home
	// file with a line for each name of the home that is left out or incomplete
	leftOutFile = "left-out.txt"
)

// Sizes in an archive, in bytes.
const (
	block = 512 // a tar consists of blocks of this size
	// maxLeftOut bounds the text of leftOutFile. If more names are left out, the last line of
	// leftOutFile has their number.
	maxLeftOut = 256 << 10
	// reservedBytes is kept free for leftOutFile and the end of the archive, which is two blocks.
	reservedBytes = maxLeftOut + 4<<10
	// minSparse is the smallest size of a sparse file that is moved to the end of the archive.
	minSparse = 1 << 20
)

// Result describes the contents of an archive.
type Result struct {
	Files   int64 // number of regular files
	Bytes   int64 // sum of the regular files' sizes in bytes
	LeftOut []OmittedFile
	More    int64 // number of omitted names that LeftOut does not list
	Full    bool  // whether a name was left out because it did not fit
}

// OmittedFile is a name of the home that the archive lacks or has only in part.
type OmittedFile struct {
	Path   string
	Reason string
}

// Options bound an archive.
type Options struct {
	MaxBytes int64 // maximum size of the tar, above 1 MiB; a file that does not fit is left out
	MaxNamed int   // most entries in Result.LeftOut
	MaxText  int   // most bytes of a path or a reason in Result.LeftOut
	// More adds members after the home's files; nil adds none. Its error ends the archive.
	More func(m Members) error
}

// Write writes the contents of the folder home to w as a tar. It follows no link and keeps links as
// links. An error concerns the home as a whole, w or ctx.
//
// Write leaves out and lists names that cannot be read, do not fit, or are no file, folder or link.
// A file is archived with the size that it has when it is opened. If the file becomes shorter
// meanwhile, zeros replace the missing bytes. Bytes that are added meanwhile are left out.
func Write(ctx context.Context, home string, w io.Writer, o Options) (Result, error) {
	root, err := os.OpenRoot(home)
	if err != nil {
		return Result{}, fmt.Errorf("archive the home: %w", err)
	}
	defer root.Close() // the folder was only read, so an error of Close loses nothing
	a := &archiver{ctx: ctx, root: root, options: o, room: o.MaxBytes - reservedBytes}
	a.tar = tar.NewWriter(w)
	if err := fs.WalkDir(root.FS(), ".", a.visit); err != nil {
		return Result{}, fmt.Errorf("archive the home: %w", err)
	}
	for _, name := range a.sparse {
		if err := a.addLast(name); err != nil {
			return Result{}, fmt.Errorf("archive %q: %w", name, err)
		}
	}
	if o.More != nil {
		if err := o.More(Members{a}); err != nil {
			return Result{}, fmt.Errorf("archive more than the home: %w", err)
		}
	}
	if err := errors.Join(a.addLeftOut(), a.tar.Close()); err != nil {
		return Result{}, fmt.Errorf("end the archive: %w", err)
	}
	return a.result, nil
}

// archiver writes one archive.
type archiver struct {
	ctx     context.Context
	root    *os.Root
	tar     *tar.Writer
	options Options
	room    int64    // bytes that may still be written, without reservedBytes
	sparse  []string // sparse files come last, so that they take no other file's room
	leftOut strings.Builder
	unnamed int64 // number of names that had no room in leftOut
	result  Result
}

func (a *archiver) visit(name string, entry fs.DirEntry, err error) error {
	if a.ctx.Err() != nil {
		return context.Cause(a.ctx)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = entry.Info()
	}
	if err != nil {
		a.leaveOut(name, err.Error())
		return nil
	}
	if isSparse(info) {
		a.sparse = append(a.sparse, name)
		return nil
	}
	return a.add(name, info)
}

// isSparse reports whether the disk holds less than half of a large file. The holes do not count
// toward the home's quota.
func isSparse(info fs.FileInfo) bool {
	stat, known := info.Sys().(*syscall.Stat_t)
	return known && info.Mode().IsRegular() && info.Size() >= minSparse && stat.Blocks*block < info.Size()/2
}

// addLast adds a sparse file, which the walk has left for the end.
func (a *archiver) addLast(name string) error {
	if a.ctx.Err() != nil {
		return context.Cause(a.ctx)
	}
	info, err := a.root.Lstat(name)
	if err != nil {
		a.leaveOut(name, err.Error())
		return nil
	}
	return a.add(name, info)
}

// add adds one name. An error means that the archive could not be written.
func (a *archiver) add(name string, info fs.FileInfo) error {
	h := &tar.Header{Name: path.Join(filesFolder, name), Mode: int64(info.Mode().Perm()), ModTime: info.ModTime()}
	switch {
	case info.IsDir():
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := a.root.Readlink(name)
		if err != nil {
			a.leaveOut(name, err.Error())
			return nil
		}
		h.Typeflag, h.Linkname = tar.TypeSymlink, target
	case info.Mode().IsRegular():
		return a.addFile(name, h)
	default:
		a.leaveOut(name, "it is neither a file nor a folder nor a link")
		return nil
	}
	_, err := a.writeHeader(name, h)
	return err
}

// writeHeader begins a member if it fits. The result written is false if the member was left out.
func (a *archiver) writeHeader(name string, h *tar.Header) (written bool, err error) {
	// A name that is too long for a header needs a separate header and records.
	need := 3*block + roundToBlocks(int64(len(h.Name)+len(h.Linkname))+block) + roundToBlocks(h.Size)
	if need > a.room {
		a.result.Full = true
		a.leaveOut(name, fmt.Sprintf("its %d bytes do not fit: the archive may have %d bytes", h.Size, a.options.MaxBytes))
		return false, nil
	}
	a.room -= need
	return true, a.tar.WriteHeader(h)
}

// roundToBlocks rounds n up to whole blocks.
func roundToBlocks(n int64) int64 { return (n + block - 1) / block * block }

// addFile adds a regular file with the size that it has now.
func (a *archiver) addFile(name string, h *tar.Header) error {
	// Without O_NONBLOCK, opening a pipe that has replaced the file would wait.
	f, err := a.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		a.leaveOut(name, err.Error())
		return nil
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		a.leaveOut(name, "it is no file any more")
		return nil
	}
	h.Typeflag, h.Size = tar.TypeReg, info.Size()
	if written, err := a.writeHeader(name, h); err != nil || !written {
		return err
	}
	a.result.Files++
	a.result.Bytes += h.Size
	n, err := io.CopyN(a.tar, f, h.Size)
	if err == nil || n == h.Size {
		return err
	}
	a.leaveOut(name, fmt.Sprintf("from byte %d on it could not be read (%v)", n, err))
	_, err = io.CopyN(a.tar, zeroReader{}, h.Size-n)
	return err
}

// zeroReader is a reader that gives zeros without end.
type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// leaveOut notes that a name is left out.
func (a *archiver) leaveOut(name, reason string) {
	line := fmt.Sprintf("%q: %s\n", name, reason)
	if a.leftOut.Len()+len(line) <= maxLeftOut-100 { // keep room for the last line
		a.leftOut.WriteString(line)
	} else {
		a.unnamed++
	}
	if len(a.result.LeftOut) < a.options.MaxNamed {
		a.result.LeftOut = append(a.result.LeftOut, OmittedFile{a.shorten(name), a.shorten(reason)})
	} else {
		a.result.More++
	}
}

// shorten returns the beginning of a text as valid UTF-8.
func (a *archiver) shorten(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > a.options.MaxText {
		text = strings.ToValidUTF8(text[:a.options.MaxText], "")
	}
	return text
}

// addLeftOut adds the list of names that were left out.
func (a *archiver) addLeftOut() error {
	if a.unnamed > 0 {
		fmt.Fprintf(&a.leftOut, "and %d more\n", a.unnamed)
	}
	text := a.leftOut.String()
	err := a.tar.WriteHeader(&tar.Header{Name: leftOutFile, Mode: 0o600, Size: int64(len(text))})
	if err == nil {
		_, err = io.WriteString(a.tar, text)
	}
	return err
}
