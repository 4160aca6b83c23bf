package release

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Programs are the programs of a release.
var Programs = []string{"mews", "mews-spawner", "mews-worker", "mews-update"}

const (
	maxUnpacked = 200 << 20
	maxFiles    = 1000
)

// Pack writes the files below dir as an archive whose files lie in the folder top. The same files
// and the same time give the same bytes. Links and devices are an error.
func Pack(w io.Writer, dir, top string, at time.Time) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error { // in the order of names
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		return packFile(archive, name, path.Join(top, filepath.ToSlash(rel)), at)
	})
	return errors.Join(err, archive.Close(), compressed.Close())
}

func packFile(archive *tar.Writer, from, name string, at time.Time) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("pack %s: want a regular file", from)
	}
	err = archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size(),
		Mode: int64(fixedMode(info.Mode())), ModTime: at.UTC().Truncate(time.Second), Format: tar.FormatUSTAR})
	if err != nil {
		return err
	}
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(archive, f)
	return err
}

// fixedMode is the mode of every installed file: only its owner writes.
func fixedMode(mode fs.FileMode) fs.FileMode {
	if mode&0o111 != 0 {
		return 0o755
	}
	return 0o644
}

// Unpack unpacks an archive into the new folder dir, without the archive's own top folder. It
// refuses links, devices, names that lead out of the folder, and archives that are too large. When
// it returns nil, the files survive a loss of power.
func Unpack(archive io.Reader, dir string) error {
	plain, err := gzip.NewReader(archive)
	if err != nil {
		return fmt.Errorf(textBadArchive, err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	u := unpacker{root: root, left: maxUnpacked, folders: map[string]bool{".": true}}
	entries := tar.NewReader(plain)
	for files := 0; ; files++ {
		h, err := entries.Next()
		if err == io.EOF {
			break
		}
		if err == nil && files == maxFiles {
			err = errors.New(textTooManyFiles)
		}
		if err == nil {
			err = u.unpackFile(h, entries)
		}
		if err != nil {
			return fmt.Errorf(textBadArchive, err)
		}
	}
	return errors.Join(u.syncFolders(), checkPrograms(root))
}

// unpacker writes the files of one archive.
type unpacker struct {
	root    *os.Root
	left    int64           // bytes that may still be written
	folders map[string]bool // the folders that exist
}

func (u *unpacker) unpackFile(h *tar.Header, content io.Reader) error {
	_, name, _ := strings.Cut(h.Name, "/")
	if h.Typeflag == tar.TypeDir {
		return nil // the folders of files are made below
	}
	if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) || path.Clean(h.Name) != h.Name || name == "" {
		return fmt.Errorf(textBadEntry, h.Name)
	}
	if u.left -= h.Size; u.left < 0 {
		return errors.New(textTooLarge)
	}
	if err := u.makeFolder(path.Dir(name)); err != nil {
		return err
	}
	f, err := u.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Chmod(fixedMode(fs.FileMode(h.Mode))), f.Sync(), f.Close())
}

func (u *unpacker) makeFolder(name string) error {
	if u.folders[name] {
		return nil
	}
	if err := u.makeFolder(path.Dir(name)); err != nil {
		return err
	}
	u.folders[name] = true
	if err := u.root.Mkdir(name, 0o755); err != nil {
		return err
	}
	return u.root.Chmod(name, 0o755)
}

func (u *unpacker) syncFolders() (err error) {
	for name := range u.folders {
		f, openErr := u.root.Open(name)
		if openErr != nil {
			return openErr
		}
		err = errors.Join(err, f.Sync(), f.Close())
	}
	return err
}

// checkPrograms refuses a folder without one of the programs.
func checkPrograms(root *os.Root) error {
	for _, name := range Programs {
		if info, err := root.Lstat(name); err != nil || info.Mode().Perm() != 0o755 {
			return fmt.Errorf(textNoProgram, name)
		}
	}
	return nil
}
