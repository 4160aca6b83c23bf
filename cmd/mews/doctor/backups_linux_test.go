package doctor

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/config"
	"mews/supervisor/backup"
)

// A copy on another disk counts only while it is new.
func TestExamineBackups_OldCopyElsewhere_Warns(t *testing.T) {
	to, err := os.MkdirTemp("/dev/shm", "mews-doctor-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(to) })
	state, now := t.TempDir(), time.Now().UTC().Truncate(time.Second)
	if backup.OnOneDisk(state, to) {
		t.Skip("there is only one disk")
	}
	text, err := json.Marshal(backup.Manifest{Format: backup.Format, MadeAt: now, Version: "1", Schema: 1, State: state,
		Files: []backup.File{{Name: backup.DatabaseName, SHA256: strings.Repeat("0", 64)}}, Homes: []backup.Home{},
		LeftOut: []backup.LeftOut{}})
	made := filepath.Join(state, "backups", "mews-"+now.Format("20060102-150405"))
	err = errors.Join(err, os.MkdirAll(made, 0o700),
		os.WriteFile(filepath.Join(made, backup.ManifestName), text, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Config: &config.Config{State: state, Backup: config.Backup{To: to}}}
	copyOf := func(age time.Duration) {
		t.Helper()
		name := "mews-" + now.Add(-age).Format("20060102-150405") + ".tar.zst.age"
		if err := os.WriteFile(filepath.Join(to, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want string) {
		t.Helper()
		said, err := examineBackups(t.Context(), o)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q, %v, want %q", said, err, want)
		}
	}
	check("on the disk of the state folder")
	copyOf(10 * 24 * time.Hour)
	check("is 10 days old")
	copyOf(time.Hour)
	check("")
}
