package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"filippo.io/age"
)

// rig has a Maker over small stand-ins for the database and the homes.
type rig struct {
	*testing.T
	*Maker
	now     time.Time
	homes   map[string]string // contents of homes, by person
	packs   int               // number of archives that were made
	free    int64
	changes uint64
}

func newRig(t *testing.T, dir string) *rig {
	r := &rig{T: t, now: noon, homes: map[string]string{"ann": "files of ann", "ben": "files of ben"}, free: 1 << 40}
	key := filepath.Join(dir, "seal.key")
	if err := os.WriteFile(key, []byte("key"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Maker = New(Options{Dir: filepath.Join(dir, "backups"), State: "/srv/mews", Version: "1", SealKey: key, Most: 20,
		Database: func(_ context.Context, path string, _ func(int64, int64)) (int64, uint64, error) {
			return 7, r.changes, os.WriteFile(path, fmt.Append(nil, "database ", r.changes), 0o600)
		},
		Changes: func() uint64 { return r.changes }, Size: func() int64 { return 1000 },
		Examine: func(context.Context, string) error { return nil },
		Blobs: func(context.Context) (map[string]bool, error) {
			return map[string]bool{sumOf("sent"): true, sumOf("gone"): true}, nil
		},
		OpenBlob: func(sum string) (io.ReadCloser, int64, error) {
			if sum != sumOf("sent") {
				return nil, 0, errors.New("not kept any more")
			}
			return io.NopCloser(strings.NewReader("sent")), 4, nil
		},
		Homes: func() (list []HomeSource) {
			for _, user := range []string{"ann", "ben"} {
				list = append(list, HomeSource{User: user, Path: "/srv/" + user})
			}
			return append(list, HomeSource{User: "cat", Path: "/home/cat", Foreign: true})
		},
		Exists: func(string) bool { return true },
		PackHome: func(_ context.Context, user, digest, _ string) (PackedHome, error) {
			text := r.homes[user]
			if digest == sumOf(text) {
				return PackedHome{Unchanged: true, Digest: digest}, nil
			}
			r.packs++
			return PackedHome{ReadCloser: io.NopCloser(strings.NewReader(text)), Digest: sumOf(text), Files: 1,
				Bytes: int64(len(text)), LeftOut: []string{`"pipe": no file`}}, nil
		},
		Space: func(string) (int64, int64, error) { return r.free, 1 << 40, nil },
		Now:   func() time.Time { return r.now },
	})
	return r
}

// must makes a backup that succeeds, and checks all of it.
func (r *rig) must(homes bool) Result {
	r.Helper()
	made, err := r.Make(r.Context(), homes)
	if err != nil {
		r.Fatal(err)
	}
	if _, err := Verify(r.Context(), made.Path); err != nil {
		r.Fatal(err)
	}
	return made
}

func inode(t *testing.T, path string) uint64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Ino
}

func TestMake_UnchangedHome_IsHardLink(t *testing.T) {
	r := newRig(t, t.TempDir())
	first := r.must(true)
	r.homes["ben"], r.changes = "other files", 1
	r.now = noon.Add(24 * time.Hour)
	second := r.must(true)
	for name, same := range map[string]bool{"homes/ann.tar.zst": true, "homes/ben.tar.zst": false,
		DatabaseName: false} {
		if (inode(t, filepath.Join(first.Path, name)) == inode(t, filepath.Join(second.Path, name))) != same {
			t.Errorf("%s: want the same file: %v", name, same)
		}
	}
	if r.packs != 3 {
		t.Errorf("%d archives were made", r.packs)
	}
	r.now = noon.Add(25 * time.Hour)
	third := r.must(false) // without homes it has those of the former one
	if h, there := third.Manifest.FindHome("ben"); !there || !h.ReadAt.Equal(noon.Add(24*time.Hour)) || r.packs != 3 {
		t.Errorf("%+v, %d archives", h, r.packs)
	}
	for _, name := range []string{"homes/ben.tar.zst", DatabaseName} {
		if inode(t, filepath.Join(third.Path, name)) != inode(t, filepath.Join(second.Path, name)) {
			t.Errorf("%s is no hard link", name)
		}
	}
	text := third.Describe()
	for _, want := range []string{"home of cat (the home belongs to another OS account", "of ann: \"pipe\": no file",
		"spool/" + sumOf("gone"), "It may hold secrets: config/seal.key"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
}

func TestMake_LittleRoom_IsRefused(t *testing.T) {
	r := newRig(t, t.TempDir())
	r.o.Homes = func() []HomeSource {
		return []HomeSource{{User: "ann", Path: "/srv/ann", Bytes: 500},
			{User: "cat", Path: "/home/cat", Foreign: true, Bytes: 9000}}
	}
	r.free = (1000+4+500)*22/10 + spare - 1 // the database, a file to be sent and the home that it reads
	if _, err := r.Make(t.Context(), true); err == nil || !strings.Contains(err.Error(), "no room for a backup") {
		t.Error(err)
	}
	if s := r.Status(); s.Running || !strings.Contains(s.Error, "no room") {
		t.Errorf("%+v", s)
	}
	r.free++
	r.must(true)
}

// After a failure of the disk there is no part of a backup.
func TestMake_FullDisk_LeavesNothing(t *testing.T) {
	r := newRig(t, t.TempDir())
	r.o.PackHome = func(context.Context, string, string, string) (PackedHome, error) {
		return PackedHome{ReadCloser: io.NopCloser(failingReader{syscall.ENOSPC})}, nil
	}
	if _, err := r.Make(t.Context(), true); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if entries, err := os.ReadDir(r.o.Dir); err != nil || len(entries) != 1 || entries[0].Name() != JournalName {
		t.Errorf("%v, %v", entries, err)
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

func TestThin_ManyBackups_KeepsPromisedOnes(t *testing.T) {
	r := newRig(t, t.TempDir())
	for n := range 20 * 6 { // six backups a day, for twenty days
		r.now, r.changes = noon.Add(time.Duration(n)*4*time.Hour), uint64(n)
		r.homes["ann"] = fmt.Sprint("files of day ", n/6)
		r.must(n%6 == 0)
	}
	list, err := List(r.o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	days, reads := map[string]bool{}, map[string]bool{}
	for _, f := range list {
		days[f.Manifest.MadeAt.Format("0102")] = true
		if h, there := f.Manifest.FindHome("ann"); there {
			reads[h.ReadAt.Format("0102")] = true
		}
		if _, err := Verify(t.Context(), f.Path); err != nil {
			t.Error(err)
		}
	}
	// 24 recent ones are of 4 or 5 days; the other days have one each.
	if len(days) != keepDaily || len(reads) != keepHomes || len(list) < keepRecent+keepDaily-5 ||
		len(list) > keepRecent+keepDaily {
		t.Errorf("%d backups of %d days with homes of %d times", len(list), len(days), len(reads))
	}
	newest := filepath.Base(list[len(list)-1].Path)
	alone := diskUse(list[len(list)-1].Path)
	r.o.Most = 1
	r.thinTo(alone-1, newest, len(list))
	r.thinTo(alone, newest, keepLeast)
}

// thinTo thins out to a number of bytes that is too small, and checks how many backups are left.
func (r *rig) thinTo(most int64, newest string, want int) {
	r.Helper()
	r.o.Space = func(string) (int64, int64, error) { return 1 << 40, 100 * most, nil }
	note, err := r.thin(r.Context(), newest)
	list, bad := List(r.o.Dir)
	if err != nil || bad != nil || note == "" || len(list) != want || filepath.Base(list[want-1].Path) != newest {
		r.Errorf("%q, %v, %v, %+v", note, err, bad, list)
	}
}

// With a recipient a copy is one sealed file on the state's disk too, and its group may read it.
func TestDeliver_Recipient_IsSealedFile(t *testing.T) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	r, into := newRig(t, t.TempDir()), t.TempDir()
	made, recipient := r.must(true), identity.Recipient().String()
	path, err := Deliver(t.Context(), made.Path, into, recipient, false)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o640 || !strings.HasSuffix(path, sealedSuffix) {
		t.Errorf("%v, %v", info, err)
	}
	if again, err := Deliver(t.Context(), made.Path, into, recipient, false); err == nil || again != "" {
		t.Errorf("%q was replaced: %v", again, err)
	}
}

// A damaged file of the former backup is not linked again.
func TestMake_DamagedFormer_IsReadAnew(t *testing.T) {
	r := newRig(t, t.TempDir())
	first := r.must(true)
	for _, name := range []string{DatabaseName, "homes/ann.tar.zst"} {
		if err := os.WriteFile(filepath.Join(first.Path, name), []byte("rotten"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.now = noon.Add(24 * time.Hour)
	r.must(true) // it checks all of the new backup
}

// After a wrong clock the newest backup has an old time.
func TestThin_ClockWentBack_KeepsNewBackup(t *testing.T) {
	r := newRig(t, t.TempDir())
	for n := range keepRecent + keepDaily {
		r.now, r.changes = noon.Add(time.Duration(n)*24*time.Hour), uint64(n)
		r.must(true)
	}
	r.now = noon.Add(-24 * time.Hour)
	made := r.must(true)
	if _, err := Verify(t.Context(), made.Path); err != nil || len(made.Manifest.Homes) != 2 {
		t.Errorf("%v, %+v", err, made.Manifest.Homes)
	}
}

// A home that is not mounted keeps its last archive while its user exists.
func TestMake_AbsentHome_KeepsArchive(t *testing.T) {
	r := newRig(t, t.TempDir())
	r.must(true)
	r.o.Homes = func() []HomeSource { return []HomeSource{{User: "ann", Path: "/srv/ann", Foreign: true}} }
	r.now = noon.Add(24 * time.Hour)
	made := r.must(true)
	if len(made.Manifest.Homes) != 2 || !strings.Contains(made.Describe(), "home of ben (the home is not there") {
		t.Errorf("%s", made.Describe())
	}
	r.o.Exists = func(user string) bool { return user != "ben" }
	r.now = noon.Add(48 * time.Hour)
	if made = r.must(true); len(made.Manifest.Homes) != 1 {
		t.Errorf("%s", made.Describe())
	}
}

// A kill before the last step of dropping homes does not stop the next thinning.
func TestThinBackup_KilledBeforeEnd_IsFinished(t *testing.T) {
	r := newRig(t, t.TempDir())
	made := r.must(true)
	reduced := made.Path + databaseSuffix
	whole := filepath.Join(t.TempDir(), "whole")
	if err := os.CopyFS(whole, os.DirFS(made.Path)); err != nil {
		t.Fatal(err)
	}
	f := Found{Path: made.Path, Manifest: made.Manifest}
	for range 2 {
		if err := r.dropHomes(t.Context(), f); err != nil || exists(made.Path) || !exists(reduced) {
			t.Fatal(err)
		}
		_ = os.Rename(whole, made.Path)
	}
}

func TestDue_Changes_DecideHourly(t *testing.T) {
	r := newRig(t, t.TempDir())
	check := func(after time.Duration, due, homes bool) {
		t.Helper()
		if d, h := r.due(noon.Add(after)); d != due || h != homes {
			t.Errorf("after %v: %v, %v", after, d, h)
		}
	}
	check(0, true, true)
	r.must(true)
	check(2*time.Hour, false, false)
	r.changes++
	check(59*time.Minute, false, false)
	check(time.Hour, true, false)
	r.o.Size = func() int64 { return largeDatabase + 1 }
	check(time.Hour, false, false)
	check(6*time.Hour, true, false)
	check(24*time.Hour, true, true)
}

func TestExtract_SealedFile_IsWholeBackup(t *testing.T) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, t.TempDir())
	made := r.must(true)
	var file bytes.Buffer
	if err := Write(t.Context(), &file, made.Path, "", false); err == nil || file.Len() > 0 {
		t.Fatalf("written without a recipient: %v", err)
	}
	if err := Write(t.Context(), &file, made.Path, identity.Recipient().String(), false); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(file.Bytes(), []byte("mews.db")) {
		t.Error("it can be read")
	}
	into := filepath.Join(t.TempDir(), "out")
	if err := Extract(t.Context(), bytes.NewReader(file.Bytes()), into, identity); err != nil {
		t.Fatal(err)
	}
	if m, err := Verify(t.Context(), into); err != nil || m.Bytes() != made.Manifest.Bytes() {
		t.Errorf("%v, %v", m, err)
	}
	for _, cut := range []int{0, 10, file.Len() / 2, file.Len() - 1} {
		if err := Extract(t.Context(), bytes.NewReader(file.Bytes()[:cut]), filepath.Join(t.TempDir(), "out"),
			identity); err == nil {
			t.Errorf("the first %d bytes are enough", cut)
		}
	}
}

const killFolder = "MEWS_BACKUP_KILL_FOLDER"

// TestMain runs the test binary as a process that is killed at a step.
func TestMain(m *testing.M) {
	if dir := os.Getenv(killFolder); dir != "" {
		var step, steps int
		if _, err := fmt.Sscan(os.Getenv("MEWS_BACKUP_KILL_STEP"), &step); err != nil {
			panic(err)
		}
		r := newRig(&testing.T{}, dir)
		r.homes["ann"], r.changes, r.now = "changed files", 1, noon.Add(48*time.Hour)
		r.o.step = func() {
			if steps++; steps == step {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
		}
		if _, err := r.Make(context.Background(), true); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A kill at any step leaves only whole backups under their names, and the next backup cleans up.
func TestMake_KilledAtEachStep_LeavesWholeBackups(t *testing.T) {
	from := t.TempDir()
	r := newRig(t, from)
	for n := range 4 { // so that the next backup drops the homes of the oldest
		r.now, r.homes["ben"] = noon.Add(time.Duration(n)*time.Hour), fmt.Sprint("files ", n)
		r.must(true)
	}
	for step := 1; ; step++ {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), killFolder+"="+dir, fmt.Sprint("MEWS_BACKUP_KILL_STEP=", step))
		out, err := child.CombinedOutput()
		if err == nil {
			if step < 15 {
				t.Errorf("there were only %d steps", step)
			}
			break
		}
		exit := new(exec.ExitError)
		if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("step %d: %v, %s", step, err, out)
		}
		wantWhole(t, dir, step)
		next := newRig(t, dir)
		next.now, next.changes = noon.Add(72*time.Hour), 2
		next.must(true)
		wantWhole(t, dir, step)
		if left, _ := fs.Glob(os.DirFS(next.o.Dir), ".*"); len(left) > 0 {
			t.Errorf("step %d: %q were left", step, left)
		}
	}
}

// wantWhole checks that all backups are whole, and that the four first ones are there.
func wantWhole(t *testing.T, dir string, step int) {
	t.Helper()
	list, err := List(filepath.Join(dir, "backups"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range list {
		if _, err := Verify(t.Context(), f.Path); err != nil {
			t.Errorf("step %d: %v", step, err)
		}
		names = append(names, strings.TrimSuffix(filepath.Base(f.Path), databaseSuffix))
	}
	if names = slices.Compact(names); len(names) < 4 {
		t.Errorf("step %d: only %q are there", step, names)
	}
}
