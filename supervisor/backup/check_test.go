package backup

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// The newest copy is read once a day. After a damaged one, a new backup follows in the next hour even if
// nothing has changed, and is read at once.
func TestCheck_DamagedCopy_MakesNewBackup(t *testing.T) {
	r := newRig(t, t.TempDir())
	var read []string
	var damage error
	r.o.Examine = func(_ context.Context, path string) error {
		read = append(read, filepath.Base(filepath.Dir(path)))
		return damage
	}
	check := func(after time.Duration, want int) {
		t.Helper()
		if err := r.check(t.Context(), noon.Add(after)); err != nil || len(read) != want {
			t.Errorf("after %v: %q, %v", after, read, err)
		}
	}
	check(0, 0) // there is no backup
	good := r.must(true)
	check(time.Minute, 1)
	check(23*time.Hour, 1)
	damage = errors.New("malformed")
	check(25*time.Hour, 2)
	check(26*time.Hour, 2)
	if c := readChecked(r.o.Dir); c.Error != "malformed" || c.Good != filepath.Base(good.Path) {
		t.Errorf("%+v", c)
	}
	if due, _ := r.due(noon.Add(90 * time.Minute)); !due {
		t.Error("no backup is due although the only one is damaged")
	}
	r.now, damage = noon.Add(27*time.Hour), nil
	r.must(false)
	check(27*time.Hour, 3)
	if c := readChecked(r.o.Dir); c.Error != "" || c.Good != read[2] {
		t.Errorf("%+v", c)
	}
}

// While each new copy is damaged, the last good one stays, whatever its age.
func TestThin_DamagedCopies_KeepsLastGood(t *testing.T) {
	r := newRig(t, t.TempDir())
	good := r.must(true)
	if err := r.check(t.Context(), noon); err != nil {
		t.Fatal(err)
	}
	r.o.Examine = func(context.Context, string) error { return errors.New("malformed") }
	for n := range keepRecent + keepDaily + 5 {
		at := time.Duration(n+1) * 25 * time.Hour
		r.now, r.changes = noon.Add(at), uint64(n)
		r.must(true)
		if err := r.check(t.Context(), r.now); err != nil {
			t.Fatal(err)
		}
	}
	if !exists(good.Path) && !exists(good.Path+databaseSuffix) {
		t.Error("the last good backup is deleted")
	}
}

// A file that is still to be sent is written once.
func TestMake_SameBlob_IsHardLink(t *testing.T) {
	r := newRig(t, t.TempDir())
	first := r.must(true)
	r.now = noon.Add(time.Hour)
	second := r.must(false)
	name := "spool/" + sumOf("sent")
	if inode(t, filepath.Join(first.Path, name)) != inode(t, filepath.Join(second.Path, name)) {
		t.Error("it was written again")
	}
}

// A home that is sealed for a former recipient is sealed again.
func TestMake_OtherRecipient_SealsAgain(t *testing.T) {
	r := newRig(t, t.TempDir())
	r.o.Homes = func() []HomeSource { return []HomeSource{{User: "ann", Path: "/srv/ann", Foreign: true}} }
	for n, recipient := range []string{"age1a", "age1a", "age1b"} {
		r.now, r.o.Recipient = noon.Add(time.Duration(n)*24*time.Hour), recipient
		made := r.must(true)
		if h, _ := made.Manifest.FindHome("ann"); !h.Sealed || h.Recipient != recipient || r.packs != 1+n/2 {
			t.Errorf("%+v, %d archives", h, r.packs)
		}
	}
}
