package release

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// PartialSuffix ends the names of unfinished files and folders.
const PartialSuffix = ".partial"

// Replace replaces a file. A loss of power leaves the old or the new content.
func Replace(path, text string) error {
	if err := writeAll(path+PartialSuffix, strings.NewReader(text), 0o644); err != nil {
		return err
	}
	return Rename(path+PartialSuffix, path)
}

func writeAll(path string, content io.Reader, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Sync(), f.Close())
}

// Rename renames a file or folder so that a loss of power does not undo it.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
