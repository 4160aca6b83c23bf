// Package spool stores bytes under their hash: outputs that are too long for the transcript, and
// files to and from users. A stored file is always complete.
package spool

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"mews/protocol"
)

// unfinishedPrefix begins the names of files that are being written. The regular sweep of the spool
// removes such files after a crash.
const unfinishedPrefix = "new-"

// Retention is how long a file is kept after it was last written.
const Retention = 7 * 24 * time.Hour

// MaxTurnBytes is the maximum size of all blobs that the turns of one user keep, in bytes.
const MaxTurnBytes = 256 << 20

// reserve is how many bytes of the disk the spool leaves free, above all for the database.
const reserve = 256 << 20

var (
	// ErrBlobGone is returned for bytes that are no longer stored.
	ErrBlobGone = errors.New("not kept any more")
	// ErrFull is returned while the disk has little room left. Users read the same text as for a
	// full disk.
	ErrFull = fmt.Errorf("the disk of the spool is nearly full: %w", syscall.ENOSPC)
)

// Spool is a folder of files named by hash. Its methods may be called from any goroutine.
type Spool struct {
	root *os.Root
	free func(dir string) (int64, error)
}

// Open opens the spool in dir, and makes dir if it is missing. The caller closes the spool.
func Open(dir string) (*Spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the spool: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the spool: %w", err)
	}
	return &Spool{root: root, free: freeBytes}, nil
}

// Close closes the folder.
func (s *Spool) Close() error { return s.root.Close() }

// NewWriter begins a file, or returns ErrFull. The caller ends it with Commit or Discard.
func (s *Spool) NewWriter() (*Writer, error) {
	if err := s.room(); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(s.root.Name(), unfinishedPrefix)
	if err != nil {
		return nil, fmt.Errorf("create in the spool: %w", err)
	}
	return &Writer{spool: s, file: f, hash: sha256.New()}, nil
}

// StoreBytes stores bytes under their hash. name only appears in errors.
func (s *Spool) StoreBytes(name string, content []byte) (protocol.BlobRef, error) {
	f, err := s.NewWriter()
	if err != nil {
		return protocol.BlobRef{}, err
	}
	if _, err := f.Write(content); err != nil {
		return protocol.BlobRef{}, fmt.Errorf("keep %s: %w", name, errors.Join(err, f.Discard()))
	}
	return f.Commit()
}

// FreeSpace returns how many bytes the spool may take before ErrFull.
func (s *Spool) FreeSpace() (int64, error) {
	free, err := s.free(s.root.Name())
	if err != nil {
		return 0, fmt.Errorf("ask how much room the spool has: %w", err)
	}
	return free - reserve, nil
}

// room returns ErrFull if the disk has only its reserve left.
func (s *Spool) room() error {
	room, err := s.FreeSpace()
	if err == nil && room < 0 {
		err = fmt.Errorf("%w: %d MiB are free, and %d MiB are left to others", ErrFull, (room+reserve)>>20, reserve>>20)
	}
	return err
}

// ReadAt reads from offset, and returns the size of the whole file. At the end it returns 0 bytes
// and no error.
func (s *Spool) ReadAt(sha string, p []byte, offset int64) (n int, size int64, err error) {
	f, size, err := s.open(sha)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	n, err = f.ReadAt(p, offset)
	if err != nil && err != io.EOF {
		return n, size, fmt.Errorf("read %s in the spool: %w", sha, err)
	}
	return n, size, nil
}

// OpenBlob opens a file at its beginning, and returns its size. The caller closes it.
func (s *Spool) OpenBlob(sha string) (io.ReadCloser, int64, error) {
	f, size, err := s.open(sha)
	if err != nil {
		return nil, 0, err
	}
	return f, size, nil
}

