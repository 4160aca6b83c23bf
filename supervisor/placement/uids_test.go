package placement

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// TestUIDRange_AlreadyUsed_IsRefused checks that the error names the owner of the used id.
func TestUIDRange_AlreadyUsed_IsRefused(t *testing.T) {
	r := UIDRange{70000, 79999}
	for name, c := range map[string]struct {
		file, text string
		want       string // a part of the error; "" means that the range is free
	}{
		"nobody":                    {"passwd", "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbroken\n", ""},
		"a person":                  {"passwd", "far:x:70000:100::/:/bin/sh\n", "far has an id of that range"},
		"the last":                  {"group", "net:x:79999:\n", "net has an id of that range"},
		"beside it":                 {"group", "a:x:69999:\nb:x:80000:\n", ""},
		"a container":               {"subuid", "ann:65536:65536\n", "ann has an id of that range"},
		"a container below":         {"subuid", "ann:4464:65536\n", ""},
		"a container above":         {"subgid", "ann:100000:65536\n", ""},
		"a container within":        {"subgid", "ben:75000:1\n", "ben has an id of that range"},
		"a container without an id": {"subgid", "ben:75000:0\n", ""},
	} {
		etc := t.TempDir()
		if err := os.WriteFile(filepath.Join(etc, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := r.checkFree(etc, nil, nil)
		if (err == nil) != (c.want == "") || err != nil && !(strings.Contains(err.Error(), c.want) && strings.Contains(err.Error(), c.file)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestUIDRange_OwnsFiles_IsRefused checks that a range that owns files is refused, unless the files
// are users' homes.
func TestUIDRange_OwnsFiles_IsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	dir := t.TempDir()
	home := filepath.Join(dir, "ann")
	if err := errors.Join(os.Mkdir(home, 0o700), os.Chown(home, 70001, 70001)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r       UIDRange
		homes   []string
		refused bool
	}{{UIDRange{70000, 70009}, nil, true}, {UIDRange{70000, 70009}, []string{home}, false}, {UIDRange{80000, 80009}, nil, false}} {
		err := c.r.checkFree(t.TempDir(), []string{"/no/such/folder", dir}, c.homes)
		if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), home) {
			t.Errorf("%s with homes %q: %v", c.r, c.homes, err)
		}
	}
}

// TestUIDRange_UsedByProcess_IsRefused checks real and effective ids of processes, and ids that a
// container does not have.
func TestUIDRange_UsedByProcess_IsRefused(t *testing.T) {
	proc := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(proc, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("7/status", "Name:\tone\nUid:\t70005\t0\t0\t0\nGid:\t0\t0\t0\t0\n")
	write("8/status", "Name:\tUid:\t80005\nUid:\t0\t90005\t0\t0\n")
	write("meminfo", "")
	for r, refused := range map[UIDRange]bool{{70000, 70009}: true, {80000, 80009}: false, {90000, 90009}: true, {70006, 70009}: false} {
		if err := r.checkProcesses(proc); (err != nil) != refused {
			t.Errorf("%s: %v", r, err)
		}
	}
	for text, refused := range map[string]bool{
		"         0          0 4294967295\n": false, "0 100000 65536\n": true, "0 0 65536\n70000 200000 10\n": false, "0 0 70009\n": true, "": true,
	} {
		write("self/uid_map", "0 0 4294967295\n")
		write("self/gid_map", text)
		if err := (UIDRange{70000, 70009}).checkMapped(filepath.Join(proc, "self")); (err != nil) != refused {
			t.Errorf("with the map %q: %v", text, err)
		}
	}
}

type fixedUIDs bool

func (g fixedUIDs) Find(context.Context, string, uint32, uint32) (uint32, error) { return 1, nil }
func (g fixedUIDs) Assign(context.Context, string, uint32, uint32, uint32, []uint32) (uint32, error) {
	return 1, nil
}
func (g fixedUIDs) WasAnyAssigned(context.Context, uint32, uint32) (bool, error) { return bool(g), nil }

// TestUIDRange_OptionalButUsed_IsSkipped checks that the reason is reported, and that users with a
// uid of the range keep their uid. A range that is not optional is refused.
func TestUIDRange_OptionalButUsed_IsSkipped(t *testing.T) {
	t.Setenv(spawnerVariable, "3") // pretends that this machine can run workers under other accounts
	taken := UIDRange{1, 1}        // uid 1 is in every passwd file, as daemon or bin
	for _, c := range []struct {
		optional, given bool
		want            UIDRange
		refused         bool
	}{{false, false, taken, true}, {true, false, UIDRange{}, false}, {true, true, taken, false}} {
		p := &WorkerLocations{Options: Options{UIDs: taken, UIDsOptional: c.optional, Kept: fixedUIDs(c.given),
			Tier: "auto", Log: hclog.NewNullLogger()}}
		err := p.checkUIDs([]supervisor.User{{Name: "ann"}}, nil)
		if (err != nil) != c.refused || p.UIDs != c.want || (p.Sharing != "") != c.optional {
			t.Errorf("%+v: %s, shared because %q, %v", c, p.UIDs, p.Sharing, err)
		}
		if err := p.checkUIDs([]supervisor.User{{Name: "ann", Account: "ann"}}, nil); (err != nil) != c.refused {
			t.Errorf("%+v, where nobody wants one: %v", c, err)
		}
	}
}

// TestOwnUID_NewDatabase_FollowsHomes has homes of an earlier database. Each home goes back to its
// owner. Nobody gets the uid of another user's home, whoever comes first.
func TestOwnUID_NewDatabase_FollowsHomes(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	const from, to = 70000, 70009
	owners := map[string]int{"ann": from, "ben": from + 1, "former": from + 2, "outside": 12345, "twin": from + 3,
		"twin2": from + 3, "kept": from + 5}
	for _, c := range []struct {
		users []string
		want  []uint32
	}{
		{[]string{"zed"}, []uint32{from + 4}},
		{[]string{"ann"}, []uint32{from}},
		{[]string{"ben", "ann"}, []uint32{from + 1, from}},
		{[]string{"zed", "ann", "yan", "ben", "zed"}, []uint32{from + 4, from, from + 6, from + 1, from + 4}},
		{[]string{"former"}, []uint32{from + 2}},
		{[]string{"outside"}, []uint32{from + 4}},
		{[]string{"twin", "twin2"}, []uint32{from + 4, from + 6}},
		{[]string{"zed", "yan", "xan", "win", "vio"}, []uint32{from + 4, from + 6, from + 7, from + 8, from + 9}},
		{[]string{"zed", "yan", "xan", "win", "vio", "una"},
			[]uint32{from + 4, from + 6, from + 7, from + 8, from + 9, 0}},
		{[]string{"../elsewhere"}, []uint32{from + 9}},
	} {
		state := t.TempDir()
		for name, uid := range owners {
			home := filepath.Join(state, "homes", name)
			if err := errors.Join(os.MkdirAll(home, 0o700), os.Chown(home, uid, uid)); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"ann", "former", "twin"} {
			uid := owners[name]
			history := filepath.Join(state, "homes", name+HistorySuffix)
			if err := errors.Join(os.Mkdir(history, 0o700), os.Chown(history, uid, uid)); err != nil {
				t.Fatal(err)
			}
		}
		elsewhere := filepath.Join(state, "elsewhere") // a home that the configuration names
		if err := errors.Join(os.Mkdir(elsewhere, 0o700), os.Chown(elsewhere, to, to)); err != nil {
			t.Fatal(err)
		}
		p := &WorkerLocations{Options: Options{State: state, HistoryDir: filepath.Join(state, "homes"),
			UIDs: UIDRange{from, to}, Kept: openUIDs(t)}}
		for i, name := range c.users {
			uid, err := p.ownUID(supervisor.User{Name: filepath.Base(name), Home: filepath.Join(state, "homes", name)})
			if uid != c.want[i] || (err != nil) != (c.want[i] == 0) {
				t.Errorf("%q: %s has %d, %v, want %d", c.users, name, uid, err, c.want[i])
			}
		}
	}
}

// openUIDs opens the store of a new database.
func openUIDs(t *testing.T) UIDStore {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- db.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ran, db.Close()); err != nil {
			t.Error(err)
		}
	})
	return db.HostUIDs()
}

