package app

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
)

// TestUserDelete_List_NeedsNoSpawner: root asks what would be deleted, while Mews is stopped.
// Neither mews-spawner nor mews-worker is installed next to the program.
func TestUserDelete_List_NeedsNoSpawner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can act as the folder's owner")
	}
	c := newCommandLine(t, false)
	c.mustRun("user", "add", "eve")
	c.mustRun("user", "remove", "eve")
	state, alone := filepath.Join(c.dir, "state"), filepath.Join(t.TempDir(), "mews")
	must(t, errors.Join(os.Chmod(c.dir, 0o711), os.Chmod(filepath.Dir(c.dir), 0o711)))
	must(t, exec.CommandContext(t.Context(), "chown", "-R", "4711:4711", state).Run())
	must(t, exec.CommandContext(t.Context(), "cp", filepath.Join(apptest.BuildPrograms(t), "mews"),
		alone).Run())
	for yes, want := range map[string]string{"": "Nothing was deleted", "--yes": "the process that reads a folder"} {
		args := strings.Fields("user delete eve " + yes + " --config " + c.file)
		out, err := exec.CommandContext(t.Context(), alone, args...).CombinedOutput()
		if text := string(out); err == nil || !strings.HasPrefix(text, "Stored data of eve:\n\n  ") ||
			!strings.Contains(text,
				want) {
			t.Errorf("user delete %s: %s, want %q", yes, text, want)
		}
	}
}

// The deletion of eve was cut off after its first step.
func TestUserList_BegunDeletion_IsNamed(t *testing.T) {
	c := newCommandLine(t, true)
	c.mustRun("user", "add", "eve")
	c.mustRun("user", "remove", "eve")
	const line = "The deletion of eve has begun and not ended. `mews user delete eve` goes on with it.\n"
	list := func(when string, named bool) {
		if out := c.mustRun("user", "list"); strings.HasSuffix(out, line) != named {
			t.Errorf("%s: %q", when, out)
		}
	}
	list("before the deletion", false)
	must(t, c.s.db.UserAccessStores().People.BeginDeletion(t.Context(), "eve", ""))
	list("during the deletion", true)
	must(t, c.s.db.Audit().Append(t.Context(), "eve", "user.deleted", ""))
	list("after the deletion", false)
}
