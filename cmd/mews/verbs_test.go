package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/admin"
)

// commandLine is where an admin types verbs, with no service running.
type commandLine struct {
	t    *testing.T
	dir  string
	file string
}

const threePeople = `state: %[1]s/state
users:
  - {name: ann, role: admin, home: %[1]s/ann, budget: {day: 2.50}}
  - {name: ben, home: %[1]s/ben, totp: required}
  - {name: cleo, home: %[1]s/cleo, totp: off}
`

// newCommandLine has a configuration with three people.
func newCommandLine(t *testing.T) *commandLine {
	t.Helper()
	c := &commandLine{t: t, dir: t.TempDir()}
	c.file = filepath.Join(c.dir, "mews.yaml")
	c.configure(fmt.Sprintf(threePeople, c.dir))
	for _, name := range []string{"ann", "ben", "cleo"} {
		if err := os.Mkdir(filepath.Join(c.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (c *commandLine) configure(text string) {
	c.t.Helper()
	if err := os.WriteFile(c.file, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// does runs a verb that has to end well, and gives what it printed.
func (c *commandLine) does(args ...string) string {
	c.t.Helper()
	var out, errs bytes.Buffer
	if code := dispatch(c.t.Context(), console{in: os.Stdin, out: &out, err: &errs}, append(args, "--config", c.file)); code != 0 {
		c.t.Fatalf("mews %s: exit %d, %s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

func TestAnInviteIsPrintedWithItsLink(t *testing.T) {
	made := admin.InviteResult{Code: "abc", Link: "https://t.me/mews_bot?start=abc"}
	var b bytes.Buffer
	if err := printInvite(&b, "ann", made); err != nil || !strings.Contains(b.String(), made.Link) || !strings.Contains(b.String(), "▀") {
		t.Errorf("printed %q, %v", b.String(), err)
	}
}
