package deploy_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"mews/supervisor/telegram/telegramtest"
)

// TestNewcomer_InstallToUninstall_Works types what the manual says, in a booted system, from a
// release's archive: install with a file of answers, take the invite in the terminal, talk, and add a
// second person. It backs up, loses all and restores it, installs a second instance and removes it,
// changes the token, and uninstalls. Then it restores a copy of a backup on a machine that knows nothing. Without
// MEWS_NEWCOMER it ends once the first admin is connected.
func TestNewcomer_InstallToUninstall_Works(t *testing.T) {
	c := boot(t, emptyLocal(t), archive(t))
	bot := telegramtest.New(t, telegramtest.Options{Token: "42:TEST-token-of-a-newcomer-in-a-house", Strict: true,
		Listen: c.listen})
	c.run(fmt.Sprintf(`cd /root; tar -xzf mews/mews.tar.gz; umask 077; echo %s >token
		printf 'token_file: /root/token\ntelegram_url: %s\nmodel: offline\ntimezone: Europe/Madrid\nmonth: 20\nbackups: true\nupdates: none\npeople:\n' >answers
		printf '  - {name: ann, admin: true, account: own}\n  - {name: eve, account: new}\n  - {name: carl}\n' >>answers
		cd mews-*; ./mews install plan --answers /root/answers | grep -q '^to do'; test ! -e /opt`, bot.Token(), bot.URL()))
	key := ageKey.FindString(c.pairFirstAdmin(bot))
	c.run("umask 077; echo " + key + " >/root/identity; ! grep -rq AGE-SECRET /etc/mews /var/lib/mews")
	c.run("mews install status; mews doctor" + onlyWarns + "; " +
		"! grep -r $(cut -d: -f2 /root/token) /etc/mews/mews.yaml /etc/mews/install.json /etc/systemd/system")
	if os.Getenv("MEWS_NEWCOMER") == "" {
		return
	}
	c.run("echo 'create shopping.md with milk' | mews chat --user ann; " +
		"echo 'create c.md with tea' | mews chat --user carl; " +
		"echo 'create notes.md with tea' | mews chat --user eve")
	for file, want := range map[string]string{"/srv/mews/ann/shopping.md": "ann 600",
		"/srv/mews/eve/notes.md": "eve 600"} {
		if got := c.run("stat -c '%U %a' " + file); got != want {
			t.Errorf("%s is %s, want %s", file, got, want)
		}
	}
	c.run("mews user add fay --account")
	c.until("mews status")
	c.run("echo 'create a.md with tea' | mews chat --user fay; test $(stat -c %U /srv/mews/fay/a.md) = fay")
	c.losesAllAndRestores()
	c.run("mews install secret telegram.token --file /root/token; mews install status")
	c.until("mews status")
	c.secondInstance()
	c.run("mews install remove; ! systemctl cat mews; " +
		"test -e /srv/mews/ann/shopping.md; test -d /var/lib/mews/private; ! test -e /opt/mews")
	c.run("cd /root/mews-*; ./mews install --answers /root/answers; mews user list | grep -q ann")
	c.until("mews status")
	c.run("echo delete | mews install remove --delete-state --delete-homes")
	left := c.run("ls -d /srv/mews /var/lib/mews /opt/mews /etc/mews /usr/local/bin/mews " +
		"/etc/systemd/system/mews* 2>/dev/null || true; " +
		"grep -E '^(mews|eve|fay)' /etc/passwd /etc/group || true")
	if left != "" {
		t.Errorf("the removal leaves:\n%s", left)
	}
	c.restoresElsewhere(key)
}

// ageKey matches the key of the backups.
var ageKey = regexp.MustCompile(`AGE-SECRET-KEY-1[0-9A-Z]+`)

// newestBackup is the folder of the newest backup, for the shell.
const newestBackup = "$(ls -d /var/lib/mews/backups/mews-* | tail -n 1)"

// losesAllAndRestores backs up as the installer has set it up, deletes the database and all homes, and
// restores them with the key that the installer has shown.
func (c *container) losesAllAndRestores() {
	c.t.Helper()
	c.run("mews backup >/root/said; " +
		"mews backup --output /root/copy.tar.zst.age >/dev/null; mews backup list; mews doctor" + onlyWarns)
	if got := c.run("cd $(ls -d /var/lib/mews/backups/mews-* | tail -n 1)/homes; ls"); got !=
		"ann.tar.zst.age\ncarl.tar.zst.age\neve.tar.zst.age\nfay.tar.zst.age" {
		c.t.Errorf("the backup has the homes %q\n%s", got, c.run("cat /root/said"))
	}
	c.run("systemctl stop mews; rm -rf /var/lib/mews/private /var/lib/mews/homes; " +
		"find /srv/mews -mindepth 2 -delete; ! test -e /srv/mews/ann/shopping.md")
	c.run("mews restore " + newestBackup + " --identity /root/identity")
	c.run("install -d -m 700 -o eve /srv/old; " +
		"mews restore " + newestBackup + " --user eve --to /srv/old --identity /root/identity; " +
		"test $(stat -c %U /srv/old/notes.md) = eve")
	c.checkRestored()
}

