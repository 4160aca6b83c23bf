package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// golden lists what a worker finds in a folder. A name in brackets is only there if the host has
// it.
var golden = map[string]string{
	"/":           "dev etc home proc run tmp usr var workspaces [bin] [sbin] [lib] [lib32] [lib64] [libx32]",
	"/dev":        "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero",
	"/dev/pts":    "ptmx",
	"/dev/shm":    "",
	"/home":       "",
	"/run":        "",
	"/tmp":        "",
	"/var":        "tmp",
	"/workspaces": "code",
	"/etc": "group hostname hosts nsswitch.conf passwd [alternatives] [bash.bashrc] [ca-certificates] [fonts] [inputrc] " +
		"[ld.so.cache] [ld.so.conf] [ld.so.conf.d] [localtime] [magic] [mime.types] [pki] [protocols] [python3] [python3.11] " +
		"[python3.12] [python3.13] [services] [ssl] [terminfo] [timezone] [vim] [ImageMagick-6] [ImageMagick-7]",
	"/etc/ssl": "[certs] [openssl.cnf]",
}

// listing returns golden's list of a folder for this host.
func listing(dir string) []string {
	list := []string{}
	for _, name := range strings.Fields(golden[dir]) {
		bare := strings.Trim(name, "[]")
		if _, err := os.Lstat(path.Join(dir, bare)); bare == name || err == nil {
			list = append(list, bare)
		}
	}
	slices.Sort(list)
	return list
}

func TestWorkerRoot_Listing_EqualsGolden(t *testing.T) {
	inEach(t, tiersWithRoot(t), func(t *testing.T, r *testSandbox) {
		for dir := range golden {
			got := strings.Fields(r.mustPrint("ls -A " + dir))
			slices.Sort(got)
			if diff := cmp.Diff(listing(dir), append([]string{}, got...)); diff != "" {
				t.Errorf("%s: %s", dir, diff)
			}
		}
		got := r.mustPrint("cat /etc/passwd /etc/group /etc/hostname; hostname; pwd; id -un; id -G")
		if got != fmt.Sprintf(
			"root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nuser:x:%[1]d:%[2]d::/home:/bin/bash\n"+
				"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\nroot:x:0:\nuser:x:%[2]d:\nnogroup:x:65534:\n"+
				"mews\nmews\n/home\nuser\n%[3]s", r.uid(), r.gid(), r.groups()) {
			t.Errorf("accounts:\n%s", got)
		}
		if got := r.mustPrint("env | sort"); got != "HOME=/home\nLANG=C.UTF-8\nMEWS_TIER="+string(r.plan.Tier)+
			"\nPATH=/usr/local/bin:/usr/bin:/bin\nPWD=/home" {
			t.Errorf("environment:\n%s", got)
		}
		// descriptor 3 belongs to the listing itself
		if got := r.mustPrint("ls /proc/self/fd | tr '\\n' ' '"); got != "0 1 2 3" {
			t.Errorf("descriptors: %s", got)
		}
		if got := r.mustPrint("echo $$; echo /proc/[0-9]*"); got != "1\n/proc/1" {
			t.Errorf("processes: %s", got)
		}
		if got := r.mustPrint("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status | tr -d '\\n\\t '"); got !=
			"CapInh:0000000000000000CapPrm:0000000000000000CapEff:0000000000000000CapBnd:0000000000000000"+
				"CapAmb:0000000000000000NoNewPrivs:1Seccomp:2" {
			t.Errorf("privileges: %s", got)
		}
	})
}

func (r *testSandbox) uid() int {
	if r.plan.UID >= 0 {
		return r.plan.UID
	}
	return os.Getuid()
}

func (r *testSandbox) gid() int {
	if r.plan.GID >= 0 {
		return r.plan.GID
	}
	return os.Getgid()
}

// groups returns the worker's groups. A worker with another account has left all groups. A worker
// with the spawner's account sees unmapped groups as nogroup.
func (r *testSandbox) groups() string {
	if r.privilege != PrivilegeNone {
		return fmt.Sprint(r.gid())
	}
	return r.mustPrint("id -G")
}

// mounted is a line of a worker's mountinfo (proc(5)).
type mounted struct{ at, options, kind string }

