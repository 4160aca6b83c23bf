package deploy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestUpdate_InstalledRelease_MovesOrReturns installs a release with an instance beside the first one,
// and updates both over a folder, as the manual says. MEWS_UPDATE=1 also updates to a version that ends
// before it opens, and to one that ends whenever it has opened.
func TestUpdate_InstalledRelease_MovesOrReturns(t *testing.T) {
	f := newFeed(t)
	f.release("v1.0.0", nil)
	f.release("v1.1.0", nil)
	c := boot(t, emptyLocal(t), f.dir)
	c.publish("v1.0.0")
	c.run(`cd /root; tar -xzf mews/v1.0.0/mews-*.tar.gz; cd mews-v1.0.0-*
		printf 'token_file: none\nmodel: offline\ntimezone: UTC\nmonth: 0\nupdates: /srv/feed\n' >/root/answers
		./mews install --answers /root/answers --person ann:admin:own --person bob:own
		./mews install --answers /root/answers --instance lab --person lea:admin:new`)
	c.until("mews status")
	c.run("echo 'create a.md with tea' | mews chat --user ann; mews update --check | grep -q 'v1.0.0 is the newest'")

	// without a request the updater does nothing, in the unit's sandbox
	c.run("systemctl start mews-update || { journalctl --no-pager -o cat -u mews-update; exit 1; }")

	c.publish("v1.1.0")
	c.run("mews update --config /etc/mews-lab/mews.yaml") // the second instance asks for both
	c.awaitResult("v1.1.0 is installed")
	for _, instance := range []string{"", "-lab"} {
		c.checkVersion(instance, "v1.1.0")
	}
	c.checkLinks("v1.1.0", "v1.1.0", "v1.1.0")
	c.run("mews install status; echo 'read a.md' | mews chat --user ann | grep -q tea")
	c.run("test -z \"$(ls /opt/mews/update/trial* 2>/dev/null)\"")
	if os.Getenv("MEWS_UPDATE") == "" {
		return
	}
	f.release("v1.2.0", endBeforeOpening)
	f.release("v1.3.0", endAfterOpening)
	c.diesBeforeItOpens()
	c.diesAfterItOpened()
}

// Changes of the function that records the opening of a version: the first text is replaced by the
// second.
var (
	endBeforeOpening = []string{"return s.db.Openings().Put(", "os.Exit(ExitFault)\n\treturn s.db.Openings().Put("}
	endAfterOpening  = []string{"if err != nil || opened == s.version {\n\t\treturn err",
		"if err == nil && !s.safe.on {\n\t\t_ = s.db.Openings().Put(ctx, s.version)\n\t\tos.Exit(ExitFault)\n\t}\n" +
			"\tif err != nil || opened == s.version {\n\t\treturn err"}
)

// diesBeforeItOpens updates to a version that migrates the database and then ends. The old version
// returns with its database, and the second instance does not move.
func (c *container) diesBeforeItOpens() {
	c.t.Helper()
	c.publish("v1.2.0")
	c.run("mews update")
	c.awaitResult("v1.2.0 was not installed: v1.2.0 did not start in 1m0s, so v1.1.0 runs again")
	c.checkVersion("", "v1.1.0")
	c.checkVersion("-lab", "v1.1.0")
	c.checkLinks("v1.1.0", "v1.1.0", "v1.1.0")
	c.run("ls /var/lib/mews/private/mews.db*unopened*; echo 'read a.md' | mews chat --user ann | grep -q tea; " +
		"test $(cat /opt/mews/update/failed) = v1.2.0")
	if said := c.run("systemctl show -P StatusText mews"); strings.Contains(said, "SAFE MODE") {
		c.t.Errorf("the old version is in safe mode: %s", said)
	}
}

// diesAfterItOpened updates to a version that opens and then ends, again and again. It stays, and
// starts in safe mode.
func (c *container) diesAfterItOpened() {
	c.t.Helper()
	c.publish("v1.3.0")
	c.run("mews update")
	c.awaitResult("v1.3.0 was not installed: v1.3.0 took over and then stopped answering")
	c.checkVersion("", "v1.3.0")
	c.checkVersion("-lab", "v1.1.0")
	c.checkLinks("v1.3.0", "v1.1.0", "v1.1.0")
	c.until("systemctl show -P StatusText mews | grep 'SAFE MODE'")
}

// awaitResult waits until mews-update has written a result.
func (c *container) awaitResult(want string) {
	c.t.Helper()
	for range 4 { // one command here may take a minute
		if _, err := c.try("timeout 50 sh -c 'until test -e /opt/mews/update/result; do sleep 1; done'"); err == nil {
			break
		}
	}
	if said, err := c.try("cat /opt/mews/update/result"); err != nil || !strings.Contains(said, want) {
		units, _ := c.try("systemctl status --no-pager 'mews-update*'; journalctl --no-pager -o cat -u mews-update")
		c.t.Fatalf("the result of mews-update is %q, want %q\n%s\n%s", said, want, units, c.journal())
	}
}