// checkRestored starts the service and looks at the restored homes.
func (c *container) checkRestored() {
	c.t.Helper()
	if got := c.run("systemctl start mews; cd /srv/mews; " +
		"stat -c '%n %U %a' ann/shopping.md eve/notes.md fay/a.md"); got !=
		"ann/shopping.md ann 600\neve/notes.md eve 600\nfay/a.md fay 600" {
		c.t.Errorf("the restored homes have\n%s", got)
	}
	c.until("mews status")
	c.run("test -e /var/lib/mews/homes/carl/c.md; mews user list | grep -q carl; " +
		"echo 'create more.md with tea' | mews chat --user ann; " +
		"test $(stat -c %U /srv/mews/ann/more.md) = ann")
}

// restoresElsewhere does what the manual says about a new machine, with the one file of a backup.
func (c *container) restoresElsewhere(key string) {
	c.t.Helper()
	identity, err := age.ParseX25519Identity(key)
	if err != nil {
		c.t.Fatal(err)
	}
	c.run("cd /root/mews-*; ./mews install --answers /root/answers --person ann:admin:own --person eve:new " +
		"--person fay:new --person carl --recipient " + identity.Recipient().String() + "; systemctl stop mews; " +
		"rm -r /var/lib/mews/private /var/lib/mews/homes; " +
		"mews restore /root/copy.tar.zst.age --identity /root/identity")
	c.checkRestored()
}

// secondInstance installs another instance beside the first, and removes it.
func (c *container) secondInstance() {
	c.t.Helper()
	lab := "/opt/mews/current-lab/mews "
	c.run(`cd /root/mews-*; ./mews install --instance lab --person lea:admin:new --token-file none ` +
		`--model offline --timezone UTC --month 1`)
	c.until(lab + "status --config /etc/mews-lab/mews.yaml; mews status")
	c.run("echo 'create a.md with tea' | " + lab + "chat --user lea --config /etc/mews-lab/mews.yaml")
	if got := c.run("stat -c %U /srv/mews-lab/lea/a.md; ps -o user= -p $(systemctl show -P MainPID mews-lab)"); got !=
		"lea-lab\nmews-lab" {
		c.t.Errorf("the second instance's file and process belong to %q", got)
	}
	c.run("yes delete | " + lab + "install remove --instance lab --delete-state --delete-homes; " +
		"mews install status; mews status")
}

// archive makes a folder with the archive of a release.
func archive(t *testing.T) string {
	t.Helper()
	dir, from := t.TempDir(), checkout(t)
	if err := os.Rename(filepath.Join(from, "bin"), filepath.Join(from, "mews-v9")); err != nil {
		t.Fatal(err)
	}
	tar := exec.CommandContext(t.Context(), "tar", "-czf", filepath.Join(dir, "mews.tar.gz"), "-C", from, "mews-v9")
	if out, err := tar.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// listen opens a port in the container's own network.
func (c *container) listen() (listener net.Listener, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // the thread ends with this goroutine, because it stays in the container's network
		var ns *os.File
		if ns, err = os.Open("/proc/" + c.leader + "/ns/net"); err != nil {
			return
		}
		defer ns.Close()
		if err = unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err == nil {
			listener, err = net.Listen("tcp", "127.0.0.1:0")
		}
	}()
	<-done
	return listener, err
}

var inviteCode = regexp.MustCompile(`/start ([A-Za-z0-9_-]+)`)

// pairFirstAdmin installs in a terminal. It takes the invite that the terminal shows on the fake
// Telegram, and confirms it. It returns what the terminal showed.
func (c *container) pairFirstAdmin(bot *telegramtest.Server) (said string) {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), "nsenter", "--all", "--target", c.leader, "/usr/bin/env", "-i",
		"PATH=/usr/local/bin:/usr/bin:/usr/sbin", "HOME=/root", "TERM=xterm", "/bin/sh", "-euc",
		"cd /root/mews-*; ./mews install --answers /root/answers")
	screen, err := pty.Start(cmd)
	if err != nil {
		c.t.Fatal(err)
	}
	defer screen.Close()
	if err := screen.SetReadDeadline(time.Now().Add(maxWait)); err != nil {
		c.t.Log(err) // a terminal without deadlines; the test's own limit holds
	}
	var shown strings.Builder
	read := bufio.NewReader(screen)
	await := func(done func(text string) bool) {
		c.t.Helper()
		for !done(shown.String()) {
			b, err := read.ReadByte()
			if err != nil {
				c.t.Fatalf("the terminal ends (%v):\n%s\n%s", err, &shown, c.journal())
			}
			shown.WriteByte(b)
		}
	}
	await(func(text string) bool { return inviteCode.MatchString(text) && strings.HasSuffix(text, "\n") })
	code := inviteCode.FindStringSubmatch(shown.String())[1]
	ann := telegramtest.User{ID: 4711, First: "Ann"}
	bot.Say(telegramtest.PrivateChat(ann), ann, "/start "+code)
	await(func(text string) bool { return strings.Contains(text, "Is it theirs?") })
	if !strings.Contains(shown.String(), "4711") {
		c.t.Errorf("the terminal does not say which account has come:\n%s", &shown)
	}
	if _, err := screen.WriteString("y\n"); err != nil {
		c.t.Fatal(err)
	}
	await(func(text string) bool { return strings.Contains(text, "ann is connected") })
	if err := cmd.Wait(); err != nil {
		c.t.Errorf("mews install: %v\n%s", err, &shown)
	}
	return shown.String()
}
