package backup

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

const (
	namePrefix       = "mews-"
	databaseSuffix   = "-database" // ends the name of a backup without homes
	unfinishedPrefix = ".mews-new-"
	deletedPrefix    = ".mews-deleted-"
	nameTime         = "20060102-150405"
	checkedName      = "checked.json" // the last examination of a copy of the database
)

// folderNames matches the names of finished backups.
var folderNames = regexp.MustCompile(`^mews-\d{8}-\d{6}(?:-database)?$`)

func nameOf(at time.Time) string { return namePrefix + at.UTC().Format(nameTime) }

// isLeftover reports whether a name is that of an unfinished or deleted backup.
func isLeftover(name string) bool {
	return strings.HasPrefix(name, unfinishedPrefix) || strings.HasPrefix(name, deletedPrefix)
}

// Found is a finished backup.
type Found struct {
	Path     string    `json:"path"`
	Manifest *Manifest `json:"manifest,omitempty"`
	Err      error     `json:"-"` // why the manifest can't be read
}

func (f Found) path(name string) string { return filepath.Join(f.Path, name) }

// List returns the finished backups in a folder, the oldest first. A missing folder has none.
func List(dir string) (list []Found, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries { // ReadDir sorts by name, which is by time
		if folderNames.MatchString(e.Name()) && e.IsDir() {
			f := Found{Path: filepath.Join(dir, e.Name())}
			f.Manifest, f.Err = ReadManifest(f.Path)
			list = append(list, f)
		}
	}
	return list, err
}

// Checked is the result of the last nightly examination of a copy of the database.
type Checked struct {
	Name  string    `json:"name"` // of the backup
	At    time.Time `json:"at"`
	Error string    `json:"error,omitempty"` // what is wrong; "" means that the copy is sound
	Good  string    `json:"good,omitempty"`  // the last backup whose copy was sound; "" means none
}

// isOfNewest reports whether the newest of some backups was examined and is damaged.
func (c Checked) isOfNewest(list []Found) bool {
	return c.Error != "" && len(list) > 0 && isNamed(list[len(list)-1], c.Name)
}

// isNamed reports whether a backup has a name, or had it before it lost its homes.
func isNamed(f Found, name string) bool {
	return strings.TrimSuffix(filepath.Base(f.Path), databaseSuffix) == strings.TrimSuffix(name, databaseSuffix)
}

// readChecked returns the last examination; its zero value means none.
func readChecked(dir string) (c Checked) {
	text, err := os.ReadFile(filepath.Join(dir, checkedName))
	if err != nil || json.Unmarshal(text, &c) != nil {
		return Checked{}
	}
	return c
}

// Summary says in short what backups there are.
type Summary struct {
	Backups   int       `json:"backups"`            // number of finished backups that can be read
	Newest    time.Time `json:"newest"`             // moment of the newest
	Homes     int       `json:"homes"`              // number of homes in the newest
	LeftOut   []LeftOut `json:"left_out,omitempty"` // left out of the newest, beyond what never belongs to it
	Bytes     int64     `json:"bytes"`              // size of the newest
	Damaged   int       `json:"damaged"`            // number of backups with an unreadable manifest
	Elsewhere time.Time `json:"elsewhere"`          // moment of the newest backup on another disk; zero means none
	Checked   Checked   `json:"checked"`
}

// Summarize returns the summary of the backups in a folder. to is the folder of Options.To, or "". state is
// the state folder.
func Summarize(dir, to, state string) (s Summary, err error) {
	list, err := List(dir)
	for _, f := range list {
		if f.Err != nil {
			s.Damaged++
			continue
		}
		s.Backups++
		s.Newest, s.Homes, s.Bytes = f.Manifest.MadeAt, len(f.Manifest.Homes), f.Manifest.Bytes()
		s.LeftOut = nil
		if n := len(alwaysLeftOut); len(f.Manifest.LeftOut) > n {
			s.LeftOut = f.Manifest.LeftOut[n:]
		}
	}
	s.Checked = readChecked(dir)
	if s.Backups > 0 && !OnOneDisk(dir, state) {
		s.Elsewhere = s.Newest
	}
	if to != "" && !OnOneDisk(to, state) {
		if at := LatestSent(to); at.After(s.Elsewhere) {
			s.Elsewhere = at
		}
	}
	return s, err
}

// OnOneDisk reports whether two paths are on one file system. A path that can't be read counts as on
// one disk with every other.
func OnOneDisk(a, b string) bool {
	one, err := os.Stat(a)
	other, bad := os.Stat(b)
	if err != nil || bad != nil {
		return true
	}
	x, ok := one.Sys().(*syscall.Stat_t)
	y, known := other.Sys().(*syscall.Stat_t)
	return !ok || !known || x.Dev == y.Dev
}
