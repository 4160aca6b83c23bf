package backup

import (
	"errors"
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
	keepHomes  = 3  // times at which homes were read
)

// thin deletes old backups and old homes. It never deletes the newest backup, nor the newest one whose
// database is not known to be damaged.
func (m *Maker) thin() error {
	list, err := List(m.o.Dir)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(f Found) bool { return f.Err != nil }) // a person may want to see these
	kept := keep(list)
	for i, f := range list {
		switch {
		case !kept[i].backup:
			err = errors.Join(err, m.remove(f.Path))
		case !kept[i].homes && len(f.Manifest.Homes) > 0:
			err = errors.Join(err, m.dropHomes(f))
		}
	}
	return errors.Join(err, m.shrink())
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

// shrink deletes the oldest backups while all together take more than their share of the disk.
func (m *Maker) shrink() error {
	_, disk, err := m.o.Space(m.o.Dir)
	if err != nil || m.o.Most <= 0 {
		return err
	}
	for {
		list, err := List(m.o.Dir)
		list = slices.DeleteFunc(list, func(f Found) bool { return f.Err != nil })
		if err != nil || len(list) < 2 || diskUse(m.o.Dir) <= disk/100*int64(m.o.Most) {
			return err
		}
		checked := readChecked(m.o.Dir)
		good := len(list) - 1 // the newest one that is not known to be damaged
		for good > 0 && checked.Error != "" && filepath.Base(list[good].Path) == checked.Name {
			good--
		}
		oldest := 0
		if oldest == good {
			oldest = 1
		}
		if oldest == len(list)-1 {
			return nil
		}
		if err := m.remove(list[oldest].Path); err != nil {
			return err
		}
	}
}

// diskUse returns the bytes of all files below a folder. A file with several names counts once.
func diskUse(dir string) (sum int64) {
	seen := map[uint64]bool{}
	_ = filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
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
	})
	return sum
}

// remove deletes a backup. A kill meanwhile leaves no half of it under its name.
func (m *Maker) remove(path string) error {
	gone := filepath.Join(m.o.Dir, deletedPrefix+filepath.Base(path))
	m.o.step()
	if err := os.Rename(path, gone); err != nil {
		return err
	}
	m.o.step()
	return os.RemoveAll(gone)
}

// dropHomes replaces a backup by one that has the same files except the homes.
func (m *Maker) dropHomes(f Found) error {
	reduced := *f.Manifest
	reduced.Homes = []Home{}
	reduced.Files = slices.DeleteFunc(slices.Clone(f.Manifest.Files), func(f File) bool {
		return strings.HasPrefix(f.Name, homesFolder+"/")
	})
	reduced.LeftOut = append(slices.Clone(f.Manifest.LeftOut), LeftOut{"homes", textHomesDropped})
	name := filepath.Base(f.Path) + databaseSuffix
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
