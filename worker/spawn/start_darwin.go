package spawn

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

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
	pid, err := s.start(m, fds[0], fds[1])
	if err != nil {
		return s.send(spawnwire.Refused{ID: m.ID, Reason: spawnwire.Clip(err.Error())})
	}
	s.workers[m.ID] = pid
	return s.send(spawnwire.Started{ID: m.ID, PID: uint32(pid)})
}

// start starts a new worker that has socket as its descriptors 0 and 1, stderr as 2, no other, and a session of its own.
func (s *spawner) start(m spawnwire.Spawn, socket, stderr int) (pid int, err error) {
	plan, err := s.plan(m)
	if err != nil {
		return 0, err
	}
	cmd, err := plan.Command()
	if err != nil {
		return 0, err
	}
	pid, err = syscall.ForkExec(cmd.Path, cmd.Args, &syscall.ProcAttr{Dir: cmd.Dir, Env: cmd.Env,
		Files: []uintptr{uintptr(socket), uintptr(socket), uintptr(stderr)}, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		return 0, fmt.Errorf("start worker %d: %w", m.ID, err)
	}
	return pid, nil
}

// plan is who the worker is, and what it sees.
func (s *spawner) plan(m spawnwire.Spawn) (sandbox.Plan, error) {
	p := sandbox.Plan{Tier: s.tier, Profile: sandbox.Profile(m.Profile), Worker: s.Worker, UID: int(s.own.UID), GID: int(s.own.GID)}
	account, err := s.workerAccount(Account{m.UID, m.GID}, s.own)
	if err != nil {
		return p, err
	}
	if account != s.own {
		return p, fmt.Errorf("become uid %d: on macOS workers have the account of their service", account.UID)
	}
	for _, b := range m.Binds {
		bind, _, err := s.open(b.Root, b.Path)
		if err != nil {
			return p, fmt.Errorf("open workspace %q: %w", b.Name, err)
		}
		bind.Name, bind.Writable = b.Name, b.Writable
		p.Binds = append(p.Binds, bind)
	}
	home, info, err := s.open(m.Root, m.Path)
	if err != nil {
		return p, fmt.Errorf("open home %q: %w", m.Path, err)
	}
	p.Home = home
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || st.Uid != s.own.UID {
		return p, fmt.Errorf("home %s: it does not belong to the worker's uid %d: chown -R %[2]d it",
			filepath.Join(m.Root, m.Path), s.own.UID)
	}
	return p, nil
}

// open finds a folder beneath an allowed root.
func (p Policy) open(root, path string) (sandbox.Bind, os.FileInfo, error) {
	if err := p.checkRoot(root); err != nil {
		return sandbox.Bind{}, nil, err
	}
	return sandbox.Open(root, path)
}

// kill signals a worker that has not been reaped, so that its pid is surely still its own.
func (s *spawner) kill(m spawnwire.Kill, fds []int) error {
	if len(fds) > 0 {
		return fmt.Errorf("the supervisor sent %d descriptors with kill, want none", len(fds))
	}
	if m.ID > s.last {
		return fmt.Errorf("the supervisor signalled worker %d, which was never asked for", m.ID)
	}
	pid := s.workers[m.ID]
	if pid == 0 {
		return nil
	}
	switch sig := syscall.Signal(m.Signal); sig {
	case syscall.SIGTERM:
		return signalProcess(pid, sig)
	case syscall.SIGKILL:
		return signalProcess(-pid, sig)
	}
	return fmt.Errorf("the supervisor asked for signal %d, want SIGTERM or SIGKILL", m.Signal)
}