func (r *testSandbox) mounts() []mounted {
	r.t.Helper()
	var list []mounted
	for line := range strings.Lines(r.mustPrint("cat /proc/self/mountinfo")) {
		before, after, _ := strings.Cut(line, " - ")
		f := strings.Fields(before)
		list = append(list, mounted{at: f[4], options: f[5], kind: strings.Fields(after)[0]})
	}
	return list
}

// TestWorkerRoot_Mounts_AreRestricted: a worker has only the mounts of this package, each as
// restricted as possible.
func TestWorkerRoot_Mounts_AreRestricted(t *testing.T) {
	own := map[string]string{"/": "tmpfs", "/proc": "proc", "/tmp": "tmpfs", "/dev/shm": "tmpfs", "/dev/pts": "devpts",
		"/home": "", "/workspaces/code": ""}
	inEach(t, tiersWithRoot(t), func(t *testing.T, r *testSandbox) {
		seen := map[string]bool{}
		for _, m := range r.mounts() {
			seen[m.at] = true
			option := func(name string) bool { return slices.Contains(strings.Split(m.options, ","), name) }
			kind, ours := own[m.at]
			device := slices.Contains(devices, strings.TrimPrefix(m.at, "/dev/"))
			if !ours && !device && !givenOfHost(m.at) {
				t.Errorf("%s is of nobody knows where", m.at)
			}
			if kind != "" && m.kind != kind {
				t.Errorf("%s is a %s", m.at, m.kind)
			}
			if !option("nosuid") || !option("nodev") && !device && m.at != "/dev/pts" {
				t.Errorf("%s: %s", m.at, m.options)
			}
			if writable := ours && m.at != "/" || device; option("rw") != writable {
				t.Errorf("%s: %s; writable should be %t", m.at, m.options, writable)
			}
		}
		for at := range own {
			if !seen[at] {
				t.Errorf("%s is not mounted", at)
			}
		}
	})
}

// givenOfHost reports whether a mount may be a folder of the host, or inside such a folder.
func givenOfHost(at string) bool {
	for _, of := range append(slices.Clone(systemDirs), etcFromHost...) {
		if !strings.HasPrefix(of, "/") {
			of = "/etc/" + of
		}
		if at == of || strings.HasPrefix(at, of+"/") {
			return true
		}
	}
	return false
}

// TestWorkerRoot_OtherFolders_AreReadOnly tries every folder that a worker can see.
func TestWorkerRoot_OtherFolders_AreReadOnly(t *testing.T) {
	const script = `
find / -xdev -path /usr -prune -o -type d -print >/tmp/folders 2>/dev/null
find /usr /etc /dev /run /var /home /workspaces /tmp -maxdepth 3 -type d >>/tmp/folders 2>/dev/null
ls -d /proc /proc/sys /proc/self /proc/self/task /proc/sys/kernel >>/tmp/folders
sort -u /tmp/folders | while read -r d; do
	(: >"$d/mews-was-here") 2>/dev/null && echo "$d" && rm "$d/mews-was-here"
done
for f in /etc/passwd /etc/hosts /etc/ld.so.cache /proc/sys/kernel/core_pattern /proc/self/oom_score_adj /proc/sysrq-trigger \
	/usr/bin/sh /proc/self/exe /proc/1/mem /proc/self/uid_map; do
	(: >>"$f") 2>/dev/null && echo "$f"
done
true`
	inEach(t, tiersWithRoot(t), func(t *testing.T, r *testSandbox) {
		got := r.mustPrint(script)
		if got != "/dev/shm\n/home\n/tmp\n/workspaces/code" {
			t.Errorf("it can write:\n%s", got)
		}
		for _, try := range []string{"mkdir /x", "rm /bin", "mv /etc/hosts /etc/h", "ln -s / /dev/x", "chmod 777 /", "touch /run/x",
			"rmdir /run", "mount -o remount,rw /", "mknod /tmp/x c 1 3", "chroot /tmp", "mkdir /workspaces/x"} {
			if said, err := r.run(try); err == nil {
				t.Errorf("%s: %s", try, said)
			}
		}
	})
}

