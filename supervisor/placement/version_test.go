package placement

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor"
)

func TestCheckVersion_OtherVersion_IsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mews-worker")
	for script, want := range map[string]string{
		"echo mews-worker v1.2":            "",
		"echo 'mews-worker v1.2  '":        "",
		"echo mews-worker v1.1":            "is of version v1.1, and this mews is of version v1.2: install",
		"echo mews-worker v1.2-dirty":      "of version v1.2-dirty, and",
		"echo mews-worker v1.20":           "of version v1.20, and",
		"echo mews-worker":                 "of version , and",
		"true":                             "of version , and",
		"echo mews-spawner v1.2":           "of version mews-spawner v1.2, and",
		"exit 1":                           "for its version: exit status 1",
		"kill -9 $$":                       "for its version: signal: killed",
		"echo v1.2":                        "of version v1.2, and",
		"echo mews-worker v1.2; echo more": "of version v1.2\nmore, and",
		"[ -z \"$HOME$MEWS_SPAWNER_FD\" ] && echo mews-worker v1.2": "",
	} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		err := checkVersion(t.Context(), path, "v1.2")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
		invalid := supervisor.ErrorCodeOf(err) == supervisor.CodeInvalid
		if invalid != strings.Contains(want, "of version") { // a program that can't be asked may answer later
			t.Errorf("%s: needs an admin: %v", script, invalid)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := checkVersion(t.Context(), path, "v1.2"); err == nil {
		t.Error("a missing program is accepted")
	}
}
