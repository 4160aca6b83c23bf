package spawn

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	pid, err := s.start(m, fds[0], fds[1])
	if err != nil {
		return s.send(spawnwire.Refused{ID: m.ID, Reason: spawnwire.Clip(err.Error())})
	}
	s.workers[m.ID] = &worker{id: m.ID, pid: pid}
	return s.send(spawnwire.Started{ID: m.ID, PID: uint32(pid)})
}

// start gives the pid of a new worker that has socket as its descriptors 0 and 1, stderr as 2, and no other.
func (s *spawner) start(m spawnwire.Spawn, socket, stderr int) (int, error) {
	if own := uint32(os.Getuid()); m.UID != 0 && m.UID != own {
		return 0, fmt.Errorf("uid %d: this spawner cannot change accounts, it can start workers as its own uid %d only",
			m.UID, own)
	}
	home, err := s.openHome(m.Root, m.Path)
	if err != nil {
		return 0, err
	}
	defer spawnwire.CloseAll([]int{home})
	c, err := sandbox.Stage(sandbox.Request{
		Worker:  s.Worker,
		Home:    filepath.Join(m.Root, m.Path),
		Dir:     fmt.Sprintf("/proc/self/fd/%d", home), // the child has a copy of this descriptor until it executes
		Profile: sandbox.Profile(m.Profile),
	})
	if err != nil {
		return 0, err
	}
	c.Attr.Pdeathsig = syscall.SIGKILL
	pid, err := syscall.ForkExec(c.Path, c.Argv, &syscall.ProcAttr{
		Dir: c.Dir, Env: c.Env, Sys: &c.Attr,
		Files: []uintptr{uintptr(socket), uintptr(socket), uintptr(stderr)},
	})
	if err != nil {
		return 0, fmt.Errorf("execute %s: %w", c.Path, err)
	}
	return pid, nil
}

// openHome opens the folder at path beneath root. Symbolic links are followed as long as they stay beneath root. The
// root itself may be reached by any path: it comes from the configuration, and what lies in it from people.
func (s *spawner) openHome(root, path string) (int, error) {
	if !filepath.IsAbs(root) {
		return -1, fmt.Errorf("root %q: it must be an absolute path", root)
	}
	if len(s.Roots) > 0 && !slices.Contains(s.Roots, root) {
		return -1, fmt.Errorf("root %q: it is not among the allowed roots %q", root, s.Roots)
	}
	dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open root %s: %w", root, err)
	}
	defer spawnwire.CloseAll([]int{dir})
	home, err := openBeneath(dir, path)
	if err != nil {
		return -1, fmt.Errorf("open home %q beneath %s: %w", path, root, err)
	}
	if err := ownedByUs(home); err != nil {
		spawnwire.CloseAll([]int{home})
		return -1, fmt.Errorf("home %s: %w", filepath.Join(root, path), err)
	}
	return home, nil
}

// openBeneath opens a folder. The kernel answers EAGAIN when a rename elsewhere made it unsure of a ".." (openat2(2));
// it is then asked again, a few times.
func openBeneath(dir int, path string) (fd int, err error) {
	how := unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	}
	for range 8 {
		fd, err = unix.Openat2(dir, path, &how)
		if err != unix.EAGAIN && err != unix.EINTR {
			break
		}
	}
	return fd, err
}

func ownedByUs(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if own := uint32(os.Getuid()); st.Uid != own {
		return fmt.Errorf("it belongs to uid %d and not to the worker's uid %d", st.Uid, own)
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
		return signalTo(w.pid, sig)
	case syscall.SIGKILL:
		return signalTo(-w.pid, sig)
	}
	return fmt.Errorf("the supervisor asked for signal %d, want SIGTERM or SIGKILL", m.Signal)
}

// signalTo is kill(2). ESRCH is no error: it has ended, and will be reaped. EPERM is none either: a process that took
// other credentials must not be able to end the spawner; it is tried again with the next sweep.
func signalTo(pid int, sig syscall.Signal) error {
	err := syscall.Kill(pid, sig)
	if err != nil && err != syscall.ESRCH && err != syscall.EPERM {
		return fmt.Errorf("signal %v to %d: %w", sig, pid, err)
	}
	return nil
}