// TestSetUIDPrograms_HaveNoEffect tries set-uid programs of the user and of the host.
func TestSetUIDPrograms_HaveNoEffect(t *testing.T) {
	inEach(t, tiersWithRoot(t), func(t *testing.T, r *testSandbox) {
		r.must(copyFile("/usr/bin/id", r.host("home/id"), 0o755))
		if os.Getuid() == 0 {
			r.must(os.Chown(r.host("home/id"), 0, 0))
			r.must(os.Chmod(r.host("home/id"), 0o4755|os.ModeSetuid))
		}
		if got := r.mustPrint("./id -u"); got != fmt.Sprint(r.uid()) {
			t.Errorf("it is %s", got)
		}
	})
}

func copyFile(from, to string, mode os.FileMode) error {
	b, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, b, mode))
}

// TestHostFolders_AreReadOnlyAtOwnPaths mounts host folders, also a folder in the user's home. No
// link in a path is followed.
func TestHostFolders_AreReadOnlyAtOwnPaths(t *testing.T) {
	inEach(t, tiersWithRoot(t), func(t *testing.T, r *testSandbox) {
		r.must(os.MkdirAll(r.host("models/small"), 0o755))
		r.must(os.WriteFile(r.host("models/small/weights"), []byte("1\n"), 0o644))
		r.plan.Binds = append(r.plan.Binds, r.checkedBind("models"))
		at := r.host("models")
		if got := r.mustPrint("cat " + at + "/small/weights"); got != "1" {
			t.Errorf("read %q", got)
		}
		if said, err := r.run("rm -f " + at + "/small/weights || : > " + at + "/x"); err == nil {
			t.Errorf("it is written: %s", said)
		}
	})
}

// TestMountPoint_InUsersFolder_FollowsNoLinks: a link that the user has put at the mount point is
// not followed.
func TestMountPoint_InUsersFolder_FollowsNoLinks(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, err := range []error{os.Mkdir("home", 0o700), os.Symlink("/", "home/abs"), os.Symlink("..", "home/up"),
		os.Mkdir("outside", 0o700), os.Symlink("../outside", "home/side")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range []string{"home/abs/tmp/x", "home/up/x", "home/side/x/y", "../x", "home/../../x", "/tmp/x"} {
		if fd, err := openOrMake(at); err == nil {
			t.Errorf("%s is a folder: %d", at, fd)
		}
	}
	fd, err := openOrMake("home/a/b/c")
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if left, err := filepath.Glob("outside/*"); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// TestMountPoint_DeepPath_IsMade: the folders above a mount point are made, also above a link:
// /etc/ssl/certs is a link on systems with /etc/pki.
func TestMountPoint_DeepPath_IsMade(t *testing.T) {
	t.Chdir(t.TempDir())
	p := pendingMount{at: "etc/ssl/certs", link: "../pki/tls/certs", fd: -1}
	if err := p.attach(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.Readlink(p.at); err != nil || got != p.link {
		t.Errorf("%s, %v", got, err)
	}
	if err := p.attach(); err == nil {
		t.Error("a second one is put over it")
	}
}

// TestWorkerRoot_LinkInPath_IsNotFollowed: a link on the way to the root of a bind is not followed.
// Otherwise a user who may change a folder above the root could lead the mount elsewhere with a
// link.
func TestWorkerRoot_LinkInPath_IsNotFollowed(t *testing.T) {
	dir := homeOf(t, os.Getuid())
	for _, path := range []string{"mine/projects/site", "theirs/projects/site"} {
		if err := os.MkdirAll(filepath.Join(dir, path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	root := filepath.Join(dir, "mine", "projects")
	_, fd, err := OpenBindMount(root, "site")
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Close(fd); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(root, root+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../theirs/projects", root); err != nil {
		t.Fatal(err)
	}
	if _, fd, err := OpenBindMount(root, "site"); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("opened %d, %v", fd, err)
	}
}

// TestWorkerRoot_StrictUmask_IsReadable: a spawner's umask applies to the worker's new files, but
// not to the folders of the worker's root.
func TestWorkerRoot_StrictUmask_IsReadable(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o777))
	for _, tier := range tiersWithRoot(t) {
		syscall.Umask(0o022)
		r := newTestSandbox(t, tier)
		syscall.Umask(0o077)
		if got := r.mustPrint("ls /etc /dev / >/tmp/x && umask"); got != "0077" {
			t.Errorf("%s: %s", tier, got)
		}
	}
}