// checkVersion waits until an instance answers, and checks its version.
func (c *container) checkVersion(instance, want string) {
	c.t.Helper()
	status := "/opt/mews/current" + instance + "/mews status --json --config /etc/mews" + instance + "/mews.yaml"
	c.until(status)
	var s struct{ Version string }
	if err := json.Unmarshal([]byte(c.run(status)), &s); err != nil || s.Version != want {
		c.t.Errorf("mews%s runs %s, want %s: %v", instance, s.Version, want, err)
	}
}

// checkLinks checks where the links of both instances and of the updater lead.
func (c *container) checkLinks(first, lab, updater string) {
	c.t.Helper()
	want := fmt.Sprintf("versions/%s\nversions/%s\nversions/%s", first, lab, updater)
	if got := c.run("cd /opt/mews; readlink current current-lab updater"); got != want {
		c.t.Errorf("the links lead to\n%s\nwant\n%s", got, want)
	}
}

// publish puts a release and its index on the feed.
func (c *container) publish(version string) {
	c.t.Helper()
	c.run("mkdir -p /srv/feed; cp " + version + "/* /srv/feed/; rm -f /opt/mews/update/result")
}

// feed makes signed releases with keys of its own.
type feed struct {
	t    *testing.T
	dir  string // a folder for each release, with its archive and the index
	tool string // deploy/release
	keys string
	last string // the newest index, or ""
}

func newFeed(t *testing.T) *feed {
	t.Helper()
	f := &feed{t: t, dir: t.TempDir()}
	work := t.TempDir()
	f.tool, f.keys = filepath.Join(work, "release"), filepath.Join(work, "keys")
	f.command(nil, "go", "build", "-o", f.tool, "./deploy/release")
	f.command(nil, f.tool, "keys", f.keys)
	return f
}

// release makes a release. change replaces a text in supervisor/app/trial.go by another one; a changed
// version also migrates the database.
func (f *feed) release(version string, change []string) {
	f.t.Helper()
	name := "mews-" + version + "-linux-" + runtime.GOARCH
	programs, out := filepath.Join(f.t.TempDir(), name), filepath.Join(f.dir, version)
	public, err := os.ReadFile(filepath.Join(f.keys, "public"))
	if err := errors.Join(err, os.Mkdir(out, 0o755)); err != nil {
		f.t.Fatal(err)
	}
	f.command(nil, "go", "build", "-trimpath", "-buildvcs=false", "-overlay", f.overlay(change),
		"-ldflags", "-s -w -X main.version="+version+
			" -X mews/supervisor/release.compiledKeys="+strings.TrimSpace(string(public)),
		"-o", programs+"/", "./cmd/...")
	archive, err := os.Create(filepath.Join(out, name+".tar.gz"))
	if err != nil {
		f.t.Fatal(err)
	}
	f.command(archive, f.tool, "pack", programs, name, "0")
	index, err := os.Create(filepath.Join(out, "mews-index"))
	if err := errors.Join(err, archive.Close()); err != nil {
		f.t.Fatal(err)
	}
	f.command(index, f.tool, "index", filepath.Join(f.keys, "key-1"), filepath.Join(f.keys, "public"), f.last, "", out,
		version, "")
	if f.last = index.Name(); index.Close() != nil {
		f.t.Fatal(f.last)
	}
}

// overlay writes the file for `go build -overlay` that changes the source.
func (f *feed) overlay(change []string) string {
	f.t.Helper()
	dir := f.t.TempDir()
	replaced := map[string]string{}
	replace := func(path, text string) {
		f.t.Helper()
		path, err := filepath.Abs(filepath.Join("..", path))
		file := filepath.Join(dir, filepath.Base(path))
		if err := errors.Join(err, os.WriteFile(file, []byte(text), 0o600)); err != nil {
			f.t.Fatal(err)
		}
		replaced[path] = file
	}
	if change != nil {
		const source = "supervisor/app/trial.go"
		text, err := os.ReadFile(filepath.Join("..", source))
		if err != nil || strings.Count(string(text), change[0]) != 1 {
			f.t.Fatalf("%s does not have %q once: %v", source, change[0], err)
		}
		replace(source, strings.Replace(string(text), change[0], change[1], 1))
		const migrations = "supervisor/sqlite/migration"
		all, err := os.ReadDir(filepath.Join("..", migrations))
		if err != nil {
			f.t.Fatal(err)
		}
		replace(fmt.Sprintf("%s/%04d_proof.sql", migrations, len(all)+1),
			"CREATE TABLE proof (id INTEGER PRIMARY KEY) STRICT;\n")
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	file := filepath.Join(dir, "overlay.json")
	if err := errors.Join(err, os.WriteFile(file, text, 0o600)); err != nil {
		f.t.Fatal(err)
	}
	return file
}

// command runs a program in the module's folder. Its output goes to out, or nowhere.
func (f *feed) command(out *os.File, args ...string) {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	if out != nil {
		cmd.Stdout = out
	}
	if err := cmd.Run(); err != nil {
		f.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, &said)
	}
}
