package erase

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// notRoot gives the folder to an account that is not root. Until the returned function is called,
// this goroutine accesses files as that account. A thread whose fsuid is not 0 may not ignore modes
// (setfsuid(2), capabilities(7)).
func notRoot(t *testing.T, folder string) (asBefore func()) {
	t.Helper()
	if os.Getuid() != 0 {
		return func() {}
	}
	const nobody = 65534
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	})
	if err == nil {
		// the account must be able to enter the test's own folder, which only root may enter
		err = os.Chmod(filepath.Dir(folder), 0o711)
	}
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread() // never unlocked, so the thread ends with the test's goroutine
	if _, err := unix.SetfsuidRetUid(nobody); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := unix.SetfsuidRetUid(0); err != nil {
			t.Error(err)
		}
	}
}
