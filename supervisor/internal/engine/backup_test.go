package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
)

// backUp copies the rig's database. During the copying, the function meanwhile is called once,
// before the first page.
func (r *rig) backUp(ctx context.Context, meanwhile func()) (path string, result BackupResult, err error) {
	path = filepath.Join(r.TempDir(), "copy.db")
	result, err = r.db.BackUp(ctx, path, BackupOptions{MaxJournal: 1 << 20, Run: func(fn func() error) error {
		meanwhile()
		return fn()
	}})
	return path, result, err
}

// Writes during a backup succeed at once, and are not in the copy. After it the file takes them.
func TestBackUp_WritesMeanwhile_AreNotInCopy(t *testing.T) {
	r := newRig(t)
	stop := r.run()
	r.same("write", errors.Join(r.write(fillPages), r.write(note("a"))), nil)
	changes := r.db.Changes()
	path, result, err := r.backUp(t.Context(), func() {
		r.same("write meanwhile", r.write(note("b")), nil)
		_, _, err := r.backUp(t.Context(), func() {})
		r.same("a second backup is busy", errors.Is(err, ErrFileBusy), true)
	})
	r.same("error", err, nil)
	r.same("result", result, BackupResult{Schema: 1, Changes: changes})
	r.same("changes", r.db.Changes(), changes+1)
	r.same("notes", r.notes(), "a b")
	_, _, err = r.backUp(t.Context(), func() {})
	r.same("the next backup", err, nil)
	stop()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	r.same("files", filesBeside(t, path), "copy.db")
	_, err = Examine(t.Context(), path, Options{Migrations: testMigrations})
	r.same("the copy is sound", err, nil)
	if r.db, err = Open(t.Context(), path, Options{Migrations: testMigrations}); err != nil {
		t.Fatal(err)
	}
	r.same("notes of the copy", r.notes(), "a")
	r.same("close", r.db.Close(), nil)
}

func TestBackUp_Failure_LeavesDatabaseWritable(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	for name, c := range map[string]struct {
		ctx       context.Context
		meanwhile func(r *rig)
		want      error
	}{
		"long journal": {t.Context(), func(r *rig) {
			r.same("write", r.write(note(strings.Repeat("x", 3<<20))), nil)
		}, ErrJournalTooLong},
		"lost connection": {t.Context(), func(r *rig) {
			r.same("close the connection", r.db.with(func(c *connection) error {
				defer func() { r.db.conn = nil }()
				return c.close()
			}), nil)
			r.same("write", r.write(note("b")), nil)
		}, ErrFileChanged},
		"no new connection": {t.Context(), func(r *rig) {
			r.same("lose the file", r.db.with(func(c *connection) error {
				r.db.conn, r.db.path = nil, filepath.Join(r.TempDir(), "missing", "mews.db")
				return c.close()
			}), nil)
		}, sqlite3.CANTOPEN},
		"ended": {ended, func(*rig) { end() }, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			defer r.run()()
			path := r.db.path
			r.same("write", r.write(fillPages), nil)
			if _, _, err := r.backUp(c.ctx, func() { c.meanwhile(r) }); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			r.db.mu.Lock()
			r.db.path = path
			r.db.mu.Unlock()
			r.same("frozen", r.db.frozen.Load(), false)
			r.same("write", r.write(note("c")), nil)
			_, _, err := r.backUp(t.Context(), func() {})
			r.same("the next backup", err, nil)
		})
	}
}

// The end of Run moves the journal into the file, so a backup that still runs is refused.
func TestBackUp_EndOfRun_IsAnError(t *testing.T) {
	r := newRig(t)
	stop := r.run()
	r.same("write", r.write(note("a")), nil)
	_, _, err := r.backUp(t.Context(), stop)
	r.same("refused", errors.Is(err, ErrFileChanged) || errors.Is(err, ErrClosed), true)
}

// A backup waits for a check that reads the file.
func TestBackUp_LateCheck_IsWaitedFor(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	r.same("write", r.write(note("a")), nil)
	r.same("freeze", r.db.with(func(c *connection) error {
		r.db.late.Store(true)
		r.db.frozen.Store(true)
		return c.freezeFile()
	}), nil)
	ended, end := context.WithCancel(t.Context())
	end()
	_, _, err := r.backUp(ended, func() {})
	r.same("it waits", errors.Is(err, context.Canceled), true)
	r.same("check", r.db.checkLate(t.Context()), nil)
	_, _, err = r.backUp(t.Context(), func() {})
	r.same("backup", err, nil)
}
