package backup

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
)

// sending returns a rig that sends sealed copies to a folder.
func sending(t *testing.T) (r *rig, to string, identity *age.X25519Identity) {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	r, to = newRig(t, t.TempDir()), t.TempDir()
	r.o.To, r.o.Recipient = to, identity.Recipient().String()
	return r, to, identity
}

// hourly makes a backup that nobody has asked for.
func (r *rig) hourly(at time.Duration, homes bool) Result {
	r.Helper()
	r.now, r.changes = noon.Add(at), r.changes+1
	made, err := r.makeAlone(r.Context(), job{homes: homes})
	if err != nil {
		r.Fatal(err)
	}
	return made
}

func TestSend_HourlyBackups_OneADay(t *testing.T) {
	r, to, _ := sending(t)
	for n := range 3 * 24 {
		made := r.hourly(time.Duration(n)*time.Hour, n%24 == 0)
		if made.Note != "" || (made.Sent != "") != (n%24 == 0) {
			t.Errorf("hour %d: sent %q, %q", n, made.Sent, made.Note)
		}
	}
	if made := r.hourly(3*24*time.Hour+2*time.Hour, false); made.Sent == "" { // its homes have failed
		t.Error("without homes nothing is sent after a day")
	}
	r.now = r.now.Add(time.Hour)
	if made := r.must(true); made.Sent == "" {
		t.Error("a backup that a person asked for is not sent")
	}
	for n := range 12 {
		r.hourly(time.Duration(5+n)*24*time.Hour, true)
	}
	if sent, err := r.listSent(); err != nil || len(sent) != keepSent {
		t.Errorf("%d copies in %s, %v", len(sent), to, err)
	}
}

// Other files in the folder stay.
func TestSend_LittleRoom_DeletesOldestButLast(t *testing.T) {
	r, to, _ := sending(t)
	other := filepath.Join(to, "photos")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		r.hourly(time.Duration(n)*24*time.Hour, true)
	}
	space := r.o.Space
	r.o.Space = func(dir string) (free, all int64, err error) {
		if dir != to {
			return space(dir)
		}
		sent, err := r.listSent()
		return spare + 1000*int64(2-len(sent)), 1 << 40, err // one copy and a new one have room
	}
	made := r.hourly(3*24*time.Hour, true)
	if sent, err := r.listSent(); made.Note != "" || len(sent) != 2 || err != nil {
		t.Errorf("%q, %q, %v", made.Note, sent, err)
	}
	r.o.Space = func(dir string) (free, all int64, err error) {
		if dir != to {
			return space(dir)
		}
		return spare, 1 << 40, nil
	}
	made = r.hourly(4*24*time.Hour, true)
	if sent, err := r.listSent(); !strings.Contains(made.Note, "no room for a copy") || len(sent) != 1 || err != nil {
		t.Errorf("%q, %q, %v", made.Note, sent, err)
	}
	if !exists(other) || !exists(made.Path) {
		t.Error("another file or the backup is gone")
	}
}

// A folder that has lost its marker lies below the place where a disk was mounted.
func TestSend_UnmountedDisk_IsRefused(t *testing.T) {
	r, to, _ := sending(t)
	r.hourly(0, true)
	disk := filepath.Join(t.TempDir(), "disk")
	if err := errors.Join(os.Rename(to, disk), os.Mkdir(to, 0o700)); err != nil {
		t.Fatal(err)
	}
	made := r.hourly(24*time.Hour, true)
	if left, _ := os.ReadDir(to); !strings.Contains(made.Note, "not mounted") || len(left) != 0 {
		t.Errorf("%q, %v", made.Note, left)
	}
	if err := errors.Join(os.Remove(to), os.Rename(disk, to)); err != nil {
		t.Fatal(err)
	}
	if made := r.hourly(48*time.Hour, true); made.Sent == "" || made.Note != "" {
		t.Errorf("with the disk: %+v", made.Note)
	}
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if made := r.hourly(72*time.Hour, true); !strings.Contains(made.Note, "There is no folder") {
		t.Errorf("without the folder: %q", made.Note)
	}
}

func TestSend_FolderOfAnother_IsRefused(t *testing.T) {
	r, to, _ := sending(t)
	r.hourly(0, true)
	other := newRig(t, t.TempDir())
	other.o.To, other.o.Recipient = to, r.o.Recipient
	if made := other.hourly(time.Hour, true); !strings.Contains(made.Note, "belongs to another instance") {
		t.Error(made.Note)
	}
}

// A copy elsewhere has the journal, so that a machine that knows nothing else repeats the acts.
func TestDeliver_Journal_ComesAlong(t *testing.T) {
	r, to, identity := sending(t)
	made := r.must(true)
	if err := r.o.Journal.Append(Act{At: noon.Add(time.Hour), Kind: ActDisabled, User: "ann"}); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	out := filepath.Join(t.TempDir(), "out")
	err := Write(t.Context(), &file, made.Path, r.o.Recipient, false)
	if err == nil {
		err = Extract(t.Context(), &file, out, identity)
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Deliver(t.Context(), made.Path, filepath.Dir(to), "", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{out, plain} {
		acts, _, err := parseFile(filepath.Join(dir, JournalName))
		if err != nil || len(acts) != 1 || acts[0].User != "ann" {
			t.Errorf("%s: %+v, %v", dir, acts, err)
		}
		if _, err := Verify(t.Context(), dir); err != nil {
			t.Error(err)
		}
	}
}

// Without recipient and plain, nothing leaves the disk. /dev/shm is another disk on Linux.
func TestDeliver_Refusals_WriteNothing(t *testing.T) {
	elsewhere, err := os.MkdirTemp("/dev/shm", "mews-backup-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(elsewhere) })
	r := newRig(t, t.TempDir())
	made := r.must(true)
	if OnOneDisk(made.Path, elsewhere) || !OnOneDisk(made.Path, r.o.Dir) || !OnOneDisk(made.Path, "/missing") {
		t.Skip("there is only one disk")
	}
	for want, do := range map[string]func() (string, error){
		"backup.recipient": func() (string, error) { return Deliver(t.Context(), made.Path, elsewhere, "", false) },
		"recipient of": func() (string, error) {
			return Deliver(t.Context(), made.Path, elsewhere, "age1x", false)
		},
		"is no backup":  func() (string, error) { return Deliver(t.Context(), elsewhere, t.TempDir(), "", true) },
		"there already": func() (string, error) { return Deliver(t.Context(), made.Path, r.o.Dir, "", true) },
	} {
		if path, err := do(); err == nil || !strings.Contains(err.Error(), want) || path != "" {
			t.Errorf("%q, %v, want %q", path, err, want)
		}
	}
	if left, _ := os.ReadDir(elsewhere); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
	path, err := Deliver(t.Context(), made.Path, elsewhere, "", true)
	if err != nil || !strings.HasPrefix(path, elsewhere) {
		t.Errorf("plain: %q, %v", path, err)
	}
}
