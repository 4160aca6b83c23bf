package spawn

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWorker_LinkChanges_RunsOldVersion: another version is installed while the spawner runs. A new
// worker is still of the version with which the spawner has started.
func TestWorker_LinkChanges_RunsOldVersion(t *testing.T) {
	current := filepath.Join(t.TempDir(), "current")
	if err := os.Symlink("/bin", current); err != nil {
		t.Fatal(err)
	}
	r := start(t, setup{policy: []string{"worker=" + current + "/sh"}})
	r.worker().checkAlive()
	broken := filepath.Join(filepath.Dir(current), "new")
	if err := os.Mkdir(broken, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, "sh"), []byte("no program"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := current + ".new"
	if err := os.Symlink(broken, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(link, current); err != nil {
		t.Fatal(err)
	}
	r.worker().checkAlive()
}
