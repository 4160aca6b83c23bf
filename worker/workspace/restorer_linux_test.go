package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"mews/protocol"
)

// asOwner runs a function without root's right to ignore permissions.
func asOwner(t *testing.T, run func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var had [2]unix.CapUserData
	if err := unix.Capget(&header, &had[0]); err != nil {
		t.Fatal(err)
	}
	fewer := had
	fewer[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	if err := unix.Capset(&header, &fewer[0]); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Capset(&header, &had[0]); err != nil {
			t.Error(err)
		}
	}()
	run()
}

func TestRestorer_ReadOnlyFolders_AreChanged(t *testing.T) {
	dir := t.TempDir()
	w, err := Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, name := range []string{"module/deep", "stays", "shut"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	for _, name := range []string{"module/deep/a", "stays/b", "stays/c"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), nil, 0o444))
	}
	for name, mode := range map[string]os.FileMode{"module/deep": 0o555, "module": 0o555, "stays": 0o555, "shut": 0} {
		err = errors.Join(err, os.Chmod(filepath.Join(dir, name), mode))
	}
	if err != nil {
		t.Fatal(err)
	}
	asOwner(t, func() {
		r := w.StartRestore()
		file := func() RestoredFile { return RestoredFile{Content: strings.NewReader("x"), Size: 1, Mode: 0o644} }
		err = errors.Join(r.Remove("module/deep/a"), r.Remove("module/deep"), r.Remove("module"),
			r.Remove("stays/b"), r.File("stays/c", file()),
			r.Folder("shut", 0o750), r.File("shut/d", file()), r.Mode("shut", 0o750), r.Close())
	})
	if err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*/*"))
	if err != nil || len(left) != 2 {
		t.Errorf("left %v, %v", left, err)
	}
	for name, want := range map[string]os.FileMode{"stays": 0o555, "shut": 0o750} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v", name, info, err)
		}
	}
}