func (s *Spool) open(sha string) (*os.File, int64, error) {
	if !IsHash(sha) {
		return nil, 0, ErrBlobGone
	}
	f, err := s.root.Open(sha)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, ErrBlobGone
	}
	if err != nil {
		return nil, 0, fmt.Errorf("open %s in the spool: %w", sha, err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("read %s in the spool: %w", sha, err), f.Close())
	}
	return f, info.Size(), nil
}

// RemoveBlob removes a file before its Retention has passed. It succeeds if the file does not
// exist.
func (s *Spool) RemoveBlob(sha string) error {
	if !IsHash(sha) {
		return nil
	}
	if err := ignoreNotExist(s.root.Remove(sha)); err != nil {
		return fmt.Errorf("remove %s from the spool: %w", sha, err)
	}
	return nil
}

// RemoveUnwantedBlobs removes unwanted files that were last written before a time. It returns their
// number. A file is removed even if it was read lately. Later reads of a removed file return
// ErrBlobGone.
func (s *Spool) RemoveUnwantedBlobs(before time.Time, wanted map[string]bool) (int, error) {
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return 0, fmt.Errorf("sweep the spool: %w", err)
	}
	removed := 0
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.ModTime().Before(before) || !(IsHash(e.Name()) || strings.HasPrefix(e.Name(), unfinishedPrefix)) ||
			wanted[e.Name()] {
			continue
		}
		if err := s.root.Remove(e.Name()); err != nil {
			return removed, fmt.Errorf("sweep the spool: %w", err)
		}
		removed++
	}
	return removed, nil
}

// IsHash reports whether a name is a SHA-256 in hexadecimal, as each file of the spool has.
func IsHash(name string) bool {
	_, err := hex.DecodeString(name)
	return err == nil && len(name) == 2*sha256.Size
}

// Writer writes one file. It belongs to one goroutine.
type Writer struct {
	spool *Spool
	file  *os.File
	hash  hash.Hash
	size  int64
}

// Size returns how many bytes were written.
func (f *Writer) Size() int64 { return f.size }

// Write appends bytes to the file, or returns ErrFull.
func (f *Writer) Write(p []byte) (int, error) {
	if err := f.spool.room(); err != nil {
		return 0, err
	}
	n, err := f.file.Write(p)
	f.hash.Write(p[:n])
	f.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("write to the spool: %w", err)
	}
	return n, nil
}

// NewReader returns the written bytes, from the beginning. Read them before the file is ended.
func (f *Writer) NewReader() io.Reader { return io.NewSectionReader(f.file, 0, f.size) }

// Hash returns the SHA-256 of the written bytes, in hexadecimal. The stored file has this name.
func (f *Writer) Hash() string { return hex.EncodeToString(f.hash.Sum(nil)) }

// Commit makes the file durable under its hash. After an error there is no file.
func (f *Writer) Commit() (protocol.BlobRef, error) {
	if err := f.file.Sync(); err != nil {
		return protocol.BlobRef{}, errors.Join(fmt.Errorf("keep in the spool: %w", err), f.Discard())
	}
	ref, err := f.CommitUnsynced()
	if err == nil {
		err = syncFolder(f.spool.root)
	}
	return ref, err
}

// CommitUnsynced stores the file under its hash. The file survives the end of the process, but
// perhaps not a power failure. After an error there is no file.
func (f *Writer) CommitUnsynced() (protocol.BlobRef, error) {
	ref := protocol.BlobRef{SHA256: f.Hash(), Size: f.size}
	name := f.file.Name()
	err := f.file.Close()
	if err == nil {
		err = os.Rename(name, f.spool.root.Name()+"/"+ref.SHA256)
	}
	if err != nil {
		return protocol.BlobRef{}, errors.Join(fmt.Errorf("keep in the spool: %w", err), ignoreNotExist(os.Remove(name)))
	}
	return ref, nil
}

// Discard drops the file.
func (f *Writer) Discard() error {
	return errors.Join(f.file.Close(), ignoreNotExist(os.Remove(f.file.Name())))
}

func syncFolder(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
