package deploy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// maxWait bounds the time of each command and each wait in a container.
const maxWait = time.Minute

// container is a system booted by its own systemd. It can read this machine's programs, but no
// other files.
type container struct {
	t      *testing.T
	name   string // name of the container and of its control group
	leader string // pid of the container's first process on this machine
}

// etc holds the files in /etc before Mews is installed.
var etc = map[string]string{
	"passwd": "root:x:0:0::/root:/bin/sh\nmessagebus:x:90:90::/:/usr/sbin/nologin\nnobody:x:65534:65534::/:/usr/sbin/nologin\n" +
		"ann:x:1001:1001::/home/ann:/bin/sh\nbob:x:1002:1002::/home/bob:/bin/sh\n",
	"group":         "root:x:0:\ntty:x:5:\nmessagebus:x:90:\nnogroup:x:65534:\nann:x:1001:\nbob:x:1002:\n",
	"shadow":        "root:*:1::::::\n",
	"nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files\n",
	"login.defs":    "SYS_UID_MIN 100\nSYS_UID_MAX 999\nSYS_GID_MIN 100\nSYS_GID_MAX 999\nUID_MIN 1000\nUID_MAX 60000\n",
	"machine-id":    "6d657773000000000000000000000001\n",
	"os-release":    "ID=test\nNAME=test\n",
	"hostname":      "mews-test\n",
}

// boot boots a container whose /usr/local and /root/mews are the folders local and checkout. At the
// test's end the container and all its processes end.
func boot(t *testing.T, local, checkout string, options ...string) *container {
	t.Helper()
	for _, program := range []string{"systemd-nspawn", "unshare", "nsenter"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("a system is booted by %s, which is not here: on Debian, apt-get install systemd-container", program)
		}
	}
	dir, err := os.MkdirTemp("", "mews-system-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	root := filepath.Join(dir, "root")
	furnish(t, root)
	ready := listen(t, filepath.Join(dir, "ready"))
	said := new(bytes.Buffer)
	// The container's processes die with the thread that started them, so every end of the test
	// removes them.
	runtime.LockOSThread()
	c := &container{t: t, name: filepath.Base(dir)}
	cmd := unshared(context.Background(), begin, append([]string{"systemd-nspawn", "--boot", "--quiet", "--directory=" + root, "--bind-ro=/usr",
		"--bind=" + local + ":/usr/local", "--bind-ro=" + checkout + ":/root/mews", "--machine=" + c.name, "--register=no",
		"--keep-unit", "--private-network", "--console=pipe", "--notify-ready=yes",
		// Without this option the container's filter hides Landlock, which then seems to be
		// missing.
		"--system-call-filter=landlock_create_ruleset landlock_add_rule landlock_restrict_self"}, options...)...)
	cmd.Args = append(cmd.Args, "systemd.unit=basic.target")
	cmd.Env = append(os.Environ(), "NAME="+c.name, "UNIFIED_CGROUP_HIERARCHY=1", "NOTIFY_SOCKET="+ready.LocalAddr().String())
	cmd.Stdout, cmd.Stderr = said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the error does not matter: the container was killed, or has explained its end
		_ = ready.SetReadDeadline(time.Now())
		close(gone)
	}()
	t.Cleanup(func() { c.end(cmd.Process, gone) })
	c.await(ready, said)
	if err := ready.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	go func() { // ends with the container; systemd stalls if nobody reads its reports
		for err := error(nil); err == nil; {
			_, err = ready.Read(make([]byte, 4<<10))
		}
	}()
	return c
}

