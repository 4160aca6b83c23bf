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
	unit = "systemd/mews.service"
)

// people are the users in the edited configuration.
const people = `
users:
  - {name: ann, role: admin, account: ann, home: /srv/mews/ann}
  - {name: bob, account: bob, home: /srv/mews/bob}
  - {name: carl}
`

// TestService_Installed_Answers installs Mews by `mews install`, in a booted system. Then people talk, the configuration is reloaded, each process is killed, a worker tries
// to escape, and the service ends.
func TestService_Installed_Answers(t *testing.T) {
	c := boot(t, emptyLocal(t), checkout(t))
	install(c)
	c.checkNotStarted()
	c.run(`systemctl start mews`)
	c.checkServes()
	c.checkManager()
	c.checkCapabilities(three)
	c.checkUsers("shopping.md", "7[0-9]{4}")
	c.checkSecrets()
	c.checkFaults()
	c.checkNewUsers()
	c.checkExport()
	c.checkReload()
	c.checkRestart()
	c.checkEscapes()
	c.checkStop()
}

// TestService_NoUserNamespaces_ExplainsFix: if user namespaces are off, the service does not start,
// and the log explains why and what to do. With the drop-in the service works; MEWS_DEPLOY=1 tests
// that too. The kernel's switch is set only in the container's namespace.
func TestService_NoUserNamespaces_ExplainsFix(t *testing.T) {
	c := boot(t, emptyLocal(t), checkout(t), "--private-users=identity")
	install(c)
	c.run("mount -t proc proc /mnt && echo 0 >/mnt/sys/user/max_user_namespaces && umount /mnt")
	_, _ = c.try("systemctl start mews")                      // it fails, because the service never becomes ready
	c.until("systemctl show -P NRestarts mews | grep -qv ^0") // systemd restarts it forever
	said := c.run("journalctl -o cat -u mews")
	for _, want := range []string{"no walls here are strong enough", "user namespaces are switched off",
		"sysctl user.max_user_namespaces=15000", "no-user-namespaces.conf"} {
		if !strings.Contains(said, want) {
			t.Errorf("the log does not say %q:\n%s", want, said)
		}
	}
	if os.Getenv("MEWS_DEPLOY") == "" {
		return
	}
	c.run("mews install apply --timezone Etc/UTC; test -f /etc/systemd/system/mews.service.d/no-user-namespaces.conf")
	c.checkServes()
	c.checkCapabilities(six)
	c.checkUsers("shopping.md", "[0-9]{3}") // the container has no uids beyond 65535
	if said := c.run("mews status --json"); !strings.Contains(said, "70000-79999 is not there") {
		c.t.Errorf("why people share an account: %s", said)
	}
	c.checkEscapes()
	c.checkStop()
}

// TestUnit_Crash_RestartsAtOnce: systemd restarts the service at once, even after many failures.
func TestUnit_Crash_RestartsAtOnce(t *testing.T) {
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Restart=always", "RestartSec=300ms", "StartLimitIntervalSec=0", "Type=notify",
		"NotifyAccess=main", "WatchdogSec=60", "RestartPreventExitStatus=78", "OOMPolicy=continue"} {
		if !strings.Contains(string(text), "\n"+want+"\n") {
			t.Errorf("%s has no %s", unit, want)
		}
	}
}

// Capabilities of the spawner without and with the drop-in, as /proc shows them (capabilities(7)).
const (
	none  = "0000000000000000"
	three = "00000000000000e0" // CAP_SETUID, CAP_SETGID, CAP_KILL
	six   = "00000000002001e4" // the capabilities of three, CAP_SYS_ADMIN, CAP_SETPCAP, CAP_DAC_READ_SEARCH
)

// emptyLocal makes a /usr/local without any installed file.
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

// checkout makes an admin's checkout: the three built programs in bin/, and deploy/.
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

// install installs Mews as an admin does, for ann and bob with their own accounts and carl without
// one. It does not leave the service running.
func install(c *container) {
	c.t.Helper()
	c.run("bin/mews install --person ann:admin:own --person bob:own --person carl --model offline --token-file none" +
		" --timezone Etc/UTC --month 0")
	// systemd before version 254 does not know the settings that lengthen the pauses, and ignores them
	said := c.run("systemd-analyze verify --man=no mews.service 2>&1 " +
		`| grep -v 'Restart\(Steps\|MaxDelaySec\).*ignoring' || true`)
	if said != "" {
		c.t.Errorf("systemd-analyze verify:\n%s", said)
	}
	c.run("mews install status; systemctl stop mews")
	// The admin edits the configuration: it gets every key, so that the tests can change some.
	c.run(`sed -E 's/^#(state|socket_group):/\1:/' deploy/mews.example.yaml >/etc/mews/mews.yaml
		cat >>/etc/mews/mews.yaml <<'END'` + people + "END")
}

// onlyWarns follows `mews doctor` in a script that goes on after warnings: there are no backups.
const onlyWarns = " || [ $? = 4 ]"

// checkServes waits until the service takes messages. It checks that the walls are the best and
// that doctor finds no fault.
func (c *container) checkServes() {
	c.t.Helper()
	c.until("mews status")
	if said := c.run("mews status"); !regexp.MustCompile(`(?m)^walls +accounts$`).MatchString(said) {
		c.t.Errorf("mews status:\n%s", said)
	}
	for _, doctor := range []string{"mews doctor", "setpriv --reuid mews --regid mews --init-groups mews doctor"} {
		said := c.run(doctor + onlyWarns)
		for _, want := range []string{"ok    walls     accounts. ", "ok    homes "} {
			if !strings.Contains(said, want) {
				c.t.Errorf("%s does not say %q:\n%s", doctor, want, said)
			}
		}
	}
}
