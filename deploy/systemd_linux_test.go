package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	unit   = "systemd/mews.service"
	dropIn = "systemd/mews.service.d/no-user-namespaces.conf"
)

// people are who stand in the configuration. Each has an account and a home of it; carl has
// neither.
const people = `
users:
  - {name: ann, role: admin, account: ann, home: /srv/mews/ann}
  - {name: bob, account: bob, home: /srv/mews/bob}
  - {name: carl}
`

// TestAsAService installs Mews by the commands that the unit's own head gives, in a booted system,
// and lives through a day of it: people talk, the configuration is read again, both processes are
// killed in turn, a worker tries to get out, the service ends.
func TestAsAService(t *testing.T) {
	c := boot(t, emptyLocal(t), checkout(t))
	install(c)
	c.notYet()
	c.run(`systemctl enable -q --now mews`)
	c.serves()
	c.holds(three)
	c.talks("shopping.md", "7[0-9]{4}")
	c.secrets()
	c.faults()
	c.adds()
	c.exports()
	c.reloads()
	c.comesBack()
	c.escapes()
	c.stops()
}

// TestAsAServiceWithoutUserNamespaces: where they are switched off nothing is served, and the log
// says why and what to do; with the drop-in all is as ever, which MEWS_DEPLOY=1 shows. The switch
// is that of the container's own namespace.
func TestAsAServiceWithoutUserNamespaces(t *testing.T) {
	c := boot(t, emptyLocal(t), checkout(t), "--private-users=identity")
	c.run("mount -t proc proc /mnt && echo 0 >/mnt/sys/user/max_user_namespaces && umount /mnt")
	install(c)
	c.run("systemctl start mews")
	c.until("systemctl show -P NRestarts mews | grep -qv ^0") // it tries for ever
	said := c.run("journalctl -o cat -u mews")
	for _, want := range []string{"there are no walls that are good enough", "user namespaces are switched off",
		"sysctl user.max_user_namespaces=15000", "no-user-namespaces.conf"} {
		if !strings.Contains(said, want) {
			t.Errorf("the log does not say %q:\n%s", want, said)
		}
	}
	if os.Getenv("MEWS_DEPLOY") == "" {
		return
	}
	for _, command := range commands(t, dropIn) {
		c.run(command)
	}
	c.serves()
	c.holds(six)
	c.talks("shopping.md", "[0-9]{3}") // it has no uids beyond 65535
	if said := c.run("mews status --json"); !strings.Contains(said, "70000-79999 is not there") {
		c.t.Errorf("why people share an account: %s", said)
	}
	c.escapes()
	c.stops()
}

// TestTheUnitHoldsNobodyUp: after a crash it starts again at once, and for ever.
func TestTheUnitHoldsNobodyUp(t *testing.T) {
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Restart=always", "RestartSec=300ms", "StartLimitIntervalSec=0"} {
		if !strings.Contains(string(text), "\n"+want+"\n") {
			t.Errorf("%s has no %s", unit, want)
		}
	}
}

// The spawner's capabilities without the drop-in and with it, as /proc has them (capabilities(7)).
const (
	none  = "0000000000000000"
	three = "00000000000000e0" // CAP_SETUID, CAP_SETGID, CAP_KILL
	six   = "00000000002001e4" // and CAP_SYS_ADMIN, CAP_SETPCAP, CAP_DAC_READ_SEARCH
)

// emptyLocal is a /usr/local in which nothing is installed yet.
func emptyLocal(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can boot a system")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// checkout is what an admin has: the three programs in bin/, built, and deploy/.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-o", filepath.Join(dir, "bin")+"/", "./cmd/...")
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	if err := os.CopyFS(filepath.Join(dir, "deploy"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	return dir
}

var command = regexp.MustCompile(`(?m)^#   (.+)$`)

// commands are those that the head of a file gives.
func commands(t *testing.T, file string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "\n\n[")
	for _, found := range command.FindAllStringSubmatch(head, -1) {
		list = append(list, found[1])
	}
	if len(list) < 3 {
		t.Fatalf("%s gives the commands %q", file, list)
	}
	return list
}

// install does what the unit's head says but for the start, for ann and again for bob.
func install(c *container) {
	c.t.Helper()
	for _, command := range commands(c.t, unit) {
		if strings.HasPrefix(command, "systemctl enable") {
			break
		}
		c.run(command)
		if strings.Contains(command, "ann") {
			c.run(strings.ReplaceAll(command, "ann", "bob"))
		}
	}
	c.run("cat >>/etc/mews/mews.yaml <<'END'" + people + "END")
	c.run("systemctl daemon-reload")
	if said := c.run("systemd-analyze verify --man=no mews.service"); said != "" {
		c.t.Errorf("systemd-analyze verify:\n%s", said)
	}
}

// serves waits until the service takes messages, in the best walls, and nothing is amiss.
func (c *container) serves() {
	c.t.Helper()
	c.until("mews status")
	if said := c.run("mews status"); !regexp.MustCompile(`(?m)^walls +accounts$`).MatchString(said) {
		c.t.Errorf("mews status:\n%s", said)
	}
	for _, doctor := range []string{"mews doctor", "setpriv --reuid mews --regid mews --init-groups mews doctor"} {
		said := c.run(doctor)
		for _, want := range []string{"ok    walls     accounts. ", "ok    homes "} {
			if !strings.Contains(said, want) {
				c.t.Errorf("%s does not say %q:\n%s", doctor, want, said)
			}
		}
	}
}
