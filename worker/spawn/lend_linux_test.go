package spawn

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
)

// startLending starts a spawner that shares folders of the workers' account with people. It runs as
// root.
func startLending(t *testing.T) *harness {
	t.Helper()
	return start(t, setup{policy: []string{"worker=/bin/sh", "sandbox=accounts", fmt.Sprintf("people=%d-%d", firstPerson, lastPerson)}})
}

// ownerOf returns the owner and group of a file on disk.
func ownerOf(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	st := info.Sys().(*syscall.Stat_t)
	return fmt.Sprint(st.Uid, " ", st.Gid)
}

// TestIdmappedFolder_UserWithOwnUID_KeepsOwners: on disk, a home and a workspace still belong to
// their account, and so do new files. For the worker they belong to the user. All other files keep
// their owners. No account gets more access.
func TestIdmappedFolder_UserWithOwnUID_KeepsOwners(t *testing.T) {
	if !asRoot() {
		t.Skip("only root can lend a folder to another account")
	}
	r := startLending(t)
	code := r.makeFolder("code")
	for name, owner := range map[string]int{"shared": testWorkerUID, "other": 54499, "open": 54499, "roots": 0, "person's": firstPerson} {
		path := filepath.Join(code, name)
		if err := os.WriteFile(path, []byte("here"), 0o640); err != nil {
			t.Fatal(err)
		}
		if err := os.Lchown(path, owner, owner); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(code, "open"), 0o666); err != nil {
		t.Fatal(err)
	}
	shared := fmt.Sprint(testWorkerUID, " ", testWorkerUID)
	bind := spawnwire.BindMount{Name: "code", Root: r.root, Path: "code", Writable: true}
	first := r.workerOf(spawnwire.SpawnRequest{UID: firstPerson, GID: firstPerson, Binds: []spawnwire.BindMount{bind}})
	first.wantAnswer("echo $(id -u) $(stat -c '%u %a' .); echo mine >kept; mkdir dir", fmt.Sprintf("%d %[1]d 700", firstPerson))
	first.wantAnswer("cd /workspaces/code; echo $(stat -c %u shared other roots person\\'s); echo mine >>shared; echo new >new; cat shared | tr '\\n' ' '; echo",
		fmt.Sprint(firstPerson, " 65534 65534 65534")) // the worker sees an account that is not mapped as nobody
	if got := first.readLine(); got != "heremine " {
		t.Errorf("a file of the shared account's: %q", got)
	}
	for _, refused := range []string{"cat other", "cat roots", "cat person\\'s", "echo x >>roots", "chown 0 new", "chown 54499 new"} {
		first.wantAnswer("{ "+refused+"; } 2>/dev/null && echo done || echo refused", "refused")
	}
	// the file is open to all accounts, also to the shared account
	first.wantAnswer("echo more >>open && tail -c5 open", "more")
	home := filepath.Join(r.root, fmt.Sprint("home", first.id))
	for _, path := range []string{home, filepath.Join(home, "kept"), filepath.Join(home, "dir"), filepath.Join(code, "new"), filepath.Join(code, "shared")} {
		if got := ownerOf(t, path); got != shared {
			t.Errorf("%s is %s's on disk", path, got)
		}
	}
	// The user's own home is not shared, but a workspace beside the home is.
	second := r.workerOf(spawnwire.SpawnRequest{UID: lastPerson, GID: lastPerson, MakeHome: true,
		Binds: []spawnwire.BindMount{bind}})
	second.wantAnswer("echo mine >kept; cat /workspaces/code/new; id -u", "new")
	if got := second.readLine(); got != fmt.Sprint(lastPerson) {
		t.Errorf("the second is %s", got)
	}
	if got := ownerOf(t, filepath.Join(r.root, fmt.Sprint("home", second.id), "kept")); got != fmt.Sprint(lastPerson, " ", lastPerson) {
		t.Errorf("what is in a home of one's own is %s's", got)
	}
	for _, w := range []*testWorker{first, second} {
		w.checkAlive()
	}
	r.last++ // a home of a third account is still refused
	strange := r.makeFolder("strange")
	if err := os.Chown(strange, 54499, 54499); err != nil {
		t.Fatal(err)
	}
	r.mustRefuse(spawnwire.SpawnRequest{ID: r.last, UID: firstPerson, GID: firstPerson, Root: r.root, Path: "strange",
		Profile: "worker"}, "belongs to uid 54499")
}

// TestIdmappedFolder_Unsupported_SharesAccount: on a file system without idmapped mounts, users
// share the account of the home.
func TestIdmappedFolder_Unsupported_SharesAccount(t *testing.T) {
	if !asRoot() {
		t.Skip("only root can mount a file system")
	}
	r := startLending(t)
	if err := unix.Mount("none", r.root, "ramfs", 0, "mode=755"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(r.root, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	w := r.workerOf(spawnwire.SpawnRequest{UID: firstPerson, GID: firstPerson})
	w.wantAnswer("echo $(id -u) $(stat -c %u .)", fmt.Sprint(testWorkerUID, " ", testWorkerUID))
	w.checkAlive()
}
