package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// The uids that people without an account get in these tests. Nobody has them.
const firstUID, lastUID = 70400, 70419

// withOwnUIDs has people live where Mews makes their homes, each with a uid of their own. first is 0 for what is so by default.
func withOwnUIDs(h *apptest.Service, first, last int, people ...string) {
	h.T.Helper()
	text, err := os.ReadFile(h.Config)
	if err != nil {
		h.T.Fatal(err)
	}
	for _, name := range people {
		text = []byte(strings.Replace(string(text), "home: "+h.Home(name)+", ", "", 1))
	}
	if err := os.WriteFile(h.Config, text, 0o600); err != nil {
		h.T.Fatal(err)
	}
	if first > 0 {
		h.Configure(fmt.Sprintf("worker: {uids: %d-%d}\n", first, last))
	}
}

// TestWithNothingConfiguredEachPersonHasAUID, or it is said why not: another service on this machine has one of them.
func TestWithNothingConfiguredEachPersonHasAUID(t *testing.T) {
	if os.Getuid() != 0 {
		return // there is no other account
	}
	_, url := modeltest.NewServer(t, runner)
	h := apptest.NewService(t, url, "ann", "ben")
	withOwnUIDs(h, 0, 0, "ann", "ben")
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

// TestEachPersonHasAUIDOfTheirOwn: who has no account gets a uid that stays theirs, and a home that belongs to it. Whose home
// belongs to the account that people share stays there until an admin has handed it over, by the command that status has.
func TestEachPersonHasAUIDOfTheirOwn(t *testing.T) {
	if os.Getuid() != 0 {
		return // there is no other account
	}
	_, url := modeltest.NewServer(t, runner)
	h := apptest.NewService(t, url, "ann", "ben", "cat")
	withOwnUIDs(h, firstUID, lastUID, "ann", "ben")
	uids := func() map[string]int {
		t.Helper()
		found := map[string]int{}
		for _, name := range []string{"ann", "ben", "cat"} {
			got := newNeighbour(h, name).ask("run echo kept >>kept; echo uid $(id -u) of $(stat -c %u .)")
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
	if !own(first["ann"]) || !own(first["ben"]) || first["ann"] == first["ben"] || own(first["cat"]) {
		t.Errorf("uids: %v", first)
	}
	command := ""
	for _, u := range statusOf(h).Users {
		if (u.HandOver != "") != (u.Name == "cat") {
			t.Errorf("%s: %q", u.Name, u.HandOver)
		}
		if u.Name == "cat" {
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
	if second["ann"] != first["ann"] || second["ben"] != first["ben"] || !own(second["cat"]) {
		t.Errorf("uids: %v, and before %v", second, first)
	}
	for _, u := range statusOf(h).Users {
		if u.HandOver != "" || u.Deaths != 0 {
			t.Errorf("%+v", u)
		}
	}
}
