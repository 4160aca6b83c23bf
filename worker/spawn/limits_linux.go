package spawn

import (
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

// Control groups limit a worker and its programs together. On a system without control groups, a
// watchdog measures every few seconds. If a worker has too much memory, the watchdog ends the
// worker's largest process. If a worker has too many processes, the watchdog ends all its programs.
//
// No control group limits the resources that the kernel counts for a whole account: watches of
// epoll, pipes, terminals. If a worker holds too many of these, the watchdog ends all its programs.

// workerGroup limits a worker and its programs.
type workerGroup struct {
	limits  cgroup.Limits
	group   *cgroup.Group // control group; nil if this system has no control groups
	inGroup bool          // the worker was started in its group
	hits    cgroup.LimitHits
}

// workerWeight is a worker's weight for processor and disk time. The supervisor, for which all
// users wait, has 100.
const workerWeight = 20

// workerLimits returns the requested limits, at most those of the policy.
func workerLimits(m spawnwire.SpawnRequest, p Policy) cgroup.Limits {
	l := cgroup.Limits{Memory: int64(p.Memory), PIDs: int(p.PIDs), CPUWeight: workerWeight, IOWeight: workerWeight}
	if m.Memory > 0 {
		l.Memory = int64(min(m.Memory, p.Memory))
	}
	if m.PIDs > 0 {
		l.PIDs = int(min(m.PIDs, p.PIDs))
	}
	// near the limit the kernel slows the worker down and frees caches
	l.MemoryHigh = l.Memory - l.Memory/8
	return l
}

// allWorkers returns the common limits of all workers: parts of the machine's memory, and the
// processes of as many busy workers as there are turns at once.
func (p Policy) allWorkers() cgroup.Limits {
	l := cgroup.Limits{PIDs: min(busyWorkers*int(p.PIDs), maxWorkerPIDs), CPUWeight: 100, IOWeight: 100}
	var machine unix.Sysinfo_t
	if err := unix.Sysinfo(&machine); err == nil {
		memory := int64(machine.Totalram) * int64(machine.Unit)
		l.Memory, l.MemoryHigh = memory/10*8, memory/10*7
	}
	return l
}

// maxWorkerPIDs leaves some of the unit's TasksMax, which is 4096, to mews and mews-spawner.
const maxWorkerPIDs = 3500

// busyWorkers is how many workers run turns at once: those of chats, of jobs and of reviews.
const busyWorkers = 8 + 2 + 2

// makeGroup makes a worker's group, if this system has control groups. If the kernel can do that,
// the worker's process starts in the group.
func (s *spawner) makeGroup(w *worker, attr *syscall.SysProcAttr) (err error) {
	if !s.grouped {
		return nil
	}
	// The name has this spawner's pid, because another spawner of the same service may still be
	// ending.
	if w.group, err = s.groups.MakeGroup(fmt.Sprintf("%d-%d", unix.Getpid(), w.id), w.limits); err != nil {
		return err
	}
	if dir := w.group.Dir(); dir != nil {
		attr.UseCgroupFD, attr.CgroupFD, w.inGroup = true, int(dir.Fd()), true
	}
	return nil
}

// joinGroup adds a worker to its group if the worker was not started there. The worker has not yet
// executed any code that forks.
func (w *worker) joinGroup() error {
	if w.group == nil || w.inGroup {
		return nil
	}
	return w.group.AddProcess(w.pid)
}

// discard removes a worker that could not be started. Its processes are killed with the orphans.
func (w *worker) discard() error {
	if w.group == nil {
		return nil
	}
	return errors.Join(w.group.KillProcesses(), w.group.Remove())
}

// removeGroup removes the group of a worker without processes.
func (w *worker) removeGroup() {
	if w.group != nil {
		// the kernel may keep the group for a moment; then the next spawner removes it
		_ = w.group.Remove()
	}
}

// checkLimits reports the limits that were hit since the last sweep, and starts the watchdog's
// measurement.
func (s *spawner) checkLimits() error {
	if time.Since(s.lastCheck) < s.sweep() {
		return nil
	}
	s.lastCheck = time.Now()
	s.startMeasuring()
	for _, w := range s.workers {
		if !w.ended.IsZero() {
			continue
		}
		if err := s.reportNewHits(w); err != nil {
			return err
		}
	}
	return nil
}

// reportNewHits reports the limit hits that a worker's group has counted since the last report.
func (s *spawner) reportNewHits(w *worker) error {
	if w.group == nil {
		return nil
	}
	now, err := w.group.LimitHits()
	if err != nil {
		return nil // the group is being removed
	}
	return s.sendHits(w, now)
}

// sendHits sends a LimitHitMessage for each count that has grown.
func (s *spawner) sendHits(w *worker, now cgroup.LimitHits) error {
	for _, c := range []struct {
		kind     string
		limit    int64
		was, now int64
	}{
		{"memory", w.limits.Memory, w.hits.OOMKills, now.OOMKills},
		{"pids", int64(w.limits.PIDs), w.hits.PIDs, now.PIDs},
	} {
		if c.now <= c.was {
			continue
		}
		m := spawnwire.LimitHitMessage{ID: w.id, Kind: c.kind, Limit: uint64(c.limit), Times: uint32(min(c.now-c.was,
			1<<20))}
		if err := s.send(m); err != nil {
			return err
		}
	}
	w.hits = now
	return nil
}

// groupsLimit reports whether control groups enforce the limits of a controller, so that the
// watchdog need not.
func (s *spawner) groupsLimit(controller string) bool {
	return s.grouped && s.groups.HasControllerEnabled(controller)
}

// startMeasuring starts the watchdog's measurement. The measurement can hang at a process that is
// ending. So it runs in a separate goroutine, one at a time.
func (s *spawner) startMeasuring() {
	if s.measuring {
		return
	}
	roots := map[int]cgroup.MeterLimits{}
	for _, w := range s.workers {
		if !w.ended.IsZero() {
			continue
		}
		limits := cgroup.MeterLimits{Tasks: math.MaxInt, Memory: !s.groupsLimit("memory"), Pools: s.poolLimits}
		limits.MemoryLimit = w.limits.Memory
		if !s.groupsLimit("pids") {
			limits.Tasks = w.limits.PIDs
		}
		roots[w.pid] = limits
	}
	if len(roots) == 0 {
		return
	}
	s.measuring = true
	go func() { // this goroutine ends with the measurement; Run does not wait for its end
		sizes, err := s.meter.MeasureProcessTrees(roots)
		if err != nil {
			sizes = nil
		}
		s.results <- func() error { return s.enforce(sizes) }
	}()
}

// enforce enforces each worker's limits.
func (s *spawner) enforce(sizes map[int]cgroup.ProcessTreeSize) error {
	s.measuring = false
	for _, w := range s.workers {
		size, ok := sizes[w.pid]
		if !ok || !w.ended.IsZero() {
			continue
		}
		now := w.hits
		var err error
		pool, most := size.Pools.FindExceededPool(s.poolLimits)
		switch {
		case size.Tasks > w.limits.PIDs && !s.groupsLimit("pids"):
			err = s.endDescendants(w, &now)
		case size.Bytes > w.limits.Memory && !s.groupsLimit("memory"):
			err = killLargest(w, size, &now)
		case pool != "":
			err = s.endHolders(w, size.RootPools, pool, most)
		}
		if err == nil {
			err = s.sendHits(w, now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// endDescendants ends all programs of a worker. It spares no program, because remaining processes
// would only start new processes.
func (s *spawner) endDescendants(w *worker, hits *cgroup.LimitHits) error {
	killed, err := s.killPrograms(w)
	if killed > 0 {
		hits.PIDs++
	}
	return err
}

// killPrograms kills all programs of a worker, and returns their number. It also kills processes
// that have lost their parents and have become the spawner's children.
func (s *spawner) killPrograms(w *worker) (killed int, err error) {
	return s.killDescendants(w.pid, os.Getpid())
}

// endHolders ends all programs of a worker, which together hold too much of a pool, and reports the
// hit. It also ends a worker that holds too much itself. (At the next measurement, ended processes
// may still seem to hold a resource. Such a measurement has no effect.)
func (s *spawner) endHolders(w *worker, own cgroup.PoolCounts, pool string, most int64) error {
	killed, err := s.killDescendants(w.pid)
	if what, _ := own.FindExceededPool(s.poolLimits); err == nil && what != "" {
		_, err = cgroup.KillDescendant(w.pid, w.pid)
	} else if killed == 0 {
		return err
	}
	if err != nil {
		return err
	}
	return s.send(spawnwire.LimitHitMessage{ID: w.id, Kind: pool, Limit: uint64(most), Times: 1})
}

// killLargest ends the largest process of a worker, even if that is the worker itself.
func killLargest(w *worker, size cgroup.ProcessTreeSize, hits *cgroup.LimitHits) error {
	largest := size.LargestPID
	if largest == 0 || size.LargestBytes < size.Bytes/8 {
		largest = w.pid
	}
	killed, err := cgroup.KillDescendant(largest, w.pid)
	if killed {
		hits.OOMKills++
	}
	return err
}

// isStale reports whether a group's name belongs to a spawner that is gone.
func isStale(name string) bool {
	pid, _, _ := strings.Cut(name, "-")
	n, err := strconv.Atoi(pid)
	return err == nil && n != unix.Getpid() && unix.Kill(n, 0) == unix.ESRCH
}
