package deploy_test

import (
	"regexp"
	"strings"
	"time"
)

// checkCapabilities: the spawner has exactly the capabilities of the unit. mews has none, cannot
// get any, and hides its memory.
func (c *container) checkCapabilities(has string) {
	c.t.Helper()
	for name, want := range map[string]string{
		"mews-spawner": "CapPrm:" + has + " CapEff:" + has + " CapBnd:" + has + " CapInh:" + none +
			" CapAmb:" + none + " NoNewPrivs:1", // the ambient set (CapAmb) is empty: children inherit no capability
		// The bounding set still has capabilities. No program can give them to mews (NoNewPrivs).
		"mews": "CapInh:" + none + " CapPrm:" + none + " CapEff:" + none + " CapAmb:" + none + " NoNewPrivs:1",
	} {
		said := c.run(`grep -E '^(Cap|NoNewPrivs|Uid)' /proc/$(pgrep -o -x ` + name + `)/status | tr -d '\t'`)
		for _, line := range strings.Fields(want) {
			if !strings.Contains(said, line) {
				c.t.Errorf("%s has not %s:\n%s", name, line, said)
			}
		}
	}
	// In /proc, root owns the files of a process that is not dumpable. Its own account cannot read
	// them.
	if said := c.run(`stat -c %U /proc/$(pgrep -o -x mews)/environ; ps -o user= -p $(pgrep -o -x mews)`); said != "root\nmews" {
		c.t.Errorf("whose mews is in /proc, and whose it is: %q", said)
	}
	if said, err := c.try(`setpriv --reuid=mews --regid=mews --clear-groups cat /proc/$(pgrep -o -x mews)/environ`); err == nil {
		c.t.Errorf("its account reads what it has: %s", said)
	}
}

// checkUsers checks that tools work with the user's account, in the user's folder. file is the name
// of a new file that a tool creates. If the user has no account, uid owns the file.
func (c *container) checkUsers(file, uid string) {
	c.t.Helper()
	for _, name := range []string{"ann", "bob"} {
		said := c.run("echo 'create " + file + " with milk and eggs' | HOME=/home/" + name + " setpriv --reuid=" + name + " --regid=" + name +
			" --init-groups mews chat")
		if owner := c.run("stat -c '%U %G %a' /srv/mews/" + name + "/" + file); owner != name+" "+name+" 600" {
			c.t.Errorf("%s's file is %s; the answer was\n%s", name, owner, said)
		}
		// The worker is the only child of the spawner with this account.
		if out, err := c.try("pgrep -u " + name + " -P $(pgrep -o -x mews-spawner)"); err != nil || strings.Contains(out, "\n") {
			c.t.Errorf("workers of %s: %q, %v", name, out, err)
		}
	}
	// Only people with an account may talk to the service, and root may act for any user.
	c.run("echo 'create " + file + " with tea' | mews chat --user carl")
	owner, want := c.run("stat -c %u /var/lib/mews/homes/carl /var/lib/mews/homes/carl/"+file), regexp.MustCompile("^"+uid+"$")
	for _, one := range strings.Fields(owner) {
		if !want.MatchString(one) {
			c.t.Errorf("carl's home and file are uid %s's, want %s", owner, uid)
		}
	}
}

// checkNotStarted: without a service the error tells how to start it here. The command works even
// if its working directory does not exist.
func (c *container) checkNotStarted() {
	c.t.Helper()
	said, err := c.as("ann", `sh -c "mkdir /tmp/gone; cd /tmp/gone; rmdir /tmp/gone; mews status"`)
	if err == nil || !strings.Contains(said, "`systemctl start mews`") {
		c.t.Errorf("without a service mews status says (%v):\n%s", err, said)
	}
}

