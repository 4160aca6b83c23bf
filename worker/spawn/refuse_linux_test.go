package spawn

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol/spawnwire"
)

// TestSpawn_BadRequest_IsRefusedWithReason: a bad request is a fault of the supervisor, or names a
// folder that a user has changed meanwhile.
func TestSpawn_BadRequest_IsRefusedWithReason(t *testing.T) {
	r := startSpawner(t)
	beside := makeHomesFolder(t)
	r.makeFolder("home")
	for name, err := range map[string]error{
		"file":       os.WriteFile(filepath.Join(r.root, "file"), nil, 0o600),
		"link out":   os.Symlink(beside, filepath.Join(r.root, "out")),
		"link up":    os.Symlink("..", filepath.Join(r.root, "up")),
		"magic link": os.Symlink("/proc/self/cwd", filepath.Join(r.root, "magic")),
	} {
		if err != nil {
			t.Fatal(name, err)
		}
	}
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			r.last++
			m := spawnwire.SpawnRequest{ID: r.last, Root: r.root, Path: "home", Profile: "worker"}
			c.change(&m)
			r.mustRefuse(m, c.reason)
		})
	}
	r.worker().write("exit") // the spawner still answers
	nextMessage[spawnwire.ExitedMessage](r)
}

// refusals are changes to a good request, each with the reason in the answer.
var refusals = map[string]struct {
	change func(*spawnwire.SpawnRequest)
	reason string
}{
	"an account of the system": {func(m *spawnwire.SpawnRequest) { m.UID, m.GID = 999, 54321 },
		"not among the accounts"},
	"no account": {func(m *spawnwire.SpawnRequest) { m.UID, m.GID = 1<<32-1, 1<<32-1 },
		"not among the accounts"},
	"a group of the system": {func(m *spawnwire.SpawnRequest) { m.UID, m.GID = 54322, 6 },
		"group 6: it is not among"},
	"the group of root":    {func(m *spawnwire.SpawnRequest) { m.UID, m.GID = 54322, 0 }, "never root"},
	"no such home":         {func(m *spawnwire.SpawnRequest) { m.Path = "nobody" }, "no such file"},
	"no home":              {func(m *spawnwire.SpawnRequest) { m.Path = "" }, "open home"},
	"a file":               {func(m *spawnwire.SpawnRequest) { m.Path = "file" }, "not a directory"},
	"an absolute home":     {func(m *spawnwire.SpawnRequest) { m.Path = "/tmp" }, "cross-device"},
	"a home above":         {func(m *spawnwire.SpawnRequest) { m.Path = "home/../.." }, "cross-device"},
	"a link out":           {func(m *spawnwire.SpawnRequest) { m.Path = "out" }, "cross-device"},
	"a link up":            {func(m *spawnwire.SpawnRequest) { m.Path = "up" }, "cross-device"},
	"a link through /proc": {func(m *spawnwire.SpawnRequest) { m.Path = "magic" }, "open home"},
	"a relative root":      {func(m *spawnwire.SpawnRequest) { m.Root = "tmp" }, "absolute"},
	"no such root":         {func(m *spawnwire.SpawnRequest) { m.Root = "/no/such" }, "open /no/such"},
	"an unknown profile":   {func(m *spawnwire.SpawnRequest) { m.Profile = "root" }, "profile"},
	"a tool's profile":     {func(m *spawnwire.SpawnRequest) { m.Profile = "tool" }, "profile"},
	"a very long home name": {func(m *spawnwire.SpawnRequest) { m.Path = strings.Repeat("n", 4000) },
		"name too long"},

	"a workspace above":         bindCase(func(b *spawnwire.BindMount) { b.Name = ".." }, "without slashes"),
	"a workspace in another":    bindCase(func(b *spawnwire.BindMount) { b.Name = "a/b" }, "without slashes"),
	"all the workspaces":        bindCase(func(b *spawnwire.BindMount) { b.Name = "/" }, "without slashes"),
	"no such workspace":         bindCase(func(b *spawnwire.BindMount) { b.Path = "nothing" }, "no such file"),
	"a workspace of no root":    bindCase(func(b *spawnwire.BindMount) { b.Root = "" }, "absolute"),
	"workspace link to outside": bindCase(func(b *spawnwire.BindMount) { b.Path = "out" }, "cross-device"),
	"workspace is a file":       bindCase(func(b *spawnwire.BindMount) { b.Path = "file" }, "not a directory"),
	"the host's to write": bindCase(func(b *spawnwire.BindMount) { b.Name, b.Writable = "", true },
		"it is for reading"),
	"over the worker's home": bindCase(func(b *spawnwire.BindMount) { b.Name, b.Root, b.Path = "", "/home", "." },
		"of its own there"),
	"over everything": bindCase(func(b *spawnwire.BindMount) { b.Name, b.Root, b.Path = "", "/", "." },
		"of its own there"),
	"over its settings": bindCase(func(b *spawnwire.BindMount) { b.Name, b.Root, b.Path = "", "/", "etc" },
		"of its own there"),
	"path with ..": bindCase(func(b *spawnwire.BindMount) {
		b.Name, b.Root, b.Path = "", "/usr/../etc",
			"."
	}, "of its own there"),
	"a workspace twice": {func(m *spawnwire.SpawnRequest) {
		m.Binds = []spawnwire.BindMount{{Name: "w", Root: m.Root, Path: "home"}, {Name: "w", Root: m.Root,
			Path: "home"}}
	}, "twice"},
}

