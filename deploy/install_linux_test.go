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

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"mews/supervisor/telegram/telegramtest"
)

// TestNewcomer_InstallToUninstall_Works types what the manual says, in a booted system, from a
// release's archive: install with a file of answers, take the invite in the terminal, talk, add a
// second person, install a second instance and remove it, change the token, and uninstall. Without
// MEWS_NEWCOMER it ends once the first admin is connected.
func TestNewcomer_InstallToUninstall_Works(t *testing.T) {
	c := boot(t, emptyLocal(t), archive(t))
	bot := telegramtest.New(t, telegramtest.Options{Token: "42:TEST-token-of-a-newcomer-in-a-house", Strict: true,
		Listen: c.listen})
	c.run(fmt.Sprintf(`cd /root; tar -xzf mews/mews.tar.gz; umask 077; echo %s >token
		printf 'token_file: /root/token\ntelegram_url: %s\nmodel: offline\ntimezone: Europe/Madrid\nmonth: 20\nbackups: true\nupdates: none\npeople:\n' >answers
		printf '  - {name: ann, admin: true, account: own}\n  - {name: eve, account: new}\n  - {name: carl}\n' >>answers
		cd mews-*; ./mews install plan --answers /root/answers | grep -q '^to do'; test ! -e /opt`, bot.Token(), bot.URL()))
	c.pairFirstAdmin(bot)
	c.run("mews install status; mews doctor" + onlyWarns + "; " +
		"! grep -r $(cut -d: -f2 /root/token) /etc/mews/mews.yaml /etc/mews/install.json /etc/systemd/system")
	if os.Getenv("MEWS_NEWCOMER") == "" {
		return
	}
	c.run("echo 'create shopping.md with milk' | mews chat --user ann; " +
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
// Telegram, and confirms it.
func (c *container) pairFirstAdmin(bot *telegramtest.Server) {
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
	var said strings.Builder
	read := bufio.NewReader(screen)
	await := func(done func(text string) bool) {
		c.t.Helper()
		for !done(said.String()) {
			b, err := read.ReadByte()
			if err != nil {
				c.t.Fatalf("the terminal ends (%v):\n%s\n%s", err, &said, c.journal())
			}
			said.WriteByte(b)
		}
	}
	await(func(text string) bool { return inviteCode.MatchString(text) && strings.HasSuffix(text, "\n") })
	code := inviteCode.FindStringSubmatch(said.String())[1]
	ann := telegramtest.User{ID: 4711, First: "Ann"}
	bot.Say(telegramtest.PrivateChat(ann), ann, "/start "+code)
	await(func(text string) bool { return strings.Contains(text, "Is it theirs?") })
	if !strings.Contains(said.String(), "4711") {
		c.t.Errorf("the terminal does not say which account has come:\n%s", &said)
	}
	if _, err := screen.WriteString("y\n"); err != nil {
		c.t.Fatal(err)
	}
	await(func(text string) bool { return strings.Contains(text, "ann is connected") })
	if err := cmd.Wait(); err != nil {
		c.t.Errorf("mews install: %v\n%s", err, &said)
	}
}