// checkSecrets checks that people with accounts reach the socket, but read no secrets. They cannot
// read the configuration or the token. The commands check and doctor must name all accounts that
// can read these files, even as members of a group.
func (c *container) checkSecrets() {
	c.t.Helper()
	c.checkAdmin()
	c.run(`printf '%064d' 7 >/etc/mews/token; chown root:mews /etc/mews/token; chmod 640 /etc/mews/token
		sed -i '/^access:/a\  key_file: /etc/mews/token' /etc/mews/mews.yaml`)
	for _, file := range []string{"/etc/mews/mews.yaml", "/etc/mews/token"} {
		if said, err := c.as("bob", "cat "+file); err == nil {
			c.t.Errorf("bob reads %s:\n%s", file, said)
		}
	}
	c.run("mews check")
	c.run("usermod -a -G mews bob")
	for _, verb := range []string{"mews check", "mews doctor"} {
		said, err := c.try(verb)
		for _, want := range []string{"/etc/mews/token", "bob", "gpasswd -d bob mews"} {
			if err == nil || !strings.Contains(said, want) {
				c.t.Errorf("%s does not say %q (%v):\n%s", verb, want, err, said)
			}
		}
	}
	c.run("gpasswd -d bob mews; chmod 644 /etc/mews/token")
	if said, err := c.try("mews check"); err == nil || !strings.Contains(said, "chmod o-rwx /etc/mews/token") {
		c.t.Errorf("of a token that all can read mews check says (%v):\n%s", err, said)
	}
	c.run("sed -i '/key_file: .etc.mews.token/d' /etc/mews/mews.yaml; rm /etc/mews/token; mews check")
	c.run("gpasswd -d bob mews-people")
	if said, err := c.as("bob", "mews status"); err == nil || !strings.Contains(said, "usermod -a -G mews-people bob") {
		c.t.Errorf("who is not in the socket's group reads (%v):\n%s", err, said)
	}
	c.run("usermod -a -G mews-people bob")
}

// checkAdmin: an admin who may not read the configuration gets check and doctor from the running
// service. Other users do not.
func (c *container) checkAdmin() {
	c.t.Helper()
	for verb, want := range map[string]string{"check": "/etc/mews/mews.yaml: in order", "doctor": "ok    walls     accounts. "} {
		if said, err := c.as("ann", "mews "+verb+onlyWarns); err != nil || !strings.Contains(said, want) {
			c.t.Errorf("to an admin without rights to the configuration mews %s says (%v):\n%s", verb, err, said)
		}
		if said, err := c.as("bob", "mews "+verb); err == nil || !strings.Contains(said, "Only an admin may do that") {
			c.t.Errorf("to somebody else mews %s says (%v):\n%s", verb, err, said)
		}
	}
	c.run("sed -i 's|name: bob, account: bob|name: bob, account: bobby|' /etc/mews/mews.yaml")
	for _, verb := range []string{"check", "doctor"} {
		if said, err := c.as("ann", "mews "+verb); err == nil || !strings.Contains(said, `no account "bobby"`) {
			c.t.Errorf("of what is wrong mews %s tells an admin (%v):\n%s", verb, err, said)
		}
	}
	c.run("sed -i 's|account: bobby|account: bob|' /etc/mews/mews.yaml")
}

// as is like try, but with the account of a user.
func (c *container) as(name, script string) (string, error) {
	return c.try("HOME=/home/" + name + " setpriv --reuid=" + name + " --regid=" + name + " --init-groups " + script)
}

// checkFaults: check and doctor find faults that keep the service from serving a user, and name the
// cause. No folder changes its owner. A user's broken entry does not affect other users.
func (c *container) checkFaults() {
	c.t.Helper()
	c.run(`cp -p /etc/mews/mews.yaml /etc/mews/kept; install -d -o bob -g bob -m 700 /home/bob /home/bob/mews /srv/other /srv/other/bob; chmod 755 /srv/other`)
	for _, fault := range []struct {
		entry string
		want  []string
	}{
		{"account: bob, home: /home/bob/mews", []string{"ProtectHome=yes of mews.service", "ReadWritePaths=/home/bob/mews"}},
		{"account: bob, home: /srv/other/bob", []string{"ProtectSystem=strict of mews.service", "ReadWritePaths=/srv/other"}},
		{"account: bob, home: /srv/mews/gone", []string{"install -d -m 700 -o bob -g bob /srv/mews/gone"}},
		{"account: bobby, home: /srv/mews/bob", []string{"no account \"bobby\""}},
		{"home: /srv/mews/bob", []string{"belongs to the account bob", "write `account: bob`"}},
	} {
		c.run("sed -i 's|name: bob, .*}|name: bob, " + fault.entry + "}|' /etc/mews/mews.yaml; systemctl restart mews")
		c.until("mews status")
		for _, verb := range []string{"mews check", "mews doctor"} {
			said, err := c.try(verb)
			for _, want := range fault.want {
				if err == nil || !strings.Contains(said, want) || strings.Contains(said, "chown") {
					c.t.Errorf("with %s %s does not say %q (%v):\n%s", fault.entry, verb, want, err, said)
				}
			}
		}
		if said, err := c.try("echo hello | mews chat --user carl"); err != nil {
			c.t.Errorf("with %s carl is not served: %v\n%s", fault.entry, err, said)
		}
		c.run("cp -p /etc/mews/kept /etc/mews/mews.yaml")
	}
	c.run(`printf '%064d' 7 >/etc/mews/token; chmod 600 /etc/mews/token
		sed -i '/^access:/a\  key_file: /etc/mews/token' /etc/mews/mews.yaml`)
	for _, verb := range []string{"mews check", "mews doctor"} {
		said, err := c.try(verb)
		for _, want := range []string{"/etc/mews/token can't be read by the service's account mews (mode 600", "LoadCredential=token:/etc/mews/token"} {
			if err == nil || !strings.Contains(said, want) {
				c.t.Errorf("of root's own secret %s does not say %q (%v):\n%s", verb, want, err, said)
			}
		}
	}
	c.run("cp -p /etc/mews/kept /etc/mews/mews.yaml; rm /etc/mews/token; systemctl restart mews")
	c.checkServes()
}

