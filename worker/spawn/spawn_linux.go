package spawn

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
	"mews/worker/cgroup"
	"mews/worker/sandbox"
)

// Options of a spawner.
type Options struct {
	Policy
	Sweep  time.Duration // time between two sweeps for lost children and hit limits; 0 means 2 s
	Groups cgroup.Options
}

const waitOptions = syscall.WNOHANG | unix.WALL

// system holds the fields of a spawner on Linux.
type system struct {
	privilege sandbox.Privilege
	groups    *cgroup.Tree
	grouped   bool         // workers get control groups
	lastCheck time.Time    // time of the last check of limits
	measuring bool         // the watchdog is measuring
	meter     cgroup.Meter // the watchdog's meter, used while measuring is set
	// most that a worker and its programs may take from the account's or the machine's pools
	poolLimits cgroup.PoolCounts
	// open file of the workers' program; all workers of this process are of one version, even if
	// another version is installed meanwhile
	program      int
	programFault error    // why the program could not be opened: no worker starts
	manager      *manager // the service manager that started this process; nil means none
}

// prepare prepares this process to be a spawner, before it starts any process.
func prepare() error {
	// A descriptor that the supervisor left open by mistake must not reach a worker. Go closes only
	// descriptors that it opened.
	if err := unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close descriptors on exec: close_range: %w (it needs Linux 5.11)", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the sub-reaper: prctl: %w", err)
	}
	// For this thread and all processes that it forks: no set-uid program (su, sudo) gives a worker
	// rights, or makes it a process that cannot be killed.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up set-uid programs: prctl: %w", err)
	}
	// The watchdog opens a process before killing it. Without pidfds the watchdog would silently
	// kill nothing.
	if err := tryPidfds(); err != nil {
		return fmt.Errorf("hold a process: %w (it needs Linux 5.3, and in a container a seccomp profile that allows this call)", err)
	}
	if _, err := childPIDs(); err != nil {
		return fmt.Errorf("%w (a mounted /proc and a kernel with CONFIG_PROC_CHILDREN are needed)", err)
	}
	return nil
}

// tryPidfds tries, on this process itself, the calls by which it kills other processes.
func tryPidfds() error {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return fmt.Errorf("pidfd_open: %w", err)
	}
	defer unix.Close(fd)
	return wrap(unix.PidfdSendSignal(fd, 0, nil, 0), "pidfd_send_signal")
}

// detectSystem finds out what this system supports.
func (s *spawner) detectSystem() (m spawnwire.ReadyMessage, err error) {
	if s.privilege, err = sandbox.OwnPrivilege(); err != nil {
		return m, err
	}
	if err := s.limitAccounts(s.privilege, s.own); err != nil {
		return m, err
	}
	s.program, s.programFault = unix.Open(s.Worker, unix.O_PATH|unix.O_CLOEXEC, 0)
	s.poolLimits = cgroup.ReadPoolLimits("/proc")
	limits, err := s.openGroups()
	if err != nil {
		return m, err
	}
	why, err := s.detectTier()
	return spawnwire.ReadyMessage{Version: spawnwire.Version, Tier: string(s.tier), Why: spawnwire.ClipText(why),
		Limits: spawnwire.ClipText(limits), FirstUID: s.People.From, LastUID: s.People.To}, err
}

// limitAccounts lets this process change only to the accounts of its policy.
func (p Policy) limitAccounts(privilege sandbox.Privilege, own Account) error {
	if privilege == sandbox.PrivilegeNone {
		return nil
	}
	allowed := p.personRanges()
	if p.People.From != 0 {
		allowed = append(allowed, p.People)
	}
	for _, a := range []Account{p.Account, own} {
		if a.UID != 0 {
			allowed = append(allowed, sandbox.IDRange{From: a.UID, To: a.UID}, sandbox.IDRange{From: a.GID, To: a.GID})
		}
	}
	return sandbox.RestrictSetID(allowed)
}

// openGroups finds the control groups. The result why explains to people how workers are limited.
// Workers get no groups if the given group has other processes than this process and its
// supervisor. In a terminal there are such processes.
func (s *spawner) openGroups() (why string, err error) {
	s.Groups.Workers = s.allWorkers()
	if s.groups, err = cgroup.Open(s.Groups); err != nil {
		return "", err
	}
	if err := s.groups.PrepareGroups(cmp.Or(s.supervisor, os.Getppid())); err != nil {
		return fmt.Sprintf(textNoGroups, err), nil
	}
	s.grouped = s.groups.Kind() != cgroup.KindNone
	why = s.groups.Explanation()
	if s.grouped && !s.groups.HasControllerEnabled("memory") {
		why += textWatchdog
	}
	return why, s.groups.RemoveStaleGroups(isStale)
}

// closeGroups releases the control groups, which are empty.
func (s *spawner) closeGroups() error {
	for _, w := range s.workers {
		w.removeGroup()
	}
	if s.program > 0 && s.programFault == nil {
		_ = unix.Close(s.program) // it was only executed, so its error does not matter
	}
	if s.groups == nil {
		return nil
	}
	return s.groups.Close()
}

// detectTier finds the walls that work, in a folder that the workers' account can enter. It does
// not change the folder's owner, because that would need another capability than changing the
// account.
func (s *spawner) detectTier() (why string, err error) {
	account, err := s.workerAccount(Account{}, s.own)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "mews-walls-")
	if err != nil {
		return "", fmt.Errorf("make a folder to try the walls in: %w", err)
	}
	defer os.Remove(dir)
	// the folder .tmp is for the landlock tier, in which a worker makes it in its own home
	scratch := filepath.Join(dir, ".tmp")
	defer os.Remove(scratch)
	if err := errors.Join(os.Mkdir(scratch, 0o700), os.Chmod(dir, 0o711)); err != nil {
		return "", fmt.Errorf("make a folder to try the walls in: %w", err)
	}
	s.tier, why, err = sandbox.DetectTier(sandbox.DetectOptions{Tier: s.Tier, MinTier: s.MinTier,
		Privilege: s.privilege,
		UID:       int(account.UID), GID: int(account.GID), Dir: dir})
	return why, err
}
