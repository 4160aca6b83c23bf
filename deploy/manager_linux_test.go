package deploy_test

import (
	"os"
	"strings"
	"testing"
)

// checkManager checks what systemd hears from the service, and that only the main process can tell
// it. The command `mews service` prints and runs the system's command.
func (c *container) checkManager() {
	c.t.Helper()
	said := c.run("systemctl show -P StatusText -p NotifyAccess -p WatchdogUSec mews")
	for _, want := range []string{"People: 3. Way in: terminal.", "main", "1min"} {
		if !strings.Contains(said, want) {
			c.t.Errorf("systemd knows %q, without %q", said, want)
		}
	}
	if said, err := c.try("grep -z NOTIFY_SOCKET /proc/$(pgrep -o -x mews)/environ"); err == nil {
		c.t.Errorf("mews knows systemd's socket: %s", said)
	}
	if said := c.run("mews service status 2>&1"); !strings.HasPrefix(said, "systemctl status --no-pager mews\n") ||
		!strings.Contains(said, "People: 3") {
		c.t.Errorf("mews service status:\n%s", said)
	}
}

// TestService_FrozenOrCrashing_Recovers: systemd counts on a service that is killed. MEWS_DEPLOY=1
// also freezes mews and the spawner, for which systemd needs a minute each, and kills the service
// until it starts in safe mode.
func TestService_FrozenOrCrashing_Recovers(t *testing.T) {
	c := boot(t, emptyLocal(t), checkout(t))
	install(c)
	c.run("systemctl enable -q --now mews")
	c.checkServes()
	c.kill()
	if said := c.run("cat /var/lib/mews/crashes"); said != "running 1 dev" {
		t.Errorf("the count of crashes is %q", said)
	}
	if os.Getenv("MEWS_DEPLOY") == "" {
		return
	}
	c.checkSafeMode()
	c.checkFrozen("mews")
	c.checkFrozen("mews-spawner")
}

// kill kills mews, and waits until systemd has started it again.
func (c *container) kill() {
	c.t.Helper()
	was := c.run("pgrep -o -x mews")
	c.run("kill -KILL " + was)
	c.until("now=$(pgrep -o -x mews) && test $now != " + was + " && mews status")
}

// checkSafeMode kills the service until it keeps messages and runs no worker. An admin ends that,
// and the kept message is answered.
func (c *container) checkSafeMode() {
	c.t.Helper()
	for range 4 {
		c.kill()
	}
	c.until("systemctl show -P StatusText mews | grep 'SAFE MODE'")
	said, _ := c.as("ann", `sh -c "echo 'create safe.md with tea' | timeout 20 mews chat"`)
	if !strings.Contains(said, "I can only keep your messages now") {
		c.t.Errorf("in safe mode the answer is:\n%s", said)
	}
	if said, err := c.try("test -e /srv/mews/ann/safe.md"); err == nil {
		c.t.Errorf("a worker ran in safe mode: %s", said)
	}
	c.run("mews service reset")
	c.until("mews status && ! systemctl show -P StatusText mews | grep 'SAFE MODE'")
	c.until("test -e /srv/mews/ann/safe.md")
}

// checkFrozen freezes a process, and waits until systemd has restarted the service.
func (c *container) checkFrozen(name string) {
	c.t.Helper()
	was := c.run("pgrep -o -x mews")
	c.run("kill -STOP $(pgrep -o -x " + name + ")")
	for range 2 { // systemd waits a minute, as long as one command here may
		_, err := c.try("timeout 55 sh -c 'while test \"$(pgrep -o -x mews)\" = " + was + "; do sleep 1; done'")
		if err == nil {
			break
		}
	}
	c.until("now=$(pgrep -o -x mews) && test $now != " + was + " && mews status")
	c.checkServes()
}
