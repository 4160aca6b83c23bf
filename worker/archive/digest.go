package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// stillness is how old the newest change must be, so that a later change can't have the same time.
// The kernel's time for changes moves in steps of up to 10 ms.
const stillness = 100 * time.Millisecond

// Digest returns a SHA-256 in hexadecimal over the names in a home. It covers the kind, mode, size,
// inode and times of each. The text more is part of it. If two digests are the same, the home has
// not changed in between: a program can set a file's time of modification, but not the time of its
// last change. If something has changed just now, or could not be read, the digest is "".
func Digest(ctx context.Context, home, more string) (string, error) {
	root, err := os.OpenRoot(home)
	if err != nil {
		return "", fmt.Errorf("compare the home: %w", err)
	}
	defer root.Close() // the folder was only read, so an error of Close loses nothing
	sum, newest, unread := sha256.New(), time.Time{}, false
	fmt.Fprintf(sum, "%q\n", more)
	if err := fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var info fs.FileInfo
		if err == nil {
			info, err = e.Info()
		}
		if err != nil {
			unread = true
			return nil
		}
		stat, known := info.Sys().(*syscall.Stat_t)
		if !known {
			return errors.New("the system tells no times of changes")
		}
		changed := changeTime(stat)
		if changed.After(newest) {
			newest = changed
		}
		_, err = fmt.Fprintf(sum, "%q %o %d %d %d %d\n", name, stat.Mode, info.Size(), stat.Ino,
			info.ModTime().UnixNano(), changed.UnixNano())
		return err
	}); err != nil {
		return "", fmt.Errorf("compare the home: %w", err)
	}
	if unread || time.Since(newest) < stillness {
		return "", nil
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// FullDigest returns the digest of an archive in which names did not fit. With another maximum size
// it is another one.
func FullDigest(digest string, maxBytes int64) string {
	if digest == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendln(nil, digest, maxBytes))
	return hex.EncodeToString(sum[:])
}
