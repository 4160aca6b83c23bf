package spawn

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"mews/protocol/spawnwire"
	"mews/worker/sandbox"
)

// Options of a spawner.
type Options struct {
	Policy
	Sweep time.Duration // time between two sweeps; 0 means 2 s
}

const waitOptions = syscall.WNOHANG

type (
	system      struct{}
	workerGroup struct{}
)

func (s *spawner) reportNewHits(*worker) error { return nil }
func (s *spawner) checkLimits() error          { return nil }
func (s *spawner) closeGroups() error          { return nil }
func (w *worker) removeGroup()                 {}

// killPrograms kills nothing: macOS lists no descendants.
func (s *spawner) killPrograms(*worker) (killed int, err error) { return 0, nil }

// prepare makes descriptors close on exec that the supervisor left open by mistake. Go does so only
// for descriptors that it opened.
func prepare() error {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return fmt.Errorf("close descriptors on exec: %w", err)
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}

func (s *spawner) detectSystem() (m spawnwire.ReadyMessage, err error) {
	var why string
	s.tier, why, err = sandbox.DetectTier(sandbox.DetectOptions{Tier: s.Tier, MinTier: s.MinTier})
	return spawnwire.ReadyMessage{Version: spawnwire.Version, Tier: string(s.tier), Why: why,
		Limits: textNoLimitsOnMacOS}, err
}

// notifyManager does nothing: macOS has no service manager that a spawner reports to.
func (s *spawner) notifyManager(spawnwire.AliveRequest, []int) error { return nil }

// start starts a worker with socket as its descriptors 0 and 1, stderr as 2, no other descriptor,
// and a new session.
func (s *spawner) start(m spawnwire.SpawnRequest, socket, stderr int) (w *worker, fault string, err error) {
	account, err := s.workerAccount(Account{m.UID, m.GID}, s.own)
	if err != nil {
		return nil, "", err
	}
	if account != s.own {
		return nil, "", fmt.Errorf("become uid %d: on macOS workers have the account of their service", account.UID)
	}
	p := sandbox.Plan{Tier: s.tier, Profile: sandbox.Profile(m.Profile), Worker: s.Worker, UID: int(s.own.UID), GID: int(s.own.GID)}
	if p.Profile != sandbox.ProfileReview {
		if p.Home, err = s.openHome(m); err != nil {
			return nil, "", err
		}
	}
	cmd, err := p.Command()
	if err != nil {
		return nil, "", err
	}
	pid, err := syscall.ForkExec(cmd.Path, cmd.Args, &syscall.ProcAttr{Dir: cmd.Dir, Env: cmd.Env,
		Files: []uintptr{uintptr(socket), uintptr(socket), uintptr(stderr)}, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		return nil, "", fmt.Errorf("start worker %d: %w", m.ID, err)
	}
	return &worker{id: m.ID, pid: pid}, "", nil
}

func (s *spawner) openHome(m spawnwire.SpawnRequest) (home sandbox.BindMount, err error) {
	if err := s.checkRoot(m.Root); err != nil {
		return home, err
	}
	home, info, err := sandbox.OpenBindMount(m.Root, m.Path)
	if err != nil {
		return home, fmt.Errorf("open home %q: %w", m.Path, err)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || st.Uid != s.own.UID {
		return home, fmt.Errorf("home %s: it does not belong to the worker's uid %d", filepath.Join(m.Root, m.Path), s.own.UID)
	}
	return home, nil
}

// killOrphans kills the process groups of workers that have ended, or of all workers at the end.
func (s *spawner) killOrphans() (int, error) {
	for _, w := range s.workers {
		if s.shuttingDown || !w.ended.IsZero() {
			if err := signalProcess(-w.pid, syscall.SIGKILL); err != nil {
				return 0, err
			}
		}
	}
	return 0, nil
}