// checkNewUsers: a new user with an account gets a home that the worker may use. A user without a
// home in the configuration gets a home too.
func (c *container) checkNewUsers() {
	c.t.Helper()
	c.run("mews user add dora --account")
	c.run("echo 'create tea.md with tea' | mews chat --user dora")
	if said := c.run("stat -c '%U %a' /srv/mews/dora /srv/mews/dora/tea.md | tr '\\n' ' '"); said != "dora 700 dora 600" {
		c.t.Errorf("the home and the file of dora: %s", said)
	}
	// A person whose account the policy does not name gets no worker, and doctor has the line.
	c.run("useradd --user-group --no-create-home ed")
	c.run(`cp -p /etc/mews/mews.yaml /etc/mews/kept; printf '  - {name: ed, account: ed, home: /srv/mews/ed}\n' >>/etc/mews/mews.yaml
		install -d -m 700 -o ed -g ed /srv/mews/ed; mews reload`)
	said, err := c.try("mews doctor")
	line := regexp.MustCompile("person [0-9]+:[0-9]+").FindString(said)
	if err == nil || line == "" {
		c.t.Fatalf("of ed's account mews doctor says (%v):\n%s", err, said)
	}
	c.run("echo " + line + " >>/etc/mews/spawner.policy; systemctl restart mews")
	c.until("mews status")
	c.run("echo 'create tea.md with tea' | mews chat --user ed")
	c.run("cp -p /etc/mews/kept /etc/mews/mews.yaml; mews reload")
	c.checkOldHome()
}

// checkOldHome: a home of an earlier version stays unchanged, and its user is served there. An
// admin can change the home by a command that doctor prints. Other homes are still made.
func (c *container) checkOldHome() {
	c.t.Helper()
	c.run(`install -d -m 700 -o mews -g mews /var/lib/mews/homes/fay; install -m 600 -o mews -g mews /dev/null /var/lib/mews/homes/fay/old.md
		printf '  - {name: fay}\n  - {name: gus}\n' >>/etc/mews/mews.yaml; mews reload`)
	for _, name := range []string{"fay", "gus"} {
		c.run("echo 'create tea.md with tea' | mews chat --user " + name)
	}
	owned := func() string {
		return c.run("cd /var/lib/mews/homes; stat -c %u fay/old.md fay/tea.md gus/tea.md | tr '\\n' ' '")
	}
	mews := c.run("id -u mews")
	if got := owned(); !regexp.MustCompile("^" + mews + " " + mews + " 7[0-9]{4} ?$").MatchString(got) {
		c.t.Errorf("whose the files of fay and gus are: %s", got)
	}
	said := c.run("mews doctor" + onlyWarns)
	command := regexp.MustCompile(`chown -hR 7[0-9]{4}:7[0-9]{4} /var/lib/mews/homes/fay`).FindString(said)
	if command == "" {
		c.t.Fatalf("mews doctor has no command that hands fay's home over:\n%s", said)
	}
	c.run("systemctl stop mews; " + command + "; systemctl start mews")
	c.until("mews status")
	c.run("echo 'create more.md with tea' | mews chat --user fay")
	if got := owned(); !regexp.MustCompile("^7[0-9]{4} 7[0-9]{4} 7").MatchString(got) {
		c.t.Errorf("whose the files of fay are once they are handed over: %s", got)
	}
	c.run("cp -p /etc/mews/kept /etc/mews/mews.yaml; mews reload")
}

