package app_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/placement"
)

// history returns the folder of a user's file history.
func (r *unitRig) history(name string) string {
	return filepath.Join(r.Dir, "state", "homes", name+placement.HistorySuffix)
}

// deleteFails deletes a user, and fails if that succeeds or the output lacks want.
func (r *unitRig) deleteFails(name, want string) {
	r.T.Helper()
	out, err := r.verb("user", "delete", name, "--yes").CombinedOutput()
	if err == nil || strings.Contains(string(out), "is deleted") || !strings.Contains(string(out), want) ||
		r.QueryCount("SELECT count(*) FROM message WHERE user = ?", name) == 0 {
		r.T.Errorf("mews user delete %s: %v: %s", name, err, out)
	}
}

// An export has the file history of a home. A deletion deletes it with the home, even if a part of
// both is already gone.
func TestUserDelete_FileHistory_GoesWithHome(t *testing.T) {
	t.Parallel()
	r := newUnitRig(t)
	r.Start()
	for _, name := range []string{"zoe", "yan", "xia", "wim"} {
		r.addUser(name)
		info, err := os.Lstat(r.history(name))
		if err != nil || int(placement.OwnerUID(info)) < r.firstUID {
			t.Fatalf("the file history of %s: %v, %v", name, info, err)
		}
	}
	r.must("", "user", "export", "zoe", "--history", "--output", "zoe.tgz")
	r.checkExport("zoe.tgz")
	versions, err := exec.CommandContext(t.Context(), "sh", "-c", "tar -xOzf "+filepath.Join(r.Dir, "zoe.tgz")+
		" files.tar | tar -xO history/versions.jsonl").CombinedOutput()
	if err != nil || !strings.Contains(string(versions), `"path":"tea.md"`) {
		t.Errorf("the exported versions: %v: %s", err, versions)
	}
	for _, name := range []string{"zoe", "yan", "xia", "wim"} {
		r.must("", "user", "remove", name)
	}
	r.must("", "user", "export", "zoe", "--history", "--output", "removed.tgz")
	r.checkExport("removed.tgz")
	if out, err := r.verb("user", "delete", "zoe", "--dry-run").CombinedOutput(); err == nil &&
		!strings.Contains(string(out), r.history("zoe")) {
		t.Errorf("what would be deleted: %s", out)
	}
	r.must("zoe is deleted.", "user", "delete", "zoe", "--yes")
	r.checkGone("zoe")

	if err := os.RemoveAll(filepath.Join(r.Dir, "state", "homes", "yan")); err != nil {
		t.Fatal(err)
	}
	out, err := r.verb("user", "add", "yan").CombinedOutput()
	if err == nil || !strings.Contains(string(out), r.history("yan")) {
		t.Errorf("another user of that name: %v: %s", err, out)
	}
	r.must("yan is deleted.", "user", "delete", "yan", "--yes")
	r.checkGone("yan")

	foreign := filepath.Join(r.history("xia"), "roots")
	if err := errors.Join(os.Mkdir(foreign, 0o755), os.WriteFile(filepath.Join(foreign, "file"), nil,
		0o600)); err != nil {
		t.Fatal(err)
	}
	r.deleteFails("xia", r.history("xia")+" could not be emptied")
	if err := os.RemoveAll(foreign); err != nil {
		t.Fatal(err)
	}
	r.Stop()
	r.must("xia is deleted.", "user", "delete", "xia", "--yes")
	r.checkGone("xia")
	r.deleteMovedHistory("wim")
}

// deleteMovedHistory deletes a user with a file history in two folders, after a change of the
// configured one.
func (r *unitRig) deleteMovedHistory(name string) {
	r.T.Helper()
	info, err := os.Lstat(r.history(name))
	homes, bad := os.Lstat(filepath.Dir(r.history(name)))
	if err != nil || bad != nil {
		r.T.Fatal(err, bad)
	}
	uid, service := int(placement.OwnerUID(info)), int(placement.OwnerUID(homes))
	histories := filepath.Join(r.Dir, "state", "histories")
	newer := filepath.Join(histories, name+placement.HistorySuffix)
	config, err := os.ReadFile(r.Config)
	index := filepath.Join(newer, "index")
	if err = errors.Join(err, os.Mkdir(histories, 0o711), os.Chown(histories, service, service),
		os.Mkdir(newer, 0o700), os.WriteFile(index, nil, 0o600), os.Chown(index, uid, uid),
		os.Chown(newer, uid, uid)); err != nil {
		r.T.Fatal(err)
	}
	config = bytes.Replace(config, []byte("worker: {"), []byte("worker: {history_dir: "+histories+", "), 1)
	if err := os.WriteFile(r.Config, config, 0o644); err != nil {
		r.T.Fatal(err)
	}
	r.must(name+" is deleted.", "user", "delete", name, "--yes")
	r.checkGone(name)
	if left, err := filepath.Glob(filepath.Join(histories, "*")); err != nil || len(left) > 0 {
		r.T.Errorf("left are %q, %v", left, err)
	}
}
