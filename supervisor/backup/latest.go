package backup

import (
	"os"
	"slices"
	"time"
)

// Latest returns the newest finished backup in a folder that can be read; nil means none. It reads no
// other manifest.
func Latest(dir string) (*Found, error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	for _, e := range slices.Backward(entries) { // ReadDir sorts by name, which is by time
		if !folderNames.MatchString(e.Name()) || !e.IsDir() {
			continue
		}
		f := Found{Path: dir + string(os.PathSeparator) + e.Name()}
		if f.Manifest, f.Err = ReadManifest(f.Path); f.Err == nil {
			return &f, err
		}
	}
	return nil, err
}

// HomesReadAt returns when a home was last read for the backup. The zero time means that it has none.
func (m *Manifest) HomesReadAt() (last time.Time) {
	for _, h := range m.Homes {
		if h.ReadAt.After(last) {
			last = h.ReadAt
		}
	}
	return last
}

// LatestSent returns the moment of the newest backup in the folder of Options.To. It reads names alone.
// The zero time means none.
func LatestSent(to string) (last time.Time) {
	entries, _ := os.ReadDir(to) // a folder that can't be read has none
	for _, e := range entries {
		if at, known := timeOf(e.Name()); known && at.After(last) {
			last = at
		}
	}
	return last
}

// LastChecked returns the last examination of a copy of the database. dir has all backups. Its zero
// value means none.
func LastChecked(dir string) Checked { return readChecked(dir) }
