package spawn

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
	"mews/worker/sandbox"
)

// spawn starts a worker and answers with Started or Refused.
func (s *spawner) spawn(m spawnwire.Spawn, fds []int) error {
	if m.ID <= s.last {
		return fmt.Errorf("the supervisor asked for worker %d after worker %d", m.ID, s.last)
	}
	if len(fds) != 2 {
		return fmt.Errorf("the supervisor sent %d descriptors for worker %d, want 2", len(fds), m.ID)
	}
	s.last = m.ID
	w, err := s.start(m, fds[0], fds[1])
	if err != nil {
		return s.send(spawnwire.Refused{ID: m.ID, Reason: spawnwire.Clip(err.Error())})
	}
	s.workers[m.ID] = w
	return s.send(spawnwire.Started{ID: m.ID, PID: uint32(w.pid)})
}

// start starts a new worker that has socket as its descriptors 0 and 1, stderr as 2, and no other.
func (s *spawner) start(m spawnwire.Spawn, socket, stderr int) (*worker, error) {
	account, err := s.workerAccount(Account{m.UID, m.GID}, s.own)
	if err != nil {
		return nil, err
	}
	plan, home, err := s.plan(m, account)
	if err != nil {
		return nil, err
	}
	defer spawnwire.CloseAll([]int{home})
	program, err := unix.Open(s.Worker, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("execute %s: %w", s.Worker, err)
	}
	defer spawnwire.CloseAll([]int{program})
	launch, err := plan.Launch(s.power)
	if err != nil {
		return nil, err
	}
	w := &worker{id: m.ID, limits: workerLimits(m, s.Policy)}
	if err := s.makeGroup(w); err != nil {
		return nil, err
	}
	w.startInGroup(&launch.Attr)
	w.pid, err = launch.Start(home, uintptr(socket), uintptr(socket), uintptr(stderr), uintptr(program))
	if err == nil {
		err = s.checkNewPID(w.pid)
	}
	if err == nil {
		err = w.joinGroup()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start worker %d: %w", m.ID, err), w.discard())
	}
	return w, nil
}

// plan is what stage one is told; home is open, and the caller's.
func (s *spawner) plan(m spawnwire.Spawn, a Account) (sandbox.Plan, int, error) {
	limits := workerLimits(m, s.Policy)
	p := sandbox.Plan{
		Tier: s.tier, Profile: sandbox.Profile(m.Profile), Worker: s.Worker, UID: int(a.UID), GID: int(a.GID),
		Limits: sandbox.Limits{Memory: limits.Memory, PIDs: limits.PIDs, Shared: s.sharesProcessCount(a)},
	}
	if s.grouped {
		p.Limits.PIDs *= 2 // the group's comes first, because what it refuses is counted
	}
	var err error
	if p.Binds, err = s.openBinds(m.Binds); err != nil {
		return p, -1, err
	}
	home, fd, err := s.open(m.Root, m.Path)
	if err != nil {
		return p, -1, fmt.Errorf("open home %q: %w", m.Path, err)
	}
	p.Home = home
	if err := checkOwner(fd, a.UID); err != nil {
		spawnwire.CloseAll([]int{fd})
		return p, -1, fmt.Errorf("home %s: %w", filepath.Join(m.Root, m.Path), err)
	}
	return p, fd, nil
}

// sharesProcessCount says whether the processes of an account are counted together with those of other people's workers: all that
// share it do, unless each has a user namespace of its own.
func (s *spawner) sharesProcessCount(a Account) bool {
	own := s.tier.AtLeast(sandbox.TierNamespaces) && s.power != sandbox.PrivilegeMount
	return !own && (a == s.own || a == s.Account)
}

// openBinds are the folders besides the home.
func (p Policy) openBinds(asked []spawnwire.Bind) ([]sandbox.Bind, error) {
	var list []sandbox.Bind
	for _, b := range asked {
		if err := checkBind(b, list); err != nil {
			return nil, err
		}
		bind, fd, err := p.open(b.Root, b.Path)
		if err != nil {
			return nil, fmt.Errorf("open workspace %q: %w", b.Name, err)
		}
		spawnwire.CloseAll([]int{fd})
		bind.Name, bind.Writable = b.Name, b.Writable
		list = append(list, bind)
	}
	return list, nil
}

// open opens a folder beneath an allowed root. The root itself may be reached by any path: it comes from the
// configuration, and what lies in it from people.
func (p Policy) open(root, path string) (sandbox.Bind, int, error) {
	if err := p.checkRoot(root); err != nil {
		return sandbox.Bind{}, -1, err
	}
	return sandbox.Open(root, path)
}

// ownFolders are the folders that a worker has of its own: nothing of the host's is put over them, or into them.
var ownFolders = []string{"home", "workspaces", "tmp", "dev", "proc", "etc", ""}

// checkBind refuses what would hide the worker's own folders, or give it what is the host's to write.
func checkBind(b spawnwire.Bind, others []sandbox.Bind) error {
	at := filepath.Join(b.Root, b.Path)
	top, _, _ := strings.Cut(strings.TrimPrefix(at, "/"), "/")
	twice := slices.ContainsFunc(others, func(o sandbox.Bind) bool { return o.Name == b.Name && b.Name != "" })
	switch {
	case b.Name == "" && b.Writable:
		return fmt.Errorf("folder %s: without a name among the workspaces it is for reading", at)
	case b.Name == "" && (slices.Contains(ownFolders, top) || strings.Contains(b.Path, "..") || filepath.Clean(b.Root) != b.Root):
		return fmt.Errorf("folder %s: a worker has another of its own there; give it a name among the workspaces", at)
	case b.Name == "." || b.Name == ".." || strings.Contains(b.Name, "/"):
		return fmt.Errorf("workspace %q: want a name without slashes", b.Name)
	case twice:
		return fmt.Errorf("workspace %q: it is there twice", b.Name)
	}
	return nil
}

func checkOwner(fd int, uid uint32) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Uid != uid {
		return fmt.Errorf("it belongs to uid %d and not to the worker's uid %d: chown -R %[2]d it", st.Uid, uid)
	}
	return nil
}

// kill signals a worker that has not been reaped, so that its pid is surely still its own.
func (s *spawner) kill(m spawnwire.Kill, fds []int) error {
	if len(fds) > 0 {
		return fmt.Errorf("the supervisor sent %d descriptors with kill, want none", len(fds))
	}
	if m.ID > s.last {
		return fmt.Errorf("the supervisor signalled worker %d, which was never asked for", m.ID)
	}
	w := s.workers[m.ID]
	if w == nil || !w.ended.IsZero() {
		return nil
	}
	switch sig := syscall.Signal(m.Signal); sig {
	case syscall.SIGTERM:
		return signalProcess(w.pid, sig)
	case syscall.SIGKILL:
		return signalProcess(-w.pid, sig)
	}
	return fmt.Errorf("the supervisor asked for signal %d, want SIGTERM or SIGKILL", m.Signal)
}