// furnish fills the container's root folder, without programs.
func furnish(t *testing.T, root string) {
	t.Helper()
	for _, name := range []string{"etc/systemd/system", "usr", "var", "run", "tmp", "proc", "sys", "dev", "root", "mnt", "home/ann", "srv"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	errs := []error{os.Chmod(root, 0o755), os.Chmod(filepath.Join(root, "tmp"), 0o777|os.ModeSticky)}
	for _, name := range []string{"bin", "sbin", "lib", "lib64"} {
		errs = append(errs, os.Symlink("usr/"+name, filepath.Join(root, name)))
	}
	for name, text := range etc {
		errs = append(errs, os.WriteFile(filepath.Join(root, "etc", name), []byte(text), 0o644))
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// listen opens the socket on which a system reports its state (sd_notify(3)).
func listen(t *testing.T, path string) *net.UnixConn {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(maxWait)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// leading matches systemd-nspawn's message about a container's first process.
var leading = regexp.MustCompile(`X_NSPAWN_LEADER_PID=(\d+)`)

// await waits until the container's system has booted.
func (c *container) await(ready *net.UnixConn, said *bytes.Buffer) {
	c.t.Helper()
	for up := false; !up || c.leader == ""; {
		message := make([]byte, 4<<10)
		n, err := ready.Read(message)
		if err != nil {
			c.t.Fatalf("the system did not come up: %v\n%s", err, said)
		}
		if found := leading.FindSubmatch(message[:n]); found != nil {
			c.leader = string(found[1])
		}
		up = up || bytes.Contains(message[:n], []byte("READY=1"))
	}
}

// Shell scripts that run in a separate mount namespace.
const (
	// The scripts do not touch this machine's systemd-nspawn and control groups. The container has
	// its own group, with cgroup v2 on any machine.
	begin = `mount -t tmpfs none /run
		mount -t cgroup2 none /sys/fs/cgroup
		group=/sys/fs/cgroup$(sed -n s/^0::// /proc/self/cgroup)/$NAME
		mkdir $group
		echo $$ >$group/cgroup.procs
		exec "$@"`
	// sweep ends all processes in the container's control group, and removes that control group.
	sweep = `mount -t cgroup2 none /sys/fs/cgroup
		group=/sys/fs/cgroup$(sed -n s/^0::// /proc/self/cgroup)/$NAME
		! test -d $group || { echo 1 >$group/cgroup.kill; find $group -depth -type d -exec rmdir {} +; }`
)

// unshared returns a shell script with its arguments, in a separate mount namespace.
func unshared(ctx context.Context, script string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "unshare", append([]string{"--mount", "sh", "-euc", script, "sh"}, args...)...)
}

// end ends systemd-nspawn with everything in the container, and removes the container.
func (c *container) end(nspawn *os.Process, gone <-chan struct{}) {
	_ = nspawn.Kill() // an error means that nspawn has ended
	<-gone
	for began := time.Now(); ; { // killed processes need some time to disappear
		ctx, cancel := context.WithTimeout(context.Background(), maxWait)
		cmd := unshared(ctx, sweep)
		cmd.Env = append(os.Environ(), "NAME="+c.name)
		out, err := cmd.CombinedOutput()
		cancel()
		if err == nil {
			return
		}
		if time.Since(began) > maxWait {
			c.t.Errorf("clear away the container's control group: %v\n%s", err, out)
			return
		}
	}
}

// try runs shell commands in the container, as root in its checkout. It returns both outputs.
func (c *container) try(script string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), maxWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, "nsenter", "--all", "--target", c.leader, "/usr/bin/env", "-i",
		"PATH=/usr/local/bin:/usr/bin:/usr/sbin", "HOME=/root", "/bin/sh", "-euc", "cd /root/mews\n"+script)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// run is like try, but the commands must succeed.
func (c *container) run(script string) string {
	c.t.Helper()
	out, err := c.try(script)
	if err != nil {
		c.t.Fatalf("%s: %v\n%s\n%s", script, err, out, c.journal())
	}
	return out
}

// journal returns the newest log lines of the service and systemd.
func (c *container) journal() string {
	out, err := c.try("journalctl --no-pager -n 40 -o cat -u mews || true; systemctl status --no-pager mews || true")
	return fmt.Sprint(out, " ", err)
}

// until repeats a shell condition until it holds.
func (c *container) until(condition string) {
	c.t.Helper()
	for began := time.Now(); ; {
		out, err := c.try(condition)
		if err == nil {
			return
		}
		if time.Since(began) > maxWait {
			c.t.Fatalf("%s: %v\n%s\n%s", condition, err, out, c.journal())
		}
	}
}
