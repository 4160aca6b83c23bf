package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// sumOf returns the SHA-256 of a text in hexadecimal.
func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// writeBackup writes a small backup into a new folder, and returns the folder.
func writeBackup(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	m := &Manifest{Format: Format, MadeAt: noon, Version: "1", Schema: 7, State: "/state",
		Homes: []Home{{User: "ann", File: "homes/ann.tar.zst", Path: "/srv/ann", ReadAt: noon,
			Digest: "d", LeftOut: []string{}}},
		LeftOut: []LeftOut{{"workspaces", "they are not part of Mews"}}}
	for name, text := range map[string]string{
		DatabaseName: "database", ConfigName: "config",
		"homes/ann.tar.zst": "home", "spool/" + sumOf("sent"): "sent"} {
		path := filepath.Join(dir, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		m.Files = append(m.Files, File{Name: name, Size: int64(len(text)), SHA256: sumOf(text)})
	}
	text, err := m.encode()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, ManifestName), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestVerify_DamagedBackup_IsRefused(t *testing.T) {
	replace := func(name, old, text string) func(string) error {
		return func(dir string) error {
			path := filepath.Join(dir, name)
			now, err := os.ReadFile(path)
			changed := strings.Replace(string(now), old, text, 1)
			if changed == string(now) {
				return errors.New("nothing was changed")
			}
			return errors.Join(err, os.WriteFile(path, []byte(changed), 0o600))
		}
	}
	for name, c := range map[string]struct {
		change func(dir string) error
		want   string // "" means that the backup is whole
	}{
		"whole": {func(string) error { return nil }, ""},
		"nothing to send": {func(dir string) error {
			m, err := ReadManifest(dir)
			if err != nil {
				return err
			}
			m.Files = slices.DeleteFunc(m.Files, func(f File) bool {
				return strings.HasPrefix(f.Name, spoolFolder+"/")
			})
			text, err := m.encode()
			return errors.Join(err, os.WriteFile(filepath.Join(dir, ManifestName), text, 0o600),
				os.Remove(filepath.Join(dir, spoolFolder, sumOf("sent"))))
		}, ""},
		"folder is a file": {func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, spoolFolder)),
				os.WriteFile(filepath.Join(dir, spoolFolder), nil, 0o600))
		}, "spool"},
		"hard link": {func(dir string) error {
			return os.Link(filepath.Join(dir, DatabaseName), filepath.Join(t.TempDir(), "other"))
		}, ""},
		"no manifest":  {func(dir string) error { return os.Remove(filepath.Join(dir, ManifestName)) }, "is no backup"},
		"missing file": {func(dir string) error { return os.Remove(filepath.Join(dir, DatabaseName)) }, "mews.db"},
		"other byte":   {replace(DatabaseName, "d", "x"), `"mews.db" is damaged`},
		"short file":   {replace(DatabaseName, "d", ""), `"mews.db" has 7 bytes, and the manifest says 8`},
		"other file": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "x"), nil, 0o600)
		}, `"x" does not belong`},
		"cut manifest": {replace(ManifestName, "}\n", ""), "manifest.json is damaged"},
		"unknown key":  {replace(ManifestName, `"state"`, `"status"`), "manifest.json is damaged"},
		"newer format": {replace(ManifestName, `"format": 1`, `"format": 2`), "Use a newer version"},
		"path outside": {replace(ManifestName, `"mews.db"`, `"../mews.db"`), "no name of a file"},
		"foreign home": {replace(ManifestName, `"user": "ann"`, `"user": "ben"`), "can't be"},
		"link for file": {func(dir string) error {
			path := filepath.Join(dir, DatabaseName)
			return errors.Join(os.Rename(path, dir+"-db"), os.Symlink(dir+"-db", path))
		}, "not a regular file"},
		"link for folder": {func(dir string) error {
			path := filepath.Join(dir, homesFolder)
			return errors.Join(os.Rename(path, dir+"-homes"), os.Symlink(dir+"-homes", path))
		}, "is no folder"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeBackup(t)
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			m, err := Verify(t.Context(), dir)
			switch {
			case c.want == "" && (err != nil || m.Schema != 7 || m.Bytes() < 18):
				t.Errorf("%+v, %v", m, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestVerify_EndedContext_IsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Verify(ctx, writeBackup(t)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
