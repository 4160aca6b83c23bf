package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestParse_EachFileKind_WritesTextOrReason: as a parser the program reads a file from standard
// input. It writes a header and the text, or a failure to standard error.
func TestParse_EachFileKind_WritesTextOrReason(t *testing.T) {
	for name, c := range map[string]struct {
		kind, file, out, errs string
		status                int
	}{
		"a page": {"html", "<p>a &amp; b", `{"format":"html"}` + "\na & b", "", 0},
		"a calendar": {"calendar", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20261203\nX-A:1\nEND:VEVENT\n",
			`{"format":"calendar"}` +
				"\nBEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20261203\r\n" +
				"END:VEVENT\r\nEND:VCALENDAR\r\n", "", 0},
		"no calendar":   {"calendar", "hello", "", `{"reason":"no-text"}` + "\n", 1},
		"a document":    {"rtf", `{\rtf1 a}`, `{"format":"rtf"}` + "\na", "", 0},
		"a bad picture": {"picture", "hello", "", `{"reason":"no-picture"}` + "\n", 1},
		"no such kind":  {"hologram", "hello", "", `parse "hologram": there is no such parser` + "\n", 1},
		"a huge text":   {"html", strings.Repeat("<p>", 1<<20) + "a", `{"format":"html"}` + "\na", "", 0},
		"a huge picture": {"picture", "BM" + strings.Repeat("x", 21<<20), "", `{"reason":"large-file","numbers":[20]}` +
			"\n", 1},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(binary, "parse", c.kind)
		var out, errs bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = in, &out, &errs, []string{}
		err = cmd.Run()
		if ended := new(exec.ExitError); err != nil && !errors.As(err, &ended) || in.Close() != nil {
			t.Fatal(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != c.status || out.String() != c.out || errs.String() != c.errs {
			t.Errorf("%s: exit %d, %.200q, %.200q", name, got, out.String(), errs.String())
		}
	}
}
