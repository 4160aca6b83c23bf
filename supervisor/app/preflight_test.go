package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// TestPreflight_BesideService_TriesCopy: the running service and its database notice nothing.
func TestPreflight_BesideService_TriesCopy(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "worker: {uids: ''}\n", "ann, role: admin, totp: 'off'")
	l.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	l.Start()
	l.sayAndAwait("ann", "hello", "")
	messages := l.QueryCount("SELECT count(*) FROM inbox")
	if said := runVerb(l, "preflight"); !regexp.MustCompile(` \d+\n$`).MatchString(said) {
		t.Errorf("a preflight does not end with the seconds of the migration: %q", said)
	}
	if n := l.QueryCount("SELECT count(*) FROM inbox"); n != messages {
		t.Errorf("the trial wrote into the database: %d messages, want %d", n, messages)
	}
	l.sayAndAwait("ann", "hello again", "")
	l.Stop()
	if _, err := os.Lstat(filepath.Join(l.Dir, "state", "update-preflight")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the copy of the database is left: %v", err)
	}
	database := filepath.Join(l.Dir, "state", "private", "mews.db")
	if err := os.WriteFile(database, make([]byte, 1<<14), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := runVerb(l, "preflight"); !regexp.MustCompile("database is damaged").MatchString(said) {
		t.Errorf("with a damaged database: %s", said)
	}
}