// TestOwnUID_OptionalRange_SkipsUsedUIDs: in an optional range each installation begins elsewhere,
// and nobody gets the uid of a running process.
func TestOwnUID_OptionalRange_SkipsUsedUIDs(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can start processes of another account")
	}
	from := 3_000_000_000 + uint32(os.Getpid())%10_000*1000
	p := &WorkerLocations{Options: Options{State: t.TempDir(), UIDs: UIDRange{from, from + 999}, UIDsOptional: true,
		Kept: openUIDs(t)}}
	first := p.firstUID()
	foreign := exec.Command("/bin/sleep", "1000")
	foreign.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: first, Gid: first}}
	if err := foreign.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = foreign.Process.Kill()
		_ = foreign.Wait()
	}()
	if err := p.checkUIDs([]supervisor.User{{Name: "ann"}}, nil); err != nil || p.Sharing != "" {
		t.Errorf("%v, shared because %q", err, p.Sharing)
	}
	for i, name := range []string{"ann", "ben", "ann"} {
		uid, err := p.ownUID(supervisor.User{Name: name, Home: filepath.Join(p.State, "homes", name)})
		if want := []uint32{first + 1, first + 2, first + 1}[i]; uid != want || err != nil {
			t.Errorf("%s has %d, %v, want %d", name, uid, err, want)
		}
	}
}

func TestFirstUID_EachInstallation_IsInRange(t *testing.T) {
	for _, r := range []UIDRange{{70000, 79999}, {70000, 70199}, {70000, 70100}, {70000, 70000}, {1, 4_000_000_000}} {
		seen := map[uint32]bool{}
		for i := range 500 {
			p := &WorkerLocations{Options: Options{State: fmt.Sprint("/var/lib/mews", i), UIDs: r, UIDsOptional: true}}
			first := p.firstUID()
			seen[first] = true
			if !r.Contains(first) || first != p.firstUID() || r.To-first < min(uidBlock-1, r.To-r.From) {
				t.Fatalf("%s: %s begins with %d", r, p.State, first)
			}
			p.UIDsOptional = false
			if got := p.firstUID(); got != r.From {
				t.Fatalf("a configured range %s begins with %d", r, got)
			}
		}
		if want := int(min(100, (r.To-r.From+1)/uidBlock)); len(seen) < want*3/4 {
			t.Errorf("%s: 500 installations have %d first uids, want most of %d", r, len(seen), want)
		}
	}
}

// TestCheckOwner_PeopleShare_KeepsHomeOfUID checks the advice of the error. No advice says to give
// one user's home to the shared account.
func TestCheckOwner_PeopleShare_KeepsHomeOfUID(t *testing.T) {
	for _, c := range []struct{ owner, shared uint32 }{{70000, 999}, {999, 999}, {70000, 70000}} {
		p := &WorkerLocations{Workers: Account{c.shared, c.shared}, Sharing: "the range is not free"}
		err := p.checkOwner(supervisor.User{Name: "ann", Home: "/h/ann"}, c.owner, Account{})
		if (err == nil) != (c.owner == c.shared) {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil && (strings.Contains(err.Error(), "chown") || !strings.Contains(err.Error(), p.Sharing)) {
			t.Errorf("%v", err)
		}
	}
}
