package spawn

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
	"mews/worker/cgroup"
)

// What a worker and all that it runs may have together is a control group's affair. Where the system gives none, the
// spawner looks every few seconds: it ends the largest process of a worker that has too much memory, and all that a worker
// runs that has too many processes.

// limiter is the part of a spawner that counts.
type limiter struct {
	all      map[uint64]*worker // the spawner's
	say      func(spawnwire.Message) error
	cull     func(roots ...int) (killed int, err error) // the spawner's
	groups   *cgroup.Tree
	grouped  bool                    // workers get groups
	looked   time.Time               // at what has struck
	watching bool                    // the watchdog is looking
	sums     chan map[int]cgroup.Sum // what it has seen
}

// workerWeight is a worker's share of processor and disk while others want them too; the supervisor, on whom everybody waits,
// has 100.
const workerWeight = 20

// limitsOf are what was asked for, and never more than the policy has it.
func limitsOf(m spawnwire.Spawn, p Policy) cgroup.Limits {
	l := cgroup.Limits{Memory: int64(p.Memory), PIDs: int(p.PIDs), CPUWeight: workerWeight, IOWeight: workerWeight}
	if m.Memory > 0 {
		l.Memory = int64(min(m.Memory, p.Memory))
	}
	if m.PIDs > 0 {
		l.PIDs = int(min(m.PIDs, p.PIDs))
	}
	l.MemoryHigh = l.Memory - l.Memory/8 // slowed down first, so that what can give memory back does
	return l
}

// enclose makes a worker's group, where there are any.
func (l *limiter) enclose(w *worker) (err error) {
	if !l.grouped {
		return nil
	}
	// The name is of this spawner's alone: another one of the same service may still be ending.
	w.group, err = l.groups.Make(fmt.Sprintf("%d-%d", unix.Getpid(), w.id), w.limits)
	return err
}

// into has a process born in the worker's group, where the kernel can do that.
func (w *worker) into(attr *syscall.SysProcAttr) {
	if w.group == nil {
		return
	}
	if dir := w.group.Dir(); dir != nil {
		attr.UseCgroupFD, attr.CgroupFD = true, int(dir.Fd())
		w.born = true
	}
}

// joined puts a worker that was not born there into its group. It has not yet executed anything that could fork.
func (w *worker) joined() error {
	if w.group == nil || w.born {
		return nil
	}
	return w.group.Add(w.pid)
}

// abandon clears away a worker that could not be started. What there is of it is a stray, and is killed with the others.
func (w *worker) abandon() error {
	if w.group == nil {
		return nil
	}
	return errors.Join(w.group.Kill(), w.group.Remove())
}

// clear removes the group of a worker of which nothing is left.
func (w *worker) clear() {
	if w.group != nil {
		_ = w.group.Remove() // the kernel may hold on to it for a moment; the next spawner sweeps it away
	}
}

// look says which limits have struck since it was last called, and has the watchdog look too.
func (l *limiter) look(every time.Duration) error {
	if time.Since(l.looked) < every {
		return nil
	}
	l.looked = time.Now()
	l.watch()
	for _, w := range l.all {
		if !w.ended.IsZero() {
			continue
		}
		if err := l.count(w); err != nil {
			return err
		}
	}
	return nil
}

// count tells what a worker's group has counted.
func (l *limiter) count(w *worker) error {
	if w.group == nil {
		return nil
	}
	now, err := w.group.Strikes()
	if err != nil {
		return nil // it is just ending
	}
	return l.tell(w, now)
}

// tell tells of what is new.
func (l *limiter) tell(w *worker, now cgroup.Strikes) error {
	for _, c := range []struct {
		name     string
		most     int64
		was, now int64
	}{
		{"memory", w.limits.Memory, w.struck.OOMKills, now.OOMKills},
		{"pids", int64(w.limits.PIDs), w.struck.PIDs, now.PIDs},
	} {
		if c.now <= c.was {
			continue
		}
		m := spawnwire.Struck{ID: w.id, Limit: c.name, Most: uint64(c.most), Times: uint32(min(c.now-c.was, 1<<20))}
		if err := l.say(m); err != nil {
			return err
		}
	}
	w.struck = now
	return nil
}

// counts says whether control groups keep workers to their limit of something, so that the watchdog need not.
func (l *limiter) counts(controller string) bool { return l.grouped && l.groups.Counts(controller) }

// watch is the watchdog's look, where control groups do not count everything: it can hang over a process that is being
// torn down, and so is made by a goroutine of its own, one at a time.
func (l *limiter) watch() {
	if l.watching || l.counts("memory") && l.counts("pids") {
		return
	}
	roots := map[int]int{}
	for _, w := range l.all {
		if !w.ended.IsZero() {
			continue
		}
		roots[w.pid] = math.MaxInt
		if !l.counts("pids") {
			roots[w.pid] = w.limits.PIDs
		}
	}
	if len(roots) == 0 {
		return
	}
	l.watching = true
	go func() { // ends with the look; nobody waits for it at the end
		sums, err := cgroup.MeasureAll("/proc", roots)
		if err != nil {
			sums = nil
		}
		l.sums <- sums
	}()
}

// weigh keeps each worker to its limits.
func (l *limiter) weigh(sums map[int]cgroup.Sum) error {
	l.watching = false
	for _, w := range l.all {
		sum, ok := sums[w.pid]
		if !ok || !w.ended.IsZero() {
			continue
		}
		now := w.struck
		var err error
		switch {
		case sum.Tasks > w.limits.PIDs && !l.counts("pids"):
			err = l.thin(w, &now)
		case sum.Bytes > w.limits.Memory && !l.counts("memory"):
			err = lighten(w, sum, &now)
		}
		if err == nil {
			err = l.tell(w, now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// thin ends all that a worker runs. Which of many processes are too many nobody can tell, and those that are left would
// only make more: so would those that have lost their parents, and come to the spawner.
func (l *limiter) thin(w *worker, struck *cgroup.Strikes) error {
	killed, err := l.cull(w.pid, os.Getpid())
	if killed > 0 {
		struck.PIDs++
	}
	return err
}

// lighten ends the largest process of a worker, and the worker itself where that is it.
func lighten(w *worker, sum cgroup.Sum, struck *cgroup.Strikes) error {
	largest := sum.Largest
	if largest == 0 || sum.LargestBytes < sum.Bytes/8 {
		largest = w.pid
	}
	killed, err := killBelow(largest, w.pid)
	if killed {
		struck.OOMKills++
	}
	return err
}

// killBelow kills a process that descends from another, or is it. Between a look and now it may have ended, and its number
// may be somebody else's: it is held first, and then asked where it comes from.
func killBelow(pid, root int) (killed bool, err error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false, nil // it has ended
	}
	defer unix.Close(fd)
	if !descends(pid, root) {
		return false, nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && err != unix.ESRCH && err != unix.EPERM {
		return false, fmt.Errorf("kill process %d, which is too large: %w", pid, err)
	}
	return true, nil
}

// descends says whether root is pid, or above it.
func descends(pid, root int) bool {
	for range 1 << 16 { // it ends with a worker's processes: how deep they are nested is for the worker to choose
		if pid == root {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return false
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 2 {
			return false
		}
		if pid, err = strconv.Atoi(string(fields[1])); err != nil || pid == 0 {
			return false
		}
	}
	return false
}

// isLeft says whether a group's name is of a spawner that is gone.
func isLeft(name string) bool {
	pid, _, _ := strings.Cut(name, "-")
	n, err := strconv.Atoi(pid)
	return err == nil && n != unix.Getpid() && unix.Kill(n, 0) == unix.ESRCH
}
