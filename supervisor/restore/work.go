package restore

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"mews/supervisor"
)

// workFolder is the folder in the state folder for copies that are only needed meanwhile.
func workFolder(state string) string { return filepath.Join(state, "restoring") }

// OpenWork makes an empty folder for the copies of one restore or drill. It deletes the files that a
// killed one left there. Until the folder is closed, no other restore or drill uses it.
func OpenWork(state string) (folder string, end func() error, err error) {
	folder = workFolder(state)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", nil, err
	}
	f, err := os.OpenFile(folder, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_DIRECTORY, 0)
	if err != nil {
		return "", nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = supervisor.Errorf(supervisor.CodeUnavailable, textWorks, folder)
	}
	if err == nil {
		err = emptyFolder(folder)
	}
	if err != nil {
		return "", nil, errors.Join(err, f.Close())
	}
	return folder, func() error { return errors.Join(emptyFolder(folder), f.Close()) }, nil
}

// emptyFolder deletes all that is in a folder.
func emptyFolder(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(folder, e.Name())))
	}
	return err
}
