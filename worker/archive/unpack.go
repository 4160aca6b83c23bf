package archive

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"
)

// unfinishedFile is in the home while an archive is being unpacked. It holds the archive's name.
const unfinishedFile = ".mews-unpack"

// ErrNotEmpty is the error of Unpack for a folder that is neither empty nor unfinished.
var ErrNotEmpty = errors.New("the folder is not empty")

// UnpackOptions describe the archive to unpack.
type UnpackOptions struct {
	// Name names the archive, such as its SHA-256. After a crash, Unpack goes on only with an
	// archive of the same name.
	Name     string
	MaxNamed int // most entries in Result.LeftOut
	MaxText  int // most bytes of a path or a reason in Result.LeftOut
	// Without has the SHA-256 in hexadecimal of the paths of files that are left out.
	Without []string
}

// Unpack writes the files of an archive of Write into the empty folder home. The archive may be
// compressed by zstd. Unpack follows no link: it makes all links after all files. It gives up at
// the first member that can't be read. Until all is on disk, the file unfinishedFile stays in the
// home, and a repeat writes all files again.
//
// Unpack leaves out and lists members that are no file, folder or link below the home.
func Unpack(ctx context.Context, home string, r io.Reader, o UnpackOptions) (Result, error) {
	root, err := os.OpenRoot(home)
	if err != nil {
		return Result{}, fmt.Errorf("unpack into the home: %w", err)
	}
	defer root.Close() // each file was closed before, so an error of Close loses nothing
	u := &unpacker{ctx: ctx, root: root, without: o.Without}
	u.list.options = Options{MaxNamed: o.MaxNamed, MaxText: o.MaxText}
	if err := u.begin(o.Name); err != nil {
		return Result{}, fmt.Errorf("unpack into the home: %w", err)
	}
	members, end, err := decompress(r)
	if err == nil {
		err = u.unpack(tar.NewReader(members))
		end()
	}
	if err != nil {
		return Result{}, fmt.Errorf("unpack the archive: %w", err)
	}
	if err := u.finish(); err != nil {
		return Result{}, fmt.Errorf("end the unpacking: %w", err)
	}
	return u.list.result, nil
}

// zstdMagic begins what is compressed by zstd. (RFC 8878, 3.1.1)
const zstdMagic = "\x28\xb5\x2f\xfd"

// maxUnpackMemory bounds the memory of the decompression, in bytes.
const maxUnpackMemory = 16 << 20

// decompress returns a reader of the archive, and a function that ends it.
func decompress(r io.Reader) (members io.Reader, end func(), err error) {
	b := bufio.NewReader(r)
	// an archive that is too short for a magic is found by the tar's reader
	if magic, _ := b.Peek(len(zstdMagic)); string(magic) != zstdMagic {
		return b, func() {}, nil
	}
	z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxUnpackMemory),
		zstd.WithDecoderMaxMemory(maxUnpackMemory))
	if err != nil {
		return nil, nil, err
	}
	return z, z.Close, nil
}

// unpacker unpacks one archive.
type unpacker struct {
	ctx     context.Context
	root    *os.Root
	folders []*tar.Header // folders get their modes and times at the end
	links   []*tar.Header
	without []string
	list    archiver // only its list of names that are left out is used
}

// begin checks that the folder is empty, or was left by an unfinished call for the same archive.
func (u *unpacker) begin(name string) error {
	unfinished, err := u.root.ReadFile(unfinishedFile)
	if err == nil && string(unfinished) == name {
		return nil
	}
	entries, err := fs.ReadDir(u.root.FS(), ".")
	switch {
	case err != nil:
		return err
	case len(entries) == 1 && entries[0].Name() == unfinishedFile && len(unfinished) < len(name):
		// a crash came before the name was written
	case len(entries) > 0:
		return fmt.Errorf("%w: it has %q", ErrNotEmpty, entries[0].Name())
	}
	f, err := u.root.OpenFile(unfinishedFile, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(name)
	return errors.Join(err, f.Sync(), f.Close())
}

// unpack writes all members except links. An error is about the archive or the disk.
func (u *unpacker) unpack(members *tar.Reader) error {
	for {
		if u.ctx.Err() != nil {
			return context.Cause(u.ctx)
		}
		h, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name, below := strings.CutPrefix(path.Clean(h.Name), filesFolder+"/")
		if !below {
			continue // the list of what the archive lacks, the file history, or the home itself
		}
		h.Name = name
		if err := u.member(h, members); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
}

// member writes a file or a folder, or notes a link.
func (u *unpacker) member(h *tar.Header, content io.Reader) error {
	switch {
	case !filepath.IsLocal(h.Name) || h.Name == unfinishedFile:
		u.list.leaveOut(h.Name, "no file of a home has this name")
	case h.Typeflag == tar.TypeDir:
		if err := u.root.MkdirAll(h.Name, 0o700); err != nil {
			return err
		}
		u.folders = append(u.folders, h)
	case h.Typeflag == tar.TypeSymlink:
		u.links = append(u.links, h)
	case h.Typeflag == tar.TypeReg && u.isUnwanted(h.Name):
		u.list.leaveOut(h.Name, "it was deleted after it was saved")
	case h.Typeflag == tar.TypeReg:
		return u.file(h, content)
	default:
		u.list.leaveOut(h.Name, "it is neither a file nor a folder nor a link")
	}
	return nil
}

// isUnwanted reports whether a file is to be left out.
func (u *unpacker) isUnwanted(name string) bool {
	sum := sha256.Sum256([]byte(name))
	return len(u.without) > 0 && slices.Contains(u.without, hex.EncodeToString(sum[:]))
}

// file writes a file, in place of one that an unfinished call has left.
func (u *unpacker) file(h *tar.Header, content io.Reader) error {
	if err := u.root.MkdirAll(path.Dir(h.Name), 0o700); err != nil {
		return err
	}
	if err := u.root.Remove(h.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := u.root.OpenFile(h.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, content)
	if err = errors.Join(err, f.Chmod(h.FileInfo().Mode().Perm()), f.Close()); err != nil {
		return err
	}
	u.list.result.Files++
	u.list.result.Bytes += n
	return u.root.Chtimes(h.Name, time.Time{}, h.ModTime)
}

// finish makes the links, sets the folders' modes and times, waits for the disk, and removes
// unfinishedFile.
func (u *unpacker) finish() error {
	for _, h := range u.links {
		err := u.root.MkdirAll(path.Dir(h.Name), 0o700)
		if err == nil {
			err = u.link(h)
		}
		if err != nil {
			u.list.leaveOut(h.Name, err.Error())
		}
	}
	unix.Sync() // one call for all files: 10,000 calls of fsync take minutes on a slow disk
	for i := len(u.folders) - 1; i >= 0; i-- {
		h := u.folders[i]
		err := errors.Join(u.root.Chtimes(h.Name, time.Time{}, h.ModTime),
			u.root.Chmod(h.Name, h.FileInfo().Mode().Perm()))
		if err != nil {
			u.list.leaveOut(h.Name, err.Error())
		}
	}
	return u.root.Remove(unfinishedFile)
}

// link makes a link, unless an unfinished call has made it.
func (u *unpacker) link(h *tar.Header) error {
	if target, err := u.root.Readlink(h.Name); err == nil && target == h.Linkname {
		return nil
	}
	return u.root.Symlink(h.Linkname, h.Name)
}
