package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
)

func TestRestorer_AllKinds_AreMade(t *testing.T) {
	dir := t.TempDir()
	w, err := Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	record := w.StartChangeRecord()
	at := time.Unix(1_000_000, 5)
	r := w.StartRestore()
	file := RestoredFile{Content: strings.NewReader("text"), Size: 4, Mode: 0o640, Modified: at}
	err = errors.Join(r.Folder("a", 0o500), r.File("a/file", file), r.Link("a/link", "file"), r.Mode("a", 0o500),
		r.Close())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(filepath.Join(dir, "a/file"))
	if err != nil || info.Mode() != 0o640 || !info.ModTime().Equal(at) {
		t.Errorf("got %v, %v", info, err)
	}
	if folder, err := os.Stat(filepath.Join(dir, "a")); err != nil || folder.Mode().Perm() != 0o500 {
		t.Errorf("got %v, %v", folder, err)
	}
	if target, err := os.Readlink(filepath.Join(dir, "a/link")); err != nil || target != "file" {
		t.Errorf("got %q, %v", target, err)
	}
	record.Stop()
	if !record.IsOwnChange("a/file", Stamp{}, StampOf(info)) {
		t.Error("the record lacks the file")
	}
	if err := errors.Join(r.Mode("a", 0o700), r.Remove("a/file"), r.Remove("a/link"), r.Remove("a"), r.Remove("a/gone"),
		r.Close()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestRestorer_LinkOnTheWay_IsRefused(t *testing.T) {
	dir := t.TempDir()
	w, err := Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "real"), 0o755),
		os.WriteFile(filepath.Join(dir, "real/a"), nil, 0o644),
		os.Symlink("real", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	r := w.StartRestore()
	defer r.Close()
	for name, err := range map[string]error{
		"file":   r.File("link/b", RestoredFile{Content: strings.NewReader(""), Mode: 0o644}),
		"folder": r.Folder("link/c", 0o755),
		"link":   r.Link("link/d", "x"),
		"remove": r.Remove("link/a"),
		"mode":   r.Mode("link", 0o700),
	} {
		if !errors.Is(err, ErrIsLink) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := r.Remove("real"); err == nil {
		t.Error("a folder with files was removed")
	}
	short := RestoredFile{Content: strings.NewReader("a"), Size: 2, Mode: 0o644}
	if err := r.File("short", short); err == nil {
		t.Error("a file without its last byte was put back")
	}
	if _, err := os.Lstat(filepath.Join(dir, "short")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