// bindCase returns a refusal of a wrong workspace.
func bindCase(change func(*spawnwire.BindMount), reason string) struct {
	change func(*spawnwire.SpawnRequest)
	reason string
} {
	return struct {
		change func(*spawnwire.SpawnRequest)
		reason string
	}{func(m *spawnwire.SpawnRequest) {
		b := spawnwire.BindMount{Name: "work", Root: m.Root, Path: "home"}
		change(&b)
		m.Binds = []spawnwire.BindMount{b}
	}, reason}
}

// mustRefuse checks that m is refused, and that the descriptors sent with it are closed.
func (r *harness) mustRefuse(m spawnwire.SpawnRequest, reason string) {
	r.t.Helper()
	socket, stderr := r.request(m)
	defer func() { _, _ = socket.Close(), stderr.Close() }()
	got := nextMessage[spawnwire.RefusedMessage](r)
	if got.ID != m.ID || !strings.Contains(got.Reason, reason) {
		r.t.Errorf("refused with %+v, want %q", got, reason)
	}
	if n, err := stderr.Read(make([]byte, 1)); n != 0 || err == nil {
		r.t.Errorf("the pipe is still open: %d, %v", n, err)
	}
}

func TestSpawn_HomeOfOtherAccount_IsRefused(t *testing.T) {
	r := startSpawner(t)
	m := spawnwire.SpawnRequest{ID: 1, Root: "/", Path: "usr", Profile: "worker"} // this folder belongs to root
	r.mustRefuse(m, fmt.Sprintf("it belongs to uid 0 and not to the worker's uid %d", workersUID()))
}

func TestSpawn_OutsideAllowedRoots_IsRefused(t *testing.T) {
	allowed := makeHomesFolder(t)
	giveToWorkers(t, allowed)
	r := startSpawner(t, "root=/srv/no-such", "root="+allowed)
	m := spawnwire.SpawnRequest{ID: 1, Root: r.root, Path: ".", Profile: "worker"}
	r.mustRefuse(m, "allowed roots")
	m.ID, m.Root, m.Binds = 2, allowed, []spawnwire.BindMount{{Name: "theirs", Root: r.root, Path: "."}}
	r.mustRefuse(m, "allowed roots")
	m.ID, m.Root, m.Binds = 3, allowed+"/", nil
	r.mustRefuse(m, "allowed roots")
}

func TestSpawn_MissingWorker_IsRefused(t *testing.T) {
	r := start(t, setup{policy: []string{"worker=/no/such/mews-worker"}})
	r.makeFolder("home")
	r.mustRefuse(spawnwire.SpawnRequest{ID: 1, Root: r.root, Path: "home", Profile: "worker"},
		"execute /no/such/mews-worker")
}