// checkExport: an admin who is not root can export another user's data. The export includes home
// files that only that user's account may read. The archive is deleted afterwards.
func (c *container) checkExport() {
	c.t.Helper()
	c.run(`cd $(mktemp -d) && chown ann . && HOME=/home/ann setpriv --reuid=ann --regid=ann --init-groups sh -ec '
		! ls /srv/mews/bob 2>/dev/null
		mews user export bob --output bob.tar.gz
		tar -xzf bob.tar.gz
		tar -xf files.tar
		grep -q "milk and eggs" files/*.md
		grep -q milk transcript.jsonl
		test -s left-out.txt || test -f left-out.txt'`)
	if left := c.run("ls /var/lib/mews/private/operations"); left != "" {
		c.t.Errorf("left of the archive: %s", left)
	}
}

// checkReload: systemctl reload makes mews read its configuration again. A wrong configuration
// changes nothing.
func (c *container) checkReload() {
	c.t.Helper()
	c.run("sed -i 's/ burst: 20 / burst: 30 /' /etc/mews/mews.yaml; systemctl reload mews")
	c.until(`journalctl -o cat -u mews | grep 'access.rate.burst: 30, it was 20'`)
	c.run("echo nonsense: true >>/etc/mews/mews.yaml; ! systemctl reload mews")
	c.until(`journalctl -o cat -u mews | grep 'nonsense: got an unknown key'`)
	c.run("sed -i '/^nonsense/d; s/^  level: info/  level: debug/' /etc/mews/mews.yaml; ! systemctl reload mews")
	c.until("journalctl -o cat -u mews | grep 'Nothing was changed.*log.level.*systemctl restart mews'")
	c.run("sed -i 's/^  level: debug/  level: info/' /etc/mews/mews.yaml; systemctl reload mews; mews status")
}

// checkRestart: if one of the two processes is killed, the other ends, and systemd restarts them at
// once. If the service has run for a while, only RestartSec delays its restart.
func (c *container) checkRestart() {
	c.t.Helper()
	for _, name := range []string{"mews-spawner", "mews"} {
		was := c.run("pgrep -o -x mews")
		c.until("test $(ps -o etimes= -p $(pgrep -o -x mews-spawner)) -gt 5")
		killed := time.Now()
		c.run("kill -KILL $(pgrep -o -x " + name + ")")
		c.until("now=$(pgrep -o -x mews) && test $now != " + was + " && mews status")
		c.t.Logf("%v after %s was killed the service answers; systemd held it up for %v", time.Since(killed).Round(time.Millisecond), name, c.restartDelay())
		c.checkServes()
		c.until("! kill -0 " + was)
	}
	c.checkUsers("again.md", "7[0-9]{4}")
}

// stamps matches the times, in seconds, at which systemd saw a service end and started it again.
var stamps = regexp.MustCompile(`(?m)^\[ *([0-9.]+)\].*(Main process exited|Started mews)`)

// restartDelay returns how long systemd has waited after the newest end of the service.
func (c *container) restartDelay() time.Duration {
	c.t.Helper()
	newest := map[string]time.Duration{}
	for _, m := range stamps.FindAllStringSubmatch(c.run("journalctl --no-pager -o short-monotonic -u mews"), -1) {
		at, err := time.ParseDuration(m[1] + "s")
		if err != nil {
			c.t.Fatal(err)
		}
		newest[m[2]] = at
	}
	held := newest["Started mews"] - newest["Main process exited"]
	if held <= 0 || held >= 5*time.Second {
		c.t.Errorf("systemd held the service up for %v:\n%s", held, c.journal())
	}
	return held
}

// checkEscapes runs mews doctor as root. That makes a worker try every escape in the tier of the
// service.
func (c *container) checkEscapes() {
	c.t.Helper()
	if said := c.run("mews doctor --escapes" + onlyWarns); !strings.Contains(said, "walls   accounts. ") || !strings.Contains(said, " 0 ESCAPED") {
		c.t.Errorf("mews doctor --escapes:\n%s", said)
	}
}

// checkStop: mews ends by itself with status 0, and no process is left.
func (c *container) checkStop() {
	c.t.Helper()
	c.run("systemctl stop mews")
	said := c.run("systemctl show -p ActiveState -p Result -p ExecMainStatus mews")
	for _, want := range []string{"ActiveState=inactive", "Result=success", "ExecMainStatus=0"} {
		if !strings.Contains(said, want) {
			c.t.Errorf("the service's end: %s, want %s\n%s", said, want, c.journal())
		}
	}
	if said, err := c.try("journalctl -o cat -u mews | grep 'worker died'"); err == nil {
		c.t.Errorf("the journal has deaths of workers:\n%s", said)
	}
	if left := c.run("pgrep -l -u mews,ann,bob || true; pgrep -l mews || true"); left != "" {
		c.t.Errorf("left:\n%s", left)
	}
}
