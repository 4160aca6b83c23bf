package install

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Facts are what the installer must know of the machine.
type Facts struct {
	Systemd  int    // the version of systemd; 0 means none
	Kernel   string // the kernel's release, such as 6.1.0-13-amd64
	Memory   int64  // bytes
	Swap     int64  // bytes
	Zone     string // the machine's time zone; "" if unknown
	AppArmor bool   // the kernel lets only named programs use user namespaces
	NoUsers  bool   // user namespaces are switched off
}

// Oldest versions that can run Mews as a service.
const (
	oldestSystemd = 247 // LoadCredential
	oldestMajor   = 5   // Landlock
	oldestMinor   = 13
)

const (
	smallServer = 1280 << 20 // a machine sold with 1 GiB has a little less; one with 1.5 GiB has more
	smallMemory = 384 << 20
)

// IsSmall reports whether the machine needs the limits of a small server.
func (f Facts) IsSmall() bool { return f.Memory > 0 && f.Memory <= smallServer }

var (
	systemdVersion = regexp.MustCompile(`^systemd (\d+)`)
	kernelVersion  = regexp.MustCompile(`^(\d+)\.(\d+)`)
)

// ReadFacts reads the facts of this machine. Those of an image's machine are not known, so an image
// has only its time zone and its systemd.
func ReadFacts(ctx context.Context, root string) (f Facts, err error) {
	f.Zone = zoneOf(root)
	m := machine{root: root, image: root != "" && root != "/", command: RunCommand}
	args := []string{"--version"}
	if m.image && !m.exists("/usr/bin/systemctl") {
		f.Systemd = oldestSystemd // the image gets its systemd later
		return f, nil
	}
	if text, err := RunCommand(ctx, "systemctl", args...); err == nil {
		if found := systemdVersion.FindStringSubmatch(text); found != nil {
			f.Systemd, _ = strconv.Atoi(found[1]) // the match has only digits
		}
	}
	if m.image {
		return f, nil
	}
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return f, err
	}
	f.Kernel = unix.ByteSliceToString(u.Release[:])
	f.Memory, f.Swap = memory()
	f.AppArmor = sysctl("kernel/apparmor_restrict_unprivileged_userns") == "1"
	f.NoUsers = sysctl("user/max_user_namespaces") == "0" || sysctl("kernel/unprivileged_userns_clone") == "0"
	return f, nil
}

func sysctl(name string) string {
	text, _ := os.ReadFile("/proc/sys/" + name) // most kernels lack some of these files
	return strings.TrimSpace(string(text))
}

// memory returns the bytes of memory and swap; 0 if they are unknown.
func memory() (total, swap int64) {
	text, _ := os.ReadFile("/proc/meminfo")
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 2 {
			continue
		}
		n, _ := strconv.ParseInt(words[1], 10, 64)
		switch words[0] {
		case "MemTotal:":
			total = n << 10
		case "SwapTotal:":
			swap = n << 10
		}
	}
	return total, swap
}

// zoneOf returns the time zone of the system below a root folder.
func zoneOf(root string) string {
	m := machine{root: root}
	if text, err := os.ReadFile(m.path("/etc/timezone")); err == nil && len(bytes.TrimSpace(text)) > 0 {
		return string(bytes.TrimSpace(text))
	}
	target, _ := os.Readlink(m.path("/etc/localtime")) // without a link the zone is unknown
	_, zone, _ := strings.Cut(target, "zoneinfo/")
	return zone
}

// check refuses a machine that can't run the service.
func (f Facts) check() error {
	if f.Systemd < oldestSystemd {
		return fmt.Errorf(textOldSystemd, f.Systemd, oldestSystemd)
	}
	if found := kernelVersion.FindStringSubmatch(f.Kernel); found != nil {
		major, _ := strconv.Atoi(found[1]) // the matches have only digits
		minor, _ := strconv.Atoi(found[2])
		if major < oldestMajor || major == oldestMajor && minor < oldestMinor {
			return fmt.Errorf(textOldKernel, f.Kernel, oldestMajor, oldestMinor)
		}
	}
	return nil
}

// notes says what an admin should know about the machine before the installation.
func (f Facts) notes() (list []string) {
	if f.IsSmall() {
		list = append(list, fmt.Sprintf(textSmall, f.Memory>>20, smallMemory>>20))
	}
	if f.Memory > 0 && f.Swap == 0 {
		list = append(list, textNoSwap)
	}
	return list
}
