package spawn

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"mews/protocol/spawnwire"
)

// uids of people without an account, in these tests. No machine has them.
const firstPerson, lastPerson = 70420, 70429

// TestMakeHome_NoUnixAccount_UserUIDOwnsHome: spawners of each privilege make the home. The worker
// has a uid that no account of this machine has. After a restart the worker has the same home.
func TestMakeHome_NoUnixAccount_UserUIDOwnsHome(t *testing.T) {
	if !asRoot() {
		t.Skip("only root can start processes of another account")
	}
	for privilege, attr := range spawners() {
		t.Run(privilege, func(t *testing.T) {
			r := start(t, setup{attr: attr, policy: []string{"worker=/bin/sh", "sandbox=accounts", fmt.Sprintf("people=%d-%d", firstPerson, lastPerson)}})
			group := 0
			if attr != nil {
				group = testSpawnerUID
			}
			// the service's group may make files there
			if err := os.Chown(r.root, group, group); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(r.root, 0o731|os.ModeSticky); err != nil {
				t.Fatal(err)
			}
			for uid := range []uint32{firstPerson, lastPerson} {
				uid := uint32(firstPerson + uid*(lastPerson-firstPerson))
				w := r.workerOf(spawnwire.SpawnRequest{UID: uid, GID: uid, MakeHome: true})
				w.wantAnswer("echo $(id -u) $(stat -c '%u %a' .); echo mine >kept", fmt.Sprintf("%d %[1]d 700", uid))
				w.checkAlive()
				info, err := os.Stat(filepath.Join(r.root, fmt.Sprint("home", w.id), "kept"))
				if err != nil || info.Sys().(*syscall.Stat_t).Uid != uid {
					t.Errorf("what %d has kept: %+v, %v", uid, info, err)
				}
			}
			for _, c := range []struct {
				uid, gid   uint32
				path, want string
			}{
				{firstPerson, firstPerson + 1, "new", "not among the accounts"}, {firstPerson, firstPerson, "home1/new", "without slashes"},
				{firstPerson, firstPerson, "..", "without slashes"}, {workersUID32(), workersUID32(), "new", "no such file"},
				{lastPerson, lastPerson, "home1", fmt.Sprintf("it belongs to uid %d", firstPerson)},
			} {
				r.last++
				r.mustRefuse(spawnwire.SpawnRequest{ID: r.last, UID: c.uid, GID: c.gid, Root: r.root, Path: c.path,
					Profile: "worker", MakeHome: true}, c.want)
			}
		})
	}
}

func workersUID32() uint32 { return uint32(workersUID()) }
