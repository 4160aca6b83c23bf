package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"mews/protocol"
)

// Format is the number of the format of backups that this package reads and writes.
const Format = 1

// Names in a backup.
const (
	ManifestName = "manifest.json"
	DatabaseName = "mews.db"
	ConfigName   = "config/mews.yaml"
	SealKeyName  = "config/seal.key"
	spoolFolder  = "spool"
	homesFolder  = "homes"
)

// maxManifest is the largest manifest that is read, in bytes.
const maxManifest = 64 << 20

// Manifest describes a backup.
type Manifest struct {
	Format  int       `json:"format"`
	MadeAt  time.Time `json:"made_at"` // the moment of the database
	Version string    `json:"version"` // of the program that made the backup
	Schema  int64     `json:"schema"`  // of the database
	State   string    `json:"state"`   // the state folder that was backed up
	Files   []File    `json:"files"`   // all files except the manifest
	Homes   []Home    `json:"homes"`   // the homes that the backup has
	LeftOut []LeftOut `json:"left_out"`
}

// File is a file of a backup.
type File struct {
	Name   string `json:"name"` // slash-separated path in the folder
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // in hexadecimal
	Secret bool   `json:"secret"` // whether the file may hold keys or passwords
}

// Home describes the archive of a person's home.
type Home struct {
	User   string    `json:"user"`
	File   string    `json:"file"` // name of the archive among the files
	Path   string    `json:"path"` // the home's folder when it was read
	ReadAt time.Time `json:"read_at"`
	Digest string    `json:"digest"` // of all names, sizes, modes and times; see protocol.ArchiveResult
	Sealed bool      `json:"sealed"` // with age, by the person's worker
	// the age recipient of a sealed home; "" means that it is not known
	Recipient string   `json:"recipient,omitempty"`
	Files     int64    `json:"files"` // regular files of the home
	Bytes     int64    `json:"bytes"` // bytes of these files
	LeftOut   []string `json:"left_out"`
}

// LeftOut names something that a backup lacks, and why.
type LeftOut struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Bytes returns the size of all files together.
func (m *Manifest) Bytes() (sum int64) {
	for _, f := range m.Files {
		sum += f.Size
	}
	return sum
}

// FindHome returns the archive of a person's home.
func (m *Manifest) FindHome(user string) (Home, bool) {
	for _, h := range m.Homes {
		if h.User == user {
			return h, true
		}
	}
	return Home{}, false
}

// FindFile returns a file by its name.
func (m *Manifest) FindFile(name string) (File, bool) {
	for _, f := range m.Files {
		if f.Name == name {
			return f, true
		}
	}
	return File{}, false
}

// fileNames matches the names that the files of a backup may have.
var fileNames = regexp.MustCompile(`^(?:mews\.db|config/(?:mews\.yaml|seal\.key)|spool/[0-9a-f]{64}|` +
	`homes/[a-z0-9][a-z0-9_-]{0,31}\.tar\.zst(?:\.age)?)$`)

var digests = regexp.MustCompile(`^[0-9a-f]{64}$`)

// homeFileName returns the name of the archive of a home.
func homeFileName(user string, sealed bool) string {
	name := homesFolder + "/" + user + ".tar.zst"
	if sealed {
		name += ".age"
	}
	return name
}

// ReadManifest reads and checks the manifest of the backup in a folder. It does not read the other
// files; see Verify.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	info, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("%s is no backup: %w", dir, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no backup: its %s is not a regular file", dir, ManifestName)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the backup %s: %w", dir, err)
	}
	defer f.Close() // it was only read, so an error of Close loses nothing
	m, err := DecodeManifest(f)
	if err != nil {
		return nil, fmt.Errorf("read the backup %s: %w", dir, err)
	}
	return m, nil
}

// DecodeManifest reads and checks a manifest.
func DecodeManifest(r io.Reader) (*Manifest, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", ManifestName, err)
	}
	if len(text) > maxManifest {
		return nil, fmt.Errorf("%s has more than %d bytes", ManifestName, maxManifest)
	}
	// A later format may have other keys, so its number comes first.
	var format struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(text, &format) == nil && format.Format > Format {
		return nil, fmt.Errorf("the backup has format %d, and this version of Mews reads format %d. Use a newer "+
			"version", format.Format, Format)
	}
	m := &Manifest{}
	if err := protocol.DecodeStrict(text, m); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", ManifestName, err)
	}
	if err := m.validate(); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", ManifestName, err)
	}
	return m, nil
}

// encode returns the text of a manifest.
func (m *Manifest) encode() ([]byte, error) {
	if err := m.validate(); err != nil {
		return nil, fmt.Errorf("write %s: %w", ManifestName, err)
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent("", "  ")
	err := e.Encode(m)
	return text.Bytes(), err
}

// validate returns what is wrong with a manifest.
func (m *Manifest) validate() error {
	switch {
	case m.Format != Format:
		return fmt.Errorf("format: %d, want %d", m.Format, Format)
	case m.MadeAt.IsZero() || m.MadeAt.Location() != time.UTC:
		return errors.New("made_at: want a time in UTC")
	case m.Schema < 1:
		return fmt.Errorf("schema: %d, want at least 1", m.Schema)
	}
	seen := map[string]bool{}
	for _, f := range m.Files {
		switch {
		case !fileNames.MatchString(f.Name):
			return fmt.Errorf("files: %q is no name of a file of a backup", f.Name)
		case seen[f.Name]:
			return fmt.Errorf("files: %q is there twice", f.Name)
		case f.Size < 0 || !digests.MatchString(f.SHA256):
			return fmt.Errorf("files: %q has no valid size and sha256", f.Name)
		case strings.HasPrefix(f.Name, spoolFolder+"/") && f.Name != spoolFolder+"/"+f.SHA256:
			return fmt.Errorf("files: %q has the sha256 %s", f.Name, f.SHA256)
		}
		seen[f.Name] = true
	}
	if !seen[DatabaseName] {
		return fmt.Errorf("files: %s is missing", DatabaseName)
	}
	return m.validateHomes(seen)
}

// validateHomes checks that the homes and the archives among the files belong together.
func (m *Manifest) validateHomes(files map[string]bool) error {
	named := map[string]bool{}
	for _, h := range m.Homes {
		switch {
		case h.File != homeFileName(h.User, h.Sealed):
			return fmt.Errorf("homes: the archive of %q can't be %q", h.User, h.File)
		case !files[h.File] || named[h.User]:
			return fmt.Errorf("homes: %q is missing, or is there twice", h.File)
		case h.ReadAt.IsZero() || h.Files < 0 || h.Bytes < 0:
			return fmt.Errorf("homes: %q has no valid read_at, files and bytes", h.User)
		}
		named[h.User], named[h.File] = true, true
	}
	for name := range files {
		if strings.HasPrefix(name, homesFolder+"/") && !named[name] {
			return fmt.Errorf("homes: nobody has %q", name)
		}
	}
	return nil
}
