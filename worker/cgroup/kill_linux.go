package cgroup

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// KillProcesses ends every process of the group with SIGKILL. Afterwards the group can only be
// removed. If the kernel has no cgroup.kill (v1, and v2 before Linux 5.14), it forbids forks and
// signals each process until none is left. An error names the processes that did not end.
func (g *Group) KillProcesses() error {
	if g.tree.kind == KindV2 && len(g.dirs) > 0 {
		err := g.tree.kernel.write(g.dirs[0].folder, "cgroup.kill", "1")
		if err == nil {
			return nil
		} else if !isMissing(err) {
			return fmt.Errorf("kill group %s: %w", g.dirs[0].folder.Name(), err)
		}
	}
	if err := g.forbidForks(); err != nil {
		return err
	}
	for _, delay := range retryDelays {
		left, err := g.killMembers()
		if len(left) == 0 && err == nil {
			return nil
		}
		if delay == 0 {
			return errors.Join(fmt.Errorf("kill group %s: processes %d are still there", g.name, left), err)
		}
		time.Sleep(delay)
	}
	return nil
}

// forbidForks ensures that no new processes appear while processes are killed one by one.
func (g *Group) forbidForks() error {
	for _, d := range g.dirs {
		if !d.hasController("pids") {
			continue
		}
		if err := g.tree.kernel.write(d.folder, "pids.max", "0"); err != nil && !isMissing(err) {
			return fmt.Errorf("forbid forks in group %s: %w", d.folder.Name(), err)
		}
	}
	return nil
}

// pidfdBatch bounds the processes that are held open at a time to signal them.
const pidfdBatch = 64

// killMembers kills the present processes of the group, in any hierarchy, and returns their pids.
func (g *Group) killMembers() (seen []int, err error) {
	var errs []error
	for _, d := range g.dirs {
		pids, err := processes(d.folder)
		errs = append(errs, err)
		for some := range slices.Chunk(pids, pidfdBatch) {
			seen = append(seen, some...)
			errs = append(errs, killBatch(d.folder, some))
		}
	}
	slices.Sort(seen)
	return slices.Compact(seen), errors.Join(errs...)
}

// killBatch kills the processes of the pids that are in the group. Since a pid was read, it may
// have passed to another process. So killBatch opens each process, and signals it only if the pid
// is still in the group.
func killBatch(folder *os.File, pids []int) error {
	held := map[int]int{}
	defer func() {
		for _, fd := range held {
			unix.Close(fd)
		}
	}()
	var errs []error
	for _, pid := range pids {
		fd, err := openPidfd(pid)
		if err == unix.ESRCH {
			continue
		} else if err != nil {
			errs = append(errs, fmt.Errorf("hold process %d of group %s: %w", pid, folder.Name(), err))
			continue
		}
		held[pid] = fd
	}
	still, err := processes(folder)
	errs = append(errs, err)
	for _, pid := range still {
		fd, ok := held[pid]
		if !ok {
			continue // the pid belongs to a new process: the next round finds it
		}
		if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && err != unix.ESRCH {
			errs = append(errs, fmt.Errorf("kill process %d of group %s: %w", pid, folder.Name(), err))
		}
	}
	return errors.Join(errs...)
}

func openPidfd(pid int) (int, error) {
	if pid == 0 {
		return -1, errors.New("it is outside of this process's pid namespace")
	}
	if pid == os.Getpid() {
		return -1, errors.New("it is this process")
	}
	return unix.PidfdOpen(pid, 0)
}

// processes lists the processes in a group's folder. 0 stands for a process that this process
// cannot see.
func processes(folder *os.File) ([]int, error) {
	text, err := read(folder, "cgroup.procs")
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENODEV) { // the group was removed meanwhile
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	pids, err := parsePIDs(text)
	if err != nil {
		err = fmt.Errorf("read %s/cgroup.procs: %w", folder.Name(), err)
	}
	return pids, err
}

// parsePIDs reads cgroup.procs. The kernel keeps no order and may list a pid twice (cgroups(7)).
func parsePIDs(text string) ([]int, error) {
	var pids []int
	for _, field := range strings.Fields(text) {
		pid, err := strconv.ParseUint(field, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("pid %q: %w", field, err)
		}
		pids = append(pids, int(pid))
	}
	slices.Sort(pids)
	return slices.Compact(pids), nil
}
