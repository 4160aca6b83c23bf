package restore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"mews/supervisor"
	"mews/supervisor/app/policies"
	"mews/supervisor/backup"
	"mews/supervisor/operation"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// withDatabase opens the database at a path for a function.
func withDatabase(ctx context.Context, path string, use func(*sqlite.DB) error) error {
	db, err := sqlite.Open(ctx, path, sqlite.Options{Policies: policies.All(), WithoutCopy: true})
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	ran := make(chan error, 1)
	go func() { ran <- db.Run(running) }() // the line below waits for this goroutine
	err = use(db)
	stop()
	return errors.Join(err, <-ran, db.Close())
}

// makeBackup makes a backup with a waiting message, a file that is still to be sent, and the homes of
// ann and ben. The archive of ben is sealed for the identity.
func makeBackup(t *testing.T, identity *age.X25519Identity) (dir string) {
	t.Helper()
	state, sum := t.TempDir(), strings.Repeat("0", 64)
	config, key := filepath.Join(state, "mews.yaml"), filepath.Join(state, "seal.key")
	err := errors.Join(os.WriteFile(config, []byte("log: {}"), 0o600), os.WriteFile(key, []byte("key"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	err = withDatabase(t.Context(), filepath.Join(state, "mews.db"), func(db *sqlite.DB) error {
		c, err := db.Conversations().FindOrCreate(t.Context(), "ann", supervisor.ChannelTelegram, "42", "")
		if err == nil {
			_, err = db.Outbox().PutTextNotice(t.Context(), c.ID, "waiting")
		}
		if err != nil {
			return err
		}
		const text = "to send"
		sum = sumText(text)
		m := backup.New(backup.Options{Dir: filepath.Join(state, "backups"), State: state, Version: "1", Most: 100,
			Config: config, SealKey: key,
			Recipient: identity.Recipient().String(), Database: db.BackUp, Changes: db.Changes,
			Size: func() int64 { return 1 << 20 },
			Examine: func(ctx context.Context, path string) error {
				_, err := sqlite.ExamineDatabase(ctx, path)
				return err
			},
			Blobs: func(context.Context) (map[string]bool, error) { return map[string]bool{sum: true}, nil },
			OpenBlob: func(string) (io.ReadCloser, int64, error) {
				return io.NopCloser(strings.NewReader(text)), int64(len(text)), nil
			},
			Homes: func() []backup.HomeSource {
				return []backup.HomeSource{{User: "ann", Path: "/ann"}, {User: "ben", Path: "/ben", Foreign: true}}
			},
			PackHome: packHome,
			Space:    func(string) (free, all int64, err error) { return 1 << 40, 1 << 40, nil },
			Now:      func() time.Time { return noon }})
		made, err := m.Make(t.Context(), true)
		dir = made.Path
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func packHome(_ context.Context, user, _, recipient string) (p backup.PackedHome, err error) {
	var text bytes.Buffer
	w := io.Writer(&text)
	if recipient != "" {
		to, err := age.ParseX25519Recipient(recipient)
		if err != nil {
			return p, err
		}
		sealed, err := age.Encrypt(&text, to)
		if err != nil {
			return p, err
		}
		defer sealed.Close()
		w = sealed
	}
	_, err = io.WriteString(w, "archive of "+user)
	if c, sealed := w.(io.Closer); sealed {
		err = errors.Join(err, c.Close())
	}
	return backup.PackedHome{ReadCloser: io.NopCloser(&text), Digest: user, Files: 1}, err
}

func sumText(text string) string {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("sum-%d", os.Getpid()))
	defer os.Remove(path)
	_ = os.WriteFile(path, []byte(text), 0o600) // a wrong sum fails the test
	sum, _ := sumOf(path)
	return sum
}

// place is a state folder and two homes, with workers that write like package archive.
type place struct {
	*testing.T
	root       string
	after      func(step string) error
	factorsEnd bool     // second factors end
	fails      error    // failure of ann's worker
	invited    int      // calls of Invite
	without    []string // digests of files that are left out of homes
}

func (p *place) home(user string) string { return filepath.Join(p.root, "homes", user) }

func (p *place) options(dir string, identities ...age.Identity) Options {
	state := filepath.Join(p.root, "state")
	return Options{Dir: dir, State: state, Identities: identities, after: p.after,
		Open: func(context.Context) error {
			return errors.Join(os.MkdirAll(filepath.Join(state, "private"), 0o700),
				os.MkdirAll(workFolder(state), 0o700))
		},
		Invite: func(context.Context) { p.invited++ },
		Complete: func(ctx context.Context, path string, r sqlite.Restore, _ bool) (bool, error) {
			r.MissedFire = func(j supervisor.Job, _ time.Time) supervisor.Fire { return supervisor.Fire{Job: j} }
			r.Notices = func(found sqlite.RestoreReport) []supervisor.Delivery {
				waited := found.Users["ann"].Deliveries[0]
				return []supervisor.Delivery{{Text: "restored", Conversation: waited.Conversation}}
			}
			return p.factorsEnd, withDatabase(ctx, path, func(db *sqlite.DB) error {
				_, err := db.Restores().Complete(ctx, r)
				return err
			})
		},
		HomeOf: func(user string) (string, bool) { return p.home(user), true },
		WithHomes: func(ctx context.Context, work func(context.Context) error) error {
			return errors.Join(os.MkdirAll(p.home("ann"), 0o700), os.MkdirAll(p.home("ben"), 0o700), work(ctx))
		},
		Unpack: func(_ context.Context, user string, a Archive, without []string) (r operation.UnpackReport,
			err error) {
			p.without = append(p.without, without...)
			if user == "ann" && p.fails != nil {
				return r, p.fails
			}
			entries, err := os.ReadDir(p.home(user))
			if err != nil || len(entries) > 0 {
				return operation.UnpackReport{NotEmpty: true}, err
			}
			text := make([]byte, a.Ref().Size)
			if _, err := a.ReadAt(text, 0); err != nil {
				return r, err
			}
			return operation.UnpackReport{Files: 1}, os.WriteFile(filepath.Join(p.home(user), "file"), text, 0o600)
		}}
}

// checkWhole checks that all was restored, and that nothing waits but the notice.
func (p *place) checkWhole() {
	p.Helper()
	for _, user := range []string{"ann", "ben"} {
		text, err := os.ReadFile(filepath.Join(p.home(user), "file"))
		if err != nil || string(text) != "archive of "+user {
			p.Errorf("the home of %s: %q, %v", user, text, err)
		}
	}
	state := filepath.Join(p.root, "state")
	if text, err := os.ReadFile(filepath.Join(state, "private", "seal.key")); string(text) != "key" {
		p.Errorf("the key: %q, %v", text, err)
	}
	text, err := os.ReadFile(filepath.Join(state, "private", "spool", sumText("to send")))
	if string(text) != "to send" {
		p.Errorf("the spool: %q, %v", text, err)
	}
	if err := RefuseUnfinished(state); err != nil {
		p.Error(err)
	}
	waits := sqlitetest.QueryColumnInCopy(p, filepath.Join(state, "private", "mews.db"),
		"SELECT text FROM outbox WHERE delivered_at IS NULL")
	if !slices.Equal(waits, []string{"restored"}) {
		p.Errorf("waiting: %q", waits)
	}
}

var errKilled = errors.New("killed")

// A restore that is killed after any step: until it is repeated no service starts, and the repeat
// restores all.
func TestRestore_KilledAfterAnyStep_IsRepeated(t *testing.T) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	dir := makeBackup(t, identity)
	steps := 0
	for kill, whole := 1, false; !whole; kill++ {
		p := &place{T: t, root: t.TempDir()}
		n := 0
		p.after = func(string) error {
			if n++; n == kill {
				return errKilled
			}
			return nil
		}
		_, err := Run(t.Context(), p.options(dir, identity))
		if whole = err == nil; !whole {
			steps++
			unfinished := RefuseUnfinished(filepath.Join(p.root, "state"))
			if !errors.Is(err, errKilled) || unfinished == nil && n < 6 {
				t.Fatalf("after step %d: %v, %v", kill, err, unfinished)
			}
			p.after = nil
			if unfinished != nil {
				_, err = Run(t.Context(), p.options(dir, identity))
				if err != nil {
					t.Fatalf("the repeat after step %d: %v", kill, err)
				}
			}
		}
		p.checkWhole()
	}
	if steps != 7 { // begin, files, database, two homes, homes, end
		t.Errorf("%d steps", steps)
	}
}

// listAll lists all files and folders below a folder.
func listAll(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, _ fs.DirEntry, err error) error {
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestRestore_BadBackupOrPlace_WritesNothing(t *testing.T) {
	identity, err := age.GenerateX25519Identity()
	other, bad := age.GenerateX25519Identity()
	if err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	good := makeBackup(t, identity)
	for name, c := range map[string]struct {
		change     func(dir string, p *place) error
		identities []age.Identity
		want       string
	}{
		"cut database": {func(dir string, _ *place) error { return os.Truncate(filepath.Join(dir, "mews.db"), 4096) },
			[]age.Identity{identity}, "the manifest says"},
		"missing home": {func(dir string, _ *place) error { return os.Remove(filepath.Join(dir, "homes/ann.tar.zst")) },
			[]age.Identity{identity}, "can't be restored"},
		"no identity": {func(string, *place) error { return nil }, nil, "The home of ben is sealed"},
		"other identity": {func(string, *place) error { return nil }, []age.Identity{other},
			"does not open the home of ben"},
		"damaged journal": {func(dir string, _ *place) error {
			return os.WriteFile(filepath.Join(filepath.Dir(dir), "after.log"), []byte("{\"act\":1}\n"), 0o600)
		}, []age.Identity{identity}, "after.log"},
		"full home": {func(_ string, p *place) error {
			return errors.Join(os.MkdirAll(p.home("ann"), 0o700),
				os.WriteFile(filepath.Join(p.home("ann"), "x"), nil, 0o600))
		}, []age.Identity{identity}, "The home of ann is not empty"},
		"used state": {func(_ string, p *place) error {
			return errors.Join(os.MkdirAll(filepath.Join(p.root, "state/private"), 0o700),
				os.WriteFile(filepath.Join(p.root, "state/private/mews.db"), nil, 0o600))
		}, []age.Identity{identity}, "already has files of Mews"},
		"other restore": {func(_ string, p *place) error {
			err := os.MkdirAll(filepath.Join(p.root, "state/private"), 0o700)
			return errors.Join(err, progress{Backup: "other", Dir: "/other"}.save(filepath.Join(p.root, "state")))
		}, []age.Identity{identity}, "mews restore /other"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), filepath.Base(good))
			if err := os.CopyFS(dir, os.DirFS(good)); err != nil {
				t.Fatal(err)
			}
			p := &place{T: t, root: t.TempDir()}
			err := errors.Join(os.MkdirAll(filepath.Join(p.root, "state/private"), 0o700),
				os.Mkdir(filepath.Join(p.root, "state/restoring"), 0o700), c.change(dir, p))
			if err != nil {
				t.Fatal(err)
			}
			before := listAll(t, p.root)
			_, err = Run(t.Context(), p.options(dir, c.identities...))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if after := listAll(t, p.root); !slices.Equal(before, after) {
				t.Errorf("there was %q, and is %q", before, after)
			}
		})
	}
}

// A backup of a later version has a schema that this version does not know.
func TestRestore_FutureSchema_IsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mews.db")
	err := withDatabase(t.Context(), path, func(*sqlite.DB) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	sqlitetest.CreateDatabase(t, path, "PRAGMA user_version = 9999")
	if _, err := sqlite.ExamineDatabase(t.Context(), path); err == nil {
		t.Error("no error")
	}
}

func TestDrill_Backup_ResultIsKept(t *testing.T) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	dir, state := makeBackup(t, identity), t.TempDir()
	err = errors.Join(os.Mkdir(filepath.Join(state, "private"), 0o700), os.Mkdir(workFolder(state), 0o700))
	if err != nil {
		t.Fatal(err)
	}
	open := func(ctx context.Context, path string) error {
		return withDatabase(ctx, path, func(*sqlite.DB) error { return nil })
	}
	if _, was, err := ReadDrill(state); was || err != nil {
		t.Errorf("before: %t, %v", was, err)
	}
	drill := func(sealed int, failure string, identities ...age.Identity) {
		t.Helper()
		before := listAll(t, dir)
		got, err := Drill(t.Context(), dir, state, noon, identities, open)
		kept, was, bad := ReadDrill(state)
		if err != nil || bad != nil || !was || kept != got {
			t.Errorf("kept %+v, %v; got %+v, %v", kept, bad, got, err)
		}
		if got.Sealed != sealed || (got.Failure == "") != (failure == "") || !strings.Contains(got.Failure, failure) {
			t.Errorf("got %+v", got)
		}
		if after := listAll(t, dir); !slices.Equal(before, after) {
			t.Errorf("the backup was changed: %q", after)
		}
	}
	drill(1, "")
	drill(0, "", identity)
	if err := os.Truncate(filepath.Join(dir, "mews.db"), 4096); err != nil {
		t.Fatal(err)
	}
	drill(0, "mews.db", identity)
}

// The journal names an account as `mews user disconnect` writes it.
func TestLater_RevokedAccount_IsUnbound(t *testing.T) {
	at := noon.Add(time.Hour)
	acts, _, _ := later([]backup.Act{{At: at, Kind: backup.ActRevoked, User: "ann", What: "account 123 of telegram"},
		{At: at, Kind: backup.ActRevoked, User: "ben", What: "account"}}, noon)
	want := []sqlite.RestoredAct{{At: at, Kind: sqlite.ActUnbind, User: "ann", Channel: supervisor.ChannelTelegram,
		Account: "123"}, {At: at, Kind: sqlite.ActUnbind, User: "ben"}}
	if !slices.Equal(acts, want) {
		t.Errorf("got %+v", acts)
	}
}

// The service forgets facts and messages again when it starts, and a group stays disallowed.
func TestLater_ForgottenFactAndGroup_AreRepeated(t *testing.T) {
	at, digest := noon.Add(time.Hour), sumText("tea")
	acts, again, open := later([]backup.Act{
		{At: at, Kind: backup.ActForgotten, User: "ann", What: "fact", Digest: digest},
		{At: at, Kind: backup.ActForgotten, User: "ann", What: "file", Digest: digest},
		{At: at, Kind: backup.ActForgotten, User: "ben", What: "span"},
		{At: at, Kind: backup.ActDisallowed, What: "chat -100 of telegram"},
		{At: at, Kind: backup.ActForgotten, User: "cat", What: "dream"},
		{At: noon.Add(-time.Hour), Kind: backup.ActAllowed, What: "chat -100 of telegram"}}, noon)
	want := []sqlite.RestoredAct{{At: at, Kind: sqlite.ActForgetFact, User: "ann", Digest: digest},
		{At: at, Kind: sqlite.ActForgetSpans, User: "ben"},
		{At: at, Kind: sqlite.ActDisallowGroup, Channel: supervisor.ChannelTelegram, Account: "-100"}}
	if !slices.Equal(acts, want) || len(again) != 2 || len(open) != 1 || !strings.Contains(open[0], "cat") {
		t.Errorf("got %+v, %q, %q", acts, again, open)
	}
}

// A file that was deleted after its home was read is left out, even if the database is newer.
func TestRestore_DeletedFile_IsLeftOut(t *testing.T) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	dir := makeBackup(t, identity)
	journal := &backup.Journal{Dir: filepath.Dir(dir)}
	for n, user := range []string{"ann", "ann", "cat"} {
		err = errors.Join(err, journal.Append(backup.Act{At: noon.Add(time.Duration(n) * time.Hour),
			Kind: backup.ActForgotten, User: user, What: "file", Digest: sumText(fmt.Sprint(n))}))
	}
	err = errors.Join(err, journal.Append(backup.Act{At: noon.Add(-time.Hour), Kind: backup.ActForgotten, User: "ann",
		What: "file", Digest: sumText("before")}))
	if err != nil {
		t.Fatal(err)
	}
	p := &place{T: t, root: t.TempDir()}
	if _, err := Run(t.Context(), p.options(dir, identity)); err != nil {
		t.Fatal(err)
	}
	if want := []string{sumText("0"), sumText("1")}; !slices.Equal(p.without, want) {
		t.Errorf("left out: %q, want %q", p.without, want)
	}
}

