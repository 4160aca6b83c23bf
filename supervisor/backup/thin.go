package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// How many backups are kept.
const (
	keepRecent = 24 // of the newest ones
	keepDaily  = 14 // the newest ones of this number of days
	keepLeast  = 3  // of the newest ones, whatever room they take
	keepHomes  = 3  // times at which homes were read
)

// thin deletes old backups and old homes. It never deletes the backup of the name newest, nor the newest
// one whose database is not known to be damaged. The text says what it could not do; "" means nothing.
func (m *Maker) thin(ctx context.Context, newest string) (note string, err error) {
	list, err := m.list()
	if err != nil {
		return "", err
	}
	kept, good := keep(list), m.newestGood(list)
	for i, f := range list {
		switch {
		case filepath.Base(f.Path) == newest: // its time may be old, after a wrong clock
		case i == good && !kept[i].backup:
		case !kept[i].backup:
			err = errors.Join(err, m.remove(f.Path))
		case !kept[i].homes && len(f.Manifest.Homes) > 0:
			err = errors.Join(err, m.dropHomes(ctx, f))
		}
	}
	note, failed := m.shrink(ctx, newest)
	return note, errors.Join(err, failed)
}

// list returns the backups of this state folder that can be read. A person may want to see the others.
func (m *Maker) list() ([]Found, error) {
	list, err := List(m.o.Dir)
	return slices.DeleteFunc(list, func(f Found) bool {
		return f.Err != nil || f.Manifest.State != m.o.State
	}), err
}

// kept says what is kept of a backup.
type kept struct{ backup, homes bool }

// keep decides what is kept of the backups, which are sorted by time.
func keep(list []Found) []kept {
	all := make([]kept, len(list))
	days, reads := map[string]bool{}, []string{}
	for i, f := range slices.Backward(list) {
		day := f.Manifest.MadeAt.Format("20060102")
		fresh := !days[day] && len(days) < keepDaily
		all[i].backup = len(list)-i <= keepRecent || fresh
		days[day] = true
		read := ""
		for _, h := range f.Manifest.Homes {
			read = max(read, h.ReadAt.Format(nameTime))
		}
		if !slices.Contains(reads, read) && read != "" {
			reads = append(reads, read)
		}
		at := slices.Index(reads, read)
		all[i].homes = at >= 0 && at < keepHomes
	}
	return all
}

// shrink deletes old homes, and then the oldest backups, while all together take more than their share
// of the disk. It deletes nothing if the newest backup alone takes more.
func (m *Maker) shrink(ctx context.Context, newest string) (note string, err error) {
	_, disk, err := m.o.Space(m.o.Dir)
	if err != nil || m.o.Most <= 0 {
		return "", err
	}
	list, err := m.list()
	if err != nil {
		return "", err
	}
	most := disk / 100 * int64(m.o.Most)
	above := func() bool { return diskUse(paths(list)...) > most }
	if !above() {
		return "", nil
	}
	if diskUse(filepath.Join(m.o.Dir, newest)) > most {
		return fmt.Sprintf(textTooLarge, m.o.Most), nil
	}
	withHomes := ""
	for _, f := range list {
		if len(f.Manifest.Homes) > 0 {
			withHomes = f.Path
		}
	}
	for _, f := range list {
		name := filepath.Base(f.Path)
		if len(f.Manifest.Homes) > 0 && name != newest && f.Path != withHomes && above() {
			if err := m.dropHomes(ctx, f); err != nil {
				return "", err
			}
		}
	}
	if list, err = m.list(); err != nil {
		return "", err
	}
	good := m.newestGood(list)
	for i, f := range slices.Clone(list[:max(0, len(list)-keepLeast)]) {
		if filepath.Base(f.Path) != newest && f.Path != withHomes && i != good && above() {
			if err := m.remove(f.Path); err != nil {
				return "", err
			}
		}
	}
	if above() {
		note = fmt.Sprintf(textTooLarge, m.o.Most)
	}
	return note, nil
}

// newestGood returns the index of the last backup whose database was found sound. Without one, it is the
// newest that is not known to be damaged.
func (m *Maker) newestGood(list []Found) int {
	checked := readChecked(m.o.Dir)
	if i := slices.IndexFunc(list, func(f Found) bool { return isNamed(f, checked.Good) }); i >= 0 {
		return i
	}
	good := len(list) - 1
	for good > 0 && checked.Error != "" && isNamed(list[good], checked.Name) {
		good--
	}
	return good
}

func paths(list []Found) (paths []string) {
	for _, f := range list {
		paths = append(paths, f.Path)
	}
	return paths
}

// diskUse returns the bytes of all files below folders. A file with several names counts once.
func diskUse(dirs ...string) (sum int64) {
	seen := map[uint64]bool{}
	count := func(_ string, e os.DirEntry, err error) error {
		if err != nil {
			return nil // a file that is gone takes no room
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		stat, known := info.Sys().(*syscall.Stat_t)
		if !known || !seen[stat.Ino] {
			sum += info.Size()
		}
		if known {
			seen[stat.Ino] = true
		}
		return nil
	}
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, count) // count returns no error
	}
	return sum
}

// remove deletes a backup. A kill meanwhile leaves no half of it under its name.
func (m *Maker) remove(path string) error {
	gone := filepath.Join(filepath.Dir(path), deletedPrefix+filepath.Base(path))
	m.o.step()
	if err := os.Rename(path, gone); err != nil {
		return err
	}
	m.o.Log.Info("deletes an old backup", "folder", path)
	m.o.step()
	return os.RemoveAll(gone)
}

// dropHomes replaces a backup by one that has the same files except the homes.
func (m *Maker) dropHomes(ctx context.Context, f Found) error {
	reduced := *f.Manifest
	reduced.Homes = []Home{}
	reduced.Files = slices.DeleteFunc(slices.Clone(f.Manifest.Files), func(f File) bool {
		return strings.HasPrefix(f.Name, homesFolder+"/")
	})
	reduced.LeftOut = append(slices.Clone(f.Manifest.LeftOut), LeftOut{"homes", textHomesDropped})
	name := filepath.Base(f.Path) + databaseSuffix
	if done, err := Verify(ctx, filepath.Join(m.o.Dir, name)); err == nil && done.MadeAt.Equal(f.Manifest.MadeAt) {
		return m.remove(f.Path) // a kill came before this last step
	}
	part := filepath.Join(m.o.Dir, unfinishedPrefix+name)
	m.o.step()
	err := errors.Join(os.RemoveAll(part), os.Mkdir(part, 0o700))
	text, bad := reduced.encode()
	if err = errors.Join(err, bad); err == nil {
		err = writeSynced(filepath.Join(part, ManifestName), text)
	}
	for _, file := range fileNamesOf(&reduced) {
		if err == nil {
			m.o.step()
			err = copyFile(f.path(file), filepath.Join(part, file))
		}
	}
	if err == nil {
		m.o.step()
		err = errors.Join(syncFolder(part), os.Rename(part, filepath.Join(m.o.Dir, name)), syncFolder(m.o.Dir))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return m.remove(f.Path)
}
