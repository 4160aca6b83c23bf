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
	all             map[uint64]*worker // the spawner's
	say             func(spawnwire.Message) error
	killDescendants func(roots ...int) (killed int, err error) // the spawner's
	groups          *cgroup.Tree
	grouped         bool                         // workers get groups
	lastCheck       time.Time                    // at what has hit
	measuring       bool                         // the watchdog is looking
	measured        chan map[int]cgroup.TreeSize // what it has seen
}

// workerWeight is a worker's share of processor and disk while others want them too; the supervisor, on whom everybody waits,
// has 100.
const workerWeight = 20

// workerLimits are what was asked for, and never more than the policy has it.
func workerLimits(m spawnwire.Spawn, p Policy) cgroup.Limits {
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

// makeGroup makes a worker's group, where there are any.
func (l *limiter) makeGroup(w *worker) (err error) {
	if !l.grouped {
		return nil
	}
	// The name is of this spawner's alone: another one of the same service may still be ending.
	w.group, err = l.groups.Make(fmt.Sprintf("%d-%d", unix.Getpid(), w.id), w.limits)
	return err
}

// startInGroup has a process born in the worker's group, where the kernel can do that.
func (w *worker) startInGroup(attr *syscall.SysProcAttr) {
	if w.group == nil {
		return
	}
	if dir := w.group.Dir(); dir != nil {
		attr.UseCgroupFD, attr.CgroupFD = true, int(dir.Fd())
		w.inGroup = true
	}
}

// joinGroup puts a worker that was not born there into its group. It has not yet executed anything that could fork.
func (w *worker) joinGroup() error {
	if w.group == nil || w.inGroup {
		return nil
	}
	return w.group.Add(w.pid)
}

// discard clears away a worker that could not be started. What there is of it is a stray, and is killed with the others.
func (w *worker) discard() error {
	if w.group == nil {
		return nil
	}
	return errors.Join(w.group.Kill(), w.group.Remove())
}

// removeGroup removes the group of a worker of which nothing is left.
func (w *worker) removeGroup() {
	if w.group != nil {
		_ = w.group.Remove() // the kernel may hold on to it for a moment; the next spawner sweeps it away
	}
}

// checkLimits says which limits have hit since it was last called, and has the watchdog look too.
func (l *limiter) checkLimits(every time.Duration) error {
	if time.Since(l.lastCheck) < every {
		return nil
	}
	l.lastCheck = time.Now()
	l.startMeasuring()
	for _, w := range l.all {
		if !w.ended.IsZero() {
			continue
		}
		if err := l.reportNewHits(w); err != nil {
			return err
		}
	}
	return nil
}

// reportNewHits tells what a worker's group has counted.
func (l *limiter) reportNewHits(w *worker) error {
	if w.group == nil {
		return nil
	}
	now, err := w.group.LimitHits()
	if err != nil {
		return nil // it is just ending
	}
	return l.sendHits(w, now)
}

// sendHits tells of what is new.
func (l *limiter) sendHits(w *worker, now cgroup.LimitHits) error {
	for _, c := range []struct {
		name     string
		most     int64
		was, now int64
	}{
		{"memory", w.limits.Memory, w.hits.OOMKills, now.OOMKills},
		{"pids", int64(w.limits.PIDs), w.hits.PIDs, now.PIDs},
	} {
		if c.now <= c.was {
			continue
		}
		m := spawnwire.LimitHit{ID: w.id, Kind: c.name, Limit: uint64(c.most), Times: uint32(min(c.now-c.was, 1<<20))}
		if err := l.say(m); err != nil {
			return err
		}
	}
	w.hits = now
	return nil
}

// groupsLimit says whether control groups keep workers to their limit of something, so that the watchdog need not.
func (l *limiter) groupsLimit(controller string) bool {
	return l.grouped && l.groups.Enabled(controller)
}

// startMeasuring is the watchdog's look, where control groups do not count everything: it can hang over a process that is being
// torn down, and so is made by a goroutine of its own, one at a time.
func (l *limiter) startMeasuring() {
	if l.measuring || l.groupsLimit("memory") && l.groupsLimit("pids") {
		return
	}
	roots := map[int]int{}
	for _, w := range l.all {
		if !w.ended.IsZero() {
			continue
		}
		roots[w.pid] = math.MaxInt
		if !l.groupsLimit("pids") {
			roots[w.pid] = w.limits.PIDs
		}
	}
	if len(roots) == 0 {
		return
	}
	l.measuring = true
	go func() { // ends with the look; nobody waits for it at the end
		sums, err := cgroup.MeasureAll("/proc", roots)
		if err != nil {
			sums = nil
		}
		l.measured <- sums
	}()
}

// enforce keeps each worker to its limits.
func (l *limiter) enforce(sums map[int]cgroup.TreeSize) error {
	l.measuring = false
	for _, w := range l.all {
		sum, ok := sums[w.pid]
		if !ok || !w.ended.IsZero() {
			continue
		}
		now := w.hits
		var err error
		switch {
		case sum.Tasks > w.limits.PIDs && !l.groupsLimit("pids"):
			err = l.endDescendants(w, &now)
		case sum.Bytes > w.limits.Memory && !l.groupsLimit("memory"):
			err = killLargest(w, sum, &now)
		}
		if err == nil {
			err = l.sendHits(w, now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// endDescendants ends all that a worker runs. Which of many processes are too many nobody can tell, and those that are left would
// only make more: so would those that have lost their parents, and come to the spawner.
func (l *limiter) endDescendants(w *worker, hit *cgroup.LimitHits) error {
	killed, err := l.killDescendants(w.pid, os.Getpid())
	if killed > 0 {
		hit.PIDs++
	}
	return err
}

// killLargest ends the largest process of a worker, and the worker itself where that is it.
func killLargest(w *worker, sum cgroup.TreeSize, hit *cgroup.LimitHits) error {
	largest := sum.Largest
	if largest == 0 || sum.LargestBytes < sum.Bytes/8 {
		largest = w.pid
	}
	killed, err := killWithin(largest, w.pid)
	if killed {
		hit.OOMKills++
	}
	return err
}

// killWithin kills a process that descends from another, or is it. Between a look and now it may have ended, and its number
// may be somebody else's: it is held first, and then asked where it comes from.
func killWithin(pid, root int) (killed bool, err error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false, nil // it has ended
	}
	defer unix.Close(fd)
	if !isDescendant(pid, root) {
		return false, nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && err != unix.ESRCH && err != unix.EPERM {
		return false, fmt.Errorf("kill process %d, which is too large: %w", pid, err)
	}
	return true, nil
}

// isDescendant says whether root is pid, or above it.
func isDescendant(pid, root int) bool {
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

// isStale says whether a group's name is of a spawner that is gone.
func isStale(name string) bool {
	pid, _, _ := strings.Cut(name, "-")
	n, err := strconv.Atoi(pid)
	return err == nil && n != unix.Getpid() && unix.Kill(n, 0) == unix.ESRCH
}