// The archive of ann makes her worker fail.
func TestRestore_OneBadHome_OthersFollow(t *testing.T) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	dir := makeBackup(t, identity)
	p := &place{T: t, root: t.TempDir(), fails: errors.New("a bomb\x1b[2J")}
	r, err := Run(t.Context(), p.options(dir, identity))
	if err != nil || len(r.NotDone) != 1 || r.Homes["ben"].Files != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if text := r.Text(); !strings.Contains(text, "The home of ann is not restored: a bomb[2J. Repeat") {
		t.Errorf("the text says\n%s", text)
	}
	p.fails = nil
	if done, err := User(t.Context(), p.options(dir, identity), "ann"); err != nil || done.Files != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	p.checkWhole()
}

// The restore is killed after its database step.
func TestRestore_Repeated_InvitesAndListsActs(t *testing.T) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	dir := makeBackup(t, identity)
	journal := &backup.Journal{Dir: filepath.Dir(dir)}
	err = journal.Append(backup.Act{At: noon.Add(time.Hour), Kind: backup.ActDeleted, User: "cat"})
	if err != nil {
		t.Fatal(err)
	}
	p := &place{T: t, root: t.TempDir(), factorsEnd: true, after: func(step string) error {
		if step == "database" {
			return errKilled
		}
		return nil
	}}
	if _, err := Run(t.Context(), p.options(dir, identity)); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	p.after = nil
	r, err := Run(t.Context(), p.options(dir, identity))
	if err != nil || len(r.Open) != 1 || p.invited != 1 {
		t.Errorf("%+v, %d invites, %v", r, p.invited, err)
	}
}

