package restore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"mews/supervisor"
	"mews/supervisor/backup"
)

// maxJournal bounds the journal, in bytes.
const maxJournal = 64 << 20

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

// readJournal reads the journal beside a backup that a person named. skipped counts the lines that hold
// no act. known is false if there is no journal. A journal that another account put there is refused.
func readJournal(named string) (acts []backup.Act, skipped int, known bool, err error) {
	owner, err := os.Stat(named)
	if err != nil {
		return nil, 0, false, err
	}
	path := filepath.Join(filepath.Dir(named), backup.JournalName)
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, false, nil
	case errors.Is(err, unix.ELOOP):
		return nil, 0, true, fmt.Errorf(textBadJournal, path)
	case err != nil:
		return nil, 0, true, err
	}
	defer f.Close() // it was only read, so an error of Close loses nothing
	info, err := f.Stat()
	if err != nil {
		return nil, 0, true, err
	}
	if uid := uidOf(info); !info.Mode().IsRegular() || uid != 0 && uid != uidOf(owner) {
		return nil, 0, true, fmt.Errorf(textBadJournal, path)
	}
	if info.Size() > maxJournal {
		return nil, 0, true, fmt.Errorf(textBigJournal, path, maxJournal)
	}
	text := make([]byte, info.Size())
	if _, err := f.ReadAt(text, 0); err != nil && len(text) > 0 {
		return nil, 0, true, err
	}
	if acts, known, err = backup.ReadJournal(filepath.Dir(path)); err != nil {
		return nil, 0, known, err
	}
	lines := 0
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	return acts, max(0, lines-len(acts)), known, nil
}

// uidOf returns the user id of a file's owner.
func uidOf(info fs.FileInfo) uint32 {
	return info.Sys().(*syscall.Stat_t).Uid // os.Stat returns nothing else on the systems of Mews
}
