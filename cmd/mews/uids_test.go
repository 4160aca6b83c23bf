package main_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/placement"
)

// Range of uids for users without an account. No account has these uids, and no other run of these
// tests uses them.
var (
	firstUID = 71000 + os.Getpid()%400*20
	lastUID  = firstUID + 19
)

// giveOwnUIDs gives each user a uid, and a home that Mews makes. If first is 0, the default range
// is used.
func giveOwnUIDs(h *apptest.Service, first, last int, people ...string) {
	h.T.Helper()
	for _, name := range people {
		replaceConfig(h, "home: "+h.UserHome(name)+", ", "")
	}
	if first > 0 {
		h.AppendConfig(fmt.Sprintf("worker: {uids: %d-%d}\n", first, last))
	}
}

// replaceConfig replaces a text in a configuration, once.
func replaceConfig(h *apptest.Service, from, to string) {
	h.T.Helper()
	text, err := os.ReadFile(h.Config)
	if err == nil {
		err = os.WriteFile(h.Config, []byte(strings.Replace(string(text), from, to, 1)), 0o600)
	}
	if err != nil {
		h.T.Fatal(err)
	}
}

// TestUIDs_DefaultRange_EachUserHasUID: without a configured range each user has a uid. If another
// service on this machine uses a uid of the range, the status tells so.
func TestUIDs_DefaultRange_EachUserHasUID(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can start processes of another account")
	}
	_, url := modeltest.NewServer(t, runCommandModel)
	h := apptest.NewService(t, url, "ann", "ben")
	giveOwnUIDs(h, 0, 0, "ann", "ben")
	h.Start()
	defer h.Stop()
	uids := map[string]bool{}
	for _, name := range []string{"ann", "ben"} {
		told := strings.Fields(newNeighbour(h, name).ask("run echo kept >kept; echo $(stat -c %u . kept) $(id -u)"))
		uids[strings.Join(told[len(told)-3:], " ")] = true
	}
	s := statusOf(h)
	t.Logf("%v, shared because %q", uids, s.Sharing)
	for _, u := range s.Users {
		if u.Shares != (s.Sharing != "") || u.HandOver != "" || u.Deaths != 0 {
			t.Errorf("%+v", u)
		}
	}
	if (len(uids) == 1) != (s.Sharing != "") {
		t.Errorf("%v, shared because %q", uids, s.Sharing)
	}
}

// TestUIDs_ConfiguredRange_UserKeepsUID: a user without an account gets a uid and keeps it. The uid
// owns a home that Mews makes. Workspaces and homes of the shared account still belong to that
// account, and are shared by idmapped mounts. If the file system does not support that, the user
// keeps the shared account until an admin hands the home over, by the command in status.
func TestUIDs_ConfiguredRange_UserKeepsUID(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can start processes of another account")
	}
	_, url := modeltest.NewServer(t, runCommandModel)
	h := apptest.NewService(t, url, "ann", "ben", "cat", "dan")
	giveOwnUIDs(h, firstUID, lastUID, "ann", "ben")
	code := filepath.Join(h.Dir, "code")
	if err := errors.Join(os.Mkdir(code, 0o700), mountPlain(h.UserHome("dan"))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unmount(h.UserHome("dan")) })
	for _, dir := range []string{code, h.UserHome("dan")} {
		apptest.ChownToWorkers(t, dir)
	}
	replaceConfig(h, "{name: cat, ", "{name: cat, workspaces: ["+code+"], ")
	uids := func() map[string]int {
		t.Helper()
		found := map[string]int{}
		for _, name := range []string{"ann", "ben", "cat", "dan"} {
			got := newNeighbour(h, name).ask("run echo kept >>kept; [ ! -e /workspaces/code ] || echo mine >>/workspaces/code/mine; echo uid $(id -u) of $(stat -c %u .)")
			_, rest, _ := strings.Cut(got, "uid ")
			uid, owner, _ := strings.Cut(strings.TrimSpace(rest), " of ")
			n, err := strconv.Atoi(uid)
			if err != nil || owner != uid {
				t.Fatalf("%s: %q", name, got)
			}
			found[name] = n
		}
		return found
	}
	own := func(uid int) bool { return uid >= firstUID && uid <= lastUID }
	h.Start()
	first := uids()
	if !own(first["ann"]) || !own(first["ben"]) || !own(first["cat"]) || first["ann"] == first["ben"] || own(first["dan"]) {
		t.Errorf("uids: %v", first)
	}
	for _, path := range []string{filepath.Join(h.UserHome("cat"), "kept"), filepath.Join(code, "mine")} {
		if info, err := os.Stat(path); err != nil || int(placement.OwnerUID(info)) != first["dan"] {
			t.Errorf("%s: %+v, %v", path, info, err)
		}
	}
	command := ""
	for _, u := range statusOf(h).Users {
		if (u.HandOver != "" || u.Shares) != (u.Name == "dan") {
			t.Errorf("%+v", u)
		}
		if u.Name == "dan" {
			command = u.HandOver
		}
	}
	h.Stop()
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
	h.Start()
	defer h.Stop()
	second := uids()
	if second["ann"] != first["ann"] || second["ben"] != first["ben"] || second["cat"] != first["cat"] || !own(second["dan"]) {
		t.Errorf("uids: %v, and before %v", second, first)
	}
	for _, u := range statusOf(h).Users {
		if u.HandOver != "" || u.Shares || u.Deaths != 0 {
			t.Errorf("%+v", u)
		}
	}
}

// TestUIDs_RangeChanges_HomeGetsNewOwner: a home of a uid outside the new range is not served.
// doctor prints the command that repairs the home, in each tier of walls.
func TestUIDs_RangeChanges_HomeGetsNewOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can start processes of another account")
	}
	_, url := modeltest.NewServer(t, runCommandModel)
	h := apptest.NewService(t, url, "ann", "zoe")
	giveOwnUIDs(h, firstUID, lastUID, "ann", "zoe")
	h.Start()
	newNeighbour(h, "zoe").ask("run echo kept >kept")
	h.Stop()
	worker := fmt.Sprintf("worker: {uids: %d-%d", firstUID, lastUID)
	for _, now := range []string{fmt.Sprintf("worker: {uids: %d-%d", firstUID+10000, lastUID+10000), worker + ", sandbox: namespaces"} {
		replaceConfig(h, worker, now)
		worker = now
		h.Start()
		out, err := exec.CommandContext(t.Context(), filepath.Join(h.Bin, "mews"), "doctor", "--config", h.Config).CombinedOutput()
		commands := regexp.MustCompile(`chown .*/homes/zoe`).FindAllString(string(out), -1)
		if err == nil || len(commands) != 1 || !strings.Contains(string(out), "BAD   service   the worker of zoe can't be started: ") ||
			strings.Contains(string(out), "others share. Stop") {
			t.Fatalf("doctor: %v: %s", err, out)
		}
		h.Stop()
		if out, err := exec.Command("sh", "-c", commands[0]).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", commands[0], err, out)
		}
		h.Start()
		if got := newNeighbour(h, "zoe").ask("run cat kept; echo more >>kept; stat -c 'uid %u' kept"); !strings.Contains(got, "kept") {
			t.Errorf("after %s zoe was answered %q", commands[0], got)
		}
		h.Stop()
	}
}