// A copy elsewhere has the journal as it was then, and the one beside it may know more.
func TestJournal_TwoOfThem_EachActOnce(t *testing.T) {
	act := func(hours int, user string) backup.Act {
		return backup.Act{At: noon.Add(time.Duration(hours) * time.Hour), Kind: backup.ActDisabled, User: user}
	}
	both := Journal{Acts: []backup.Act{act(1, "ann"), act(3, "cat")}, Skipped: 1, Known: true}.and(
		Journal{Acts: []backup.Act{act(1, "ann"), act(2, "ben")}, Known: true})
	names := ""
	for _, a := range both.Acts {
		names += a.User + " "
	}
	if names != "ann ben cat " || !both.Known || both.Skipped != 1 || (Journal{}).and(Journal{}).Known {
		t.Errorf("%+v", both)
	}
}

func TestReadJournal_NoRegularFile_IsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, backup.JournalName)
	if err := os.Symlink("/dev/null", path); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadJournal(t.TempDir()); err != nil {
		t.Error(err)
	}
	if _, err := ReadJournal(path); err == nil {
		t.Error("a link is no error")
	}
}

func TestOpenWork_LeftByKill_IsEmpty(t *testing.T) {
	state := t.TempDir()
	left := filepath.Join(workFolder(state), "backup", "mews.db")
	if err := errors.Join(os.MkdirAll(filepath.Dir(left), 0o700), os.WriteFile(left, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	folder, end, err := OpenWork(state)
	if err != nil {
		t.Fatal(err)
	}
	if names := listAll(t, folder); len(names) != 1 {
		t.Errorf("there is %q", names)
	}
	if _, _, err := OpenWork(state); err == nil || !strings.Contains(err.Error(), "Another restore") {
		t.Error(err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}
