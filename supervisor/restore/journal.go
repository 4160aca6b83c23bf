package restore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"mews/supervisor/backup"
)

// Journal is a journal of acts after a backup.
type Journal struct {
	Acts    []backup.Act
	Skipped int  // lines that hold no act
	Known   bool // there was a journal
}

// ReadJournal reads the journal beside a backup that a person named. A journal that another account put
// there is refused. The error is for people.
func ReadJournal(named string) (Journal, error) {
	j, err := readJournal(filepath.Join(filepath.Dir(named), backup.JournalName), named)
	if err != nil {
		return j, refuse(err)
	}
	return j, nil
}

// readJournals returns the acts of the journal beside a backup and of the one in it.
func readJournals(o Options) (Journal, error) {
	if o.Journal == nil {
		beside, err := ReadJournal(o.named())
		if err != nil {
			return beside, err
		}
		o.Journal = &beside
	}
	inside, err := readJournal(filepath.Join(o.Dir, backup.JournalName), o.Dir)
	if err != nil {
		return inside, refuse(err)
	}
	return o.Journal.and(inside), nil
}

// readJournal reads the journal at a path. It must belong to root or to the owner of the file or folder
// ownedAs.
func readJournal(path, ownedAs string) (j Journal, err error) {
	owner, err := os.Stat(ownedAs)
	if err != nil {
		return j, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return j, nil
	case errors.Is(err, unix.ELOOP):
		return j, fmt.Errorf(textBadJournal, path)
	case err != nil:
		return j, err
	}
	defer f.Close() // it was only read, so an error of Close loses nothing
	info, err := f.Stat()
	if err != nil {
		return j, err
	}
	if uid := uidOf(info); !info.Mode().IsRegular() || uid != 0 && uid != uidOf(owner) {
		return j, fmt.Errorf(textBadJournal, path)
	}
	if info.Size() > backup.MaxJournal {
		return j, fmt.Errorf(textBigJournal, path, backup.MaxJournal)
	}
	text := make([]byte, info.Size())
	if _, err := f.ReadAt(text, 0); err != nil && len(text) > 0 {
		return j, err
	}
	j.Known = true
	j.Acts, j.Skipped, err = backup.ParseJournal(text)
	return j, err
}

// and returns the acts of two journals, in their order. An act in both counts once.
func (j Journal) and(other Journal) Journal {
	all := Journal{Skipped: max(j.Skipped, other.Skipped), Known: j.Known || other.Known}
	seen := map[backup.Act]bool{}
	for _, a := range slices.Concat(j.Acts, other.Acts) {
		if !seen[a] {
			seen[a] = true
			all.Acts = append(all.Acts, a)
		}
	}
	slices.SortStableFunc(all.Acts, func(x, y backup.Act) int { return x.At.Compare(y.At) })
	return all
}

// uidOf returns the user id of a file's owner.
func uidOf(info fs.FileInfo) uint32 {
	return info.Sys().(*syscall.Stat_t).Uid // os.Stat returns nothing else on the systems of Mews
}
