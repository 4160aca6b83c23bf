package engine

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// runSQLite runs statements on a database with SQLite's own program.
func runSQLite(t *testing.T, path, statements string) (out string, err error) {
	t.Helper()
	all, err := exec.CommandContext(t.Context(), "sqlite3", "-batch", path, statements).CombinedOutput()
	return strings.TrimSpace(string(all)), err
}

// While Mews has the file open, no other program can read or write it. Attempts lose no data.
func TestOpen_OtherProgram_IsLockedOut(t *testing.T) {
	r := newRig(t)
	path := r.db.path
	stop := r.run()
	r.same("write", r.write(note("first")), nil)
	var writers sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	written := 0
	writers.Go(func() {
		for ctx.Err() == nil {
			if err := r.db.Write(t.Context(), fillPages); err != nil {
				t.Error(err)
				return
			}
			written++
		}
	})
	for _, statements := range []string{"SELECT count(*) FROM word", "INSERT INTO word (text) VALUES ('theirs')",
		"PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA journal_mode = DELETE"} {
		if out, err := runSQLite(t, path, statements); err == nil || !strings.Contains(out, "locked") {
			t.Errorf("%s: %q, %v", statements, out, err)
		}
	}
	cancel()
	writers.Wait()
	r.same("rows", r.count("SELECT count(*) FROM word"), written)
	stop()
	for query, want := range map[string]string{"SELECT name FROM setting WHERE user = 'note'": "first",
		"SELECT count(*) > 0 FROM word WHERE text <> 'theirs'": "1", "PRAGMA integrity_check": "ok"} {
		if out, err := runSQLite(t, path, query); err != nil || out != want {
			t.Errorf("%s, once it is closed: %q, %v, want %q", query, out, err, want)
		}
	}
}

// Open fails while another program has the file open.
func TestOpen_FileInUse_Fails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mews.db")
	openAndWrite(t, path, false, note("ours"))
	theirs := exec.CommandContext(t.Context(), "sqlite3", "-batch", path)
	in, err := theirs.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := theirs.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := theirs.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "BEGIN; SELECT name FROM setting WHERE user = 'note';\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ours\n" {
		t.Fatalf("the other program reads %q, %v", line, err)
	}
	db, err := Open(t.Context(), path, Options{Migrations: testMigrations, BusyTimeout: 100 * time.Millisecond})
	if problemOf(err) != ProblemFileLocked {
		t.Errorf("got %v, %v", db, err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := theirs.Wait(); err != nil {
		t.Fatal(err)
	}
	openAndWrite(t, path, false, note("later"))
}
