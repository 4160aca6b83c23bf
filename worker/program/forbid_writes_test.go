package program

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestForbidWrites_Program_CanOnlyDelete checks a program that writes, deletes and uses a pipe. It
// can delete files and write to the pipe, but not to files.
func TestForbidWrites_Program_CanOnlyDelete(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	const script = `(echo more >>old) 2>/dev/null; sh -c 'echo new >new' 2>/dev/null; cat old | cat; rm old; echo "$1"`
	cmd := exec.Command("/bin/sh", "-c", script, "sh", "an argument")
	cmd.Dir = dir
	ForbidWrites(cmd)
	out, err := cmd.Output()
	if err != nil || strings.TrimSpace(string(out)) != "oldan argument" {
		t.Errorf("%v: %q", err, out)
	}
	if info, err := os.Stat(filepath.Join(dir, "new")); err == nil && info.Size() > 0 {
		t.Errorf("a child wrote %d bytes", info.Size())
	}
}
