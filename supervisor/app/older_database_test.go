package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// While Mews is stopped, no command updates the database of an earlier version. Only a start does.
func TestUserVerb_OlderDatabase_ChangesNothing(t *testing.T) {
	t.Parallel()
	c := newCommandLine(t, false)
	c.mustRun("user", "list") // the first command makes the database
	path := filepath.Join(c.dir, "state", "private", "mews.db")
	older, err := os.ReadFile(path)
	must(t, err)
	older[63]-- // the last byte of the schema's version in the file
	must(t, os.WriteFile(path, older, 0o600))
	for _, verb := range []string{
		"user list", "user show ann", "user export ann --output " + filepath.Join(c.dir, "ann.tar.gz"), "user add dan",
		"user disable ben", "user invite ann", "audit", "audit verify", "totp status ann", "totp reset ann",
	} {
		c.mustFail("Start Mews once, for example with `mews run`", strings.Fields(verb)...)
		now, err := os.ReadFile(path)
		if must(t, err); !bytes.Equal(now, older) {
			t.Fatalf("mews %s has changed the database", verb)
		}
	}
	if copies, err := filepath.Glob(path + ".schema*"); len(copies) > 0 || err != nil {
		t.Errorf("copies: %q, %v", copies, err)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "ann.tar.gz")); err == nil {
		t.Error("half an export was left")
	}
}

// Nothing but an admin mends a database of a newer version. The service manager learns that from the
// exit status, and does not start Mews again.
func TestRun_NewerDatabase_EndsForGood(t *testing.T) {
	t.Parallel()
	c := newCommandLine(t, false)
	c.mustRun("user", "list") // the first command makes the database
	path := filepath.Join(c.dir, "state", "private", "mews.db")
	newer, err := os.ReadFile(path)
	must(t, err)
	newer[63]++ // the last byte of the schema's version in the file
	must(t, os.WriteFile(path, newer, 0o600))
	if _, said, status := c.run("", "run"); status != 78 || !strings.Contains(said, "used by a newer Mews") {
		t.Errorf("exit status %d: %s", status, said)
	}
}
