package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// Verify reads a whole backup and returns its manifest. The error names the first file that is
// missing, damaged, not listed, or no regular file. The journal may be there. It follows no link. It does not open the database
// and no archive; their checksums are compared.
func Verify(ctx context.Context, dir string) (*Manifest, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("check the backup %s: %w", dir, err)
	}
	defer root.Close() // it was only read, so an error of Close loses nothing
	listed := map[string]bool{ManifestName: true, JournalName: true}
	for _, f := range m.Files {
		listed[f.Name] = true
		if folder, _, in := strings.Cut(f.Name, "/"); in {
			listed[folder] = true
		}
	}
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		isOwnFolder := name == "config" || name == spoolFolder || name == homesFolder // it may be empty
		if err == nil && name != "." && !listed[name] && !(isOwnFolder && e.IsDir()) {
			err = fmt.Errorf("%q does not belong to it", name)
		}
		return err
	})
	for i := 0; err == nil && i < len(m.Files); i++ {
		err = verifyFile(ctx, root, m.Files[i])
	}
	if err != nil {
		return nil, fmt.Errorf("check the backup %s: %w", dir, err)
	}
	return m, nil
}

// verifyFile compares a file with the manifest.
func verifyFile(ctx context.Context, root *os.Root, f File) error {
	folder, _, in := strings.Cut(f.Name, "/")
	if in {
		if info, err := root.Lstat(folder); err != nil || !info.IsDir() {
			return errors.Join(fmt.Errorf("%q is no folder", folder), err)
		}
	}
	info, err := root.Lstat(f.Name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%q is not a regular file", f.Name)
	}
	if info.Size() != f.Size {
		return fmt.Errorf("%q has %d bytes, and the manifest says %d", f.Name, info.Size(), f.Size)
	}
	r, err := root.OpenFile(f.Name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer r.Close() // it was only read, so an error of Close loses nothing
	hash := sha256.New()
	if _, err := io.Copy(hash, contextReader{ctx, r}); err != nil {
		return fmt.Errorf("read %q: %w", f.Name, err)
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); sum != f.SHA256 {
		return fmt.Errorf("%q is damaged: its sha256 is %s, and the manifest says %s", f.Name, sum, f.SHA256)
	}
	return nil
}

// contextReader reads until a context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(p)
}
