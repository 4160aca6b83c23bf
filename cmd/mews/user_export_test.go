package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// The file gets its name only once it is complete. A failed export leaves nothing, and an existing
// file stays as it is.
func TestWriteNewFile_GetsNameWhenComplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ann.tar.gz")
	failed := errors.New("failed")
	for _, c := range []struct {
		write error
		want  error
		left  string
	}{
		{failed, failed, ""}, {nil, nil, "half whole"}, {nil, fs.ErrExist, "half whole"},
		{failed, fs.ErrExist, "half whole"},
	} {
		err := writeNewFile(path, func(f *os.File) error {
			_, err := f.WriteString("half ")
			if _, there := os.Lstat(path); there == nil {
				t.Error("half a file has the name")
			}
			_, rest := f.WriteString("whole")
			return errors.Join(err, rest, c.write)
		})
		if (err == nil) != (c.want == nil) || !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
		if text, _ := os.ReadFile(path); string(text) != c.left {
			t.Errorf("the file is %q, want %q", text, c.left)
		}
		entries, err := os.ReadDir(filepath.Dir(path))
		if many := len(entries); err != nil || many != min(len(c.left), 1) {
			t.Errorf("%d files are left, %v", many, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode: %v, %v", info, err)
	}
}
