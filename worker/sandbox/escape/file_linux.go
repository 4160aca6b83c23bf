package escape

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func files() []Probe {
	return []Probe{
		{Row: "F1", What: "read /etc/shadow", Kernel: true, run: readShadow},
		{Row: "F2", What: "read another person's home", Core: true, Kernel: true, run: readFile(otherHome)},
		{Row: "F3", What: "read an own file outside of the workspace", Core: true, run: readFile(ownOutside)},
		{Row: "F4", What: "read the supervisor's environment", Kernel: true, run: readEnviron(supervisor)},
		{Row: "F5", What: "read a same-uid process's environment", Core: true, run: readEnviron(victim)},
		{Row: "F6", What: "list a same-uid process's descriptors", run: listDescriptors},
		{Row: "F7", What: "write to /etc", Core: true, Kernel: true, run: writeEtc},
		{Row: "F8", What: "write beside the workspace", run: needsVictim(ownOutside, writeOutside)},
		{Row: "F9", What: "leave the workspace by a symbolic link", Core: true, run: needsVictim(ownOutside, throughLink(os.Symlink))},
		{Row: "F10", What: "bring a file in by a hard link", run: needsVictim(ownOutside, throughLink(os.Link))},
		{Row: "F11", What: "list what is above the workspace", run: needsVictim(ownOutside, listAbove)},
		{Row: "F12", What: "rename a file out of the workspace", run: needsVictim(ownOutside, renameOut)},
		{Row: "F13", What: "read /proc/PID/mem of a same-uid process", run: readMem},
		{Row: "F14", What: "see processes that are outside", Core: true, run: seeProcesses},
		{Row: "F15", What: "read the state folder", Core: true, Kernel: true, run: readFile(secretFile)},
		{Row: "F16", What: "learn which boot of which machine this is", run: readBootID},
		{Row: "F17", What: "write to /proc/sys", Kernel: true, run: writeSysctl},
		{Row: "F18", What: "lower the own oom_score_adj", Kernel: true, run: lowerOOMScore},
		{Row: "F19", What: "read /sys", run: readSys},
		{Row: "F20", What: "read a block device", Kernel: true, run: readBlockDevice},
		{Row: "F21", What: "make a block device in the workspace", Kernel: true, run: makeBlockDevice},
	}
}

func otherHome(v Victims) string  { return v.OtherHome }
func ownOutside(v Victims) string { return v.OwnOutside }
func secretFile(v Victims) string { return v.SecretFile }

// checkSecret returns nil if the content contains the secret.
func checkSecret(content []byte, v Victims) error {
	switch {
	case v.Secret == "":
		return notTriedError("no secret was named")
	case bytes.Contains(content, []byte(v.Secret)):
		return nil
	}
	return fmt.Errorf("%d bytes were read, and the secret was not among them", len(content))
}

// readSecret reads a file that should hold the secret.
func readSecret(path string, v Victims) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return checkSecret(content, v)
}

// needsVictim makes a probe that is not tried if the caller has not named its victim.
func needsVictim(which func(Victims) string, run func(Victims) error) func(Victims) error {
	return func(v Victims) error {
		if which(v) == "" {
			return notTriedError("no such victim was named")
		}
		return run(v)
	}
}

func readFile(which func(Victims) string) func(Victims) error {
	return needsVictim(which, func(v Victims) error { return readSecret(which(v), v) })
}

func readShadow(Victims) error {
	content, err := os.ReadFile("/etc/shadow")
	if err == nil && len(content) == 0 {
		err = errors.New("/etc/shadow is empty")
	}
	return err
}

func readEnviron(which func(Victims) int) func(Victims) error {
	return func(v Victims) error {
		pid, err := listedPID(which(v), v)
		if err != nil {
			return err
		}
		return readSecret(inProc(pid, "environ"), v)
	}
}

func inProc(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}

func listDescriptors(v Victims) error {
	pid, err := listedPID(v.VictimPID, v)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(inProc(pid, "fd"))
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return errors.New("there are none in the list")
	}
	return nil
}

// freshName returns an unused random name, which a probe makes and removes. A killed probe may have
// left its file, and its process id may occur again in the next worker's namespace.
func freshName(dir, row string) string {
	return filepath.Join(dir, ".mews-escape-"+row+"-"+rand.Text())
}

// create makes a new file and removes it.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), afterUndo(os.Remove(path)))
}

// afterUndo returns the result of an escape whose effect was undone. err is the error of the undo.
func afterUndo(err error) error {
	if err != nil {
		return escapedError("and it stays: " + err.Error())
	}
	return nil
}

func writeEtc(Victims) error { return create(freshName("/etc", "F7")) }

func writeOutside(v Victims) error {
	return create(freshName(filepath.Dir(v.OwnOutside), "F8"))
}

// throughLink reads the file outside through a link in the workspace.
func throughLink(link func(string, string) error) func(Victims) error {
	return func(v Victims) error {
		name := freshName(v.workspace(), "link")
		if err := link(v.OwnOutside, name); err != nil {
			return err
		}
		defer os.Remove(name)
		return readSecret(name, v)
	}
}

// aboveLimit bounds the folders that listAbove goes up. Few workspaces are that deep.
const aboveLimit = 12

// listAbove goes up from the workspace and looks for the name of the file outside.
func listAbove(v Victims) error {
	var first error
	above := v.workspace()
	for range aboveLimit {
		above += "/.." // not path.Join, because the kernel must resolve the ".."
		entries, err := os.ReadDir(above)
		for _, e := range entries {
			if e.Name() == filepath.Base(v.OwnOutside) {
				return escapedError(fmt.Sprintf("%s is listed in %s", e.Name(), above))
			}
		}
		first = cmp.Or(first, err)
	}
	return cmp.Or(first, errors.New("no folder above lists the file outside"))
}

func renameOut(v Victims) error {
	inside := freshName(v.workspace(), "F12")
	if err := os.WriteFile(inside, nil, 0o600); err != nil {
		return notTriedError("no file could be made in the workspace: " + err.Error())
	}
	defer os.Remove(inside)
	outside := freshName(filepath.Dir(v.OwnOutside), "F12")
	if err := os.Rename(inside, outside); err != nil {
		return err
	}
	return afterUndo(os.Remove(outside))
}

// seeProcesses looks for the victims in /proc.
func seeProcesses(v Victims) error {
	if v.SupervisorPID == 0 && v.VictimPID == 0 {
		return notTriedError("no process was named")
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid != v.SupervisorPID && pid != v.VictimPID {
			continue
		}
		if _, err := listedPID(pid, v); err == nil {
			return escapedError(fmt.Sprintf("pid %d is listed", pid))
		}
	}
	return errors.New("none of them is listed")
}

func readBootID(Victims) error {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err == nil && len(bytes.TrimSpace(id)) == 0 {
		err = errors.New("it is empty")
	}
	return err
}

// writeSysctl writes the present value of a setting of the whole machine to it.
func writeSysctl(Victims) error {
	const path = "/proc/sys/kernel/panic"
	value, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return writeThere(path, string(value))
}

// writeThere writes to an existing file, in one call.
func writeThere(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// lowerOOMScore makes this process less likely to be killed when memory runs out, and undoes the
// change.
func lowerOOMScore(Victims) error {
	const path = "/proc/self/oom_score_adj"
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := writeThere(path, "-500"); err != nil {
		return err
	}
	return afterUndo(writeThere(path, string(before)))
}

// readSys reads the machine's model, or the names of its network interfaces.
func readSys(Victims) error {
	id, err := os.ReadFile("/sys/class/dmi/id/product_name")
	if err == nil && len(id) > 0 {
		return escapedError("the machine's model")
	}
	links, err := os.ReadDir("/sys/class/net")
	if err == nil && len(links) > 0 {
		return escapedError("the network's interfaces")
	}
	if err == nil {
		err = errors.New("/sys has nothing to tell")
	}
	return err
}

// readBlockDevice tries every block device of /dev.
func readBlockDevice(Victims) error {
	entries, err := os.ReadDir("/dev")
	if err != nil {
		return err
	}
	first := errors.New("there is none in /dev")
	stopped := false
	for _, e := range entries {
		if e.Type()&(fs.ModeDevice|fs.ModeCharDevice) != fs.ModeDevice {
			continue
		}
		err := readSector(filepath.Join("/dev", e.Name()))
		if err == nil {
			return escapedError("/dev/" + e.Name())
		}
		if !stopped {
			first, stopped = err, true
		}
	}
	return first
}

func readSector(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.ReadFull(f, make([]byte, 512))
	return wrapCall("read "+path, err)
}

func makeBlockDevice(v Victims) error {
	path := freshName(v.workspace(), "F21")
	err := unix.Mknod(path, syscall.S_IFBLK|0o600, int(unix.Mkdev(7, 0))) // 7, 0: the first loop device
	if err != nil {
		return fmt.Errorf("mknod: %w", err)
	}
	return afterUndo(os.Remove(path))
}

// stackLimit bounds the bytes read from the top of a stack.
const stackLimit = 1 << 20

// mapping returns the top of a process's stack, which holds its environment.
func mapping(pid int) (from, to uint64, err error) {
	maps, err := os.ReadFile(inProc(pid, "maps"))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(maps)) {
		if !strings.HasSuffix(line, "[stack]\n") {
			continue
		}
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil {
			return 0, 0, fmt.Errorf("read the map of process %d: %q: %w", pid, line, err)
		}
		return max(from, to-min(to, stackLimit)), to, nil
	}
	return 0, 0, fmt.Errorf("read the map of process %d: there is no stack in it", pid)
}

func readMem(v Victims) error {
	pid, err := listedPID(v.VictimPID, v)
	if err != nil {
		return err
	}
	mem, err := os.Open(inProc(pid, "mem"))
	if err != nil {
		return err
	}
	defer mem.Close()
	from, to, err := mapping(pid)
	if err != nil {
		return err
	}
	stack := make([]byte, to-from)
	n, err := mem.ReadAt(stack, int64(from))
	if n == 0 && err != nil {
		return err
	}
	return checkSecret(stack[:n], v)
}
