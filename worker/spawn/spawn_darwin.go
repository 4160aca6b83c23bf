// Package spawn is mews-spawner: it starts workers, and reports their ends.
//
// This is what there is of it on macOS, for people who work on Mews: it kills a worker's process group, and no more,
// because there are no sub-reapers; what a worker has started in a session of its own outlives it. There are no accounts
// of people, no control groups, and of walls those of sandbox-exec(1). It has been written from the manual and has not
// been run.
package spawn

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"mews/protocol/spawnwire"
	"mews/worker/sandbox"
)

// Options say what a spawner may start.
type Options struct{ Policy }

const retryAfter = 50 * time.Millisecond // between two looks at what was killed and is still there

// Run serves the supervisor at the other end of conn until it is gone, then kills every worker, waits for them, and
// returns nil. It returns an error if the supervisor broke the wire, or if there are no walls as they are asked for. It
// takes over conn, and the process: there must be no children but its own.
func Run(conn *spawnwire.Conn, o Options) error {
	if err := closeOnExec(); err != nil {
		return errors.Join(err, conn.Close())
	}
	chld, told := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(chld, syscall.SIGCHLD)
	defer signal.Stop(chld)
	// What a terminal sends is for the supervisor. (Caught and not ignored, because children inherit what is ignored.)
	signal.Notify(told, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1)
	defer signal.Stop(told)

	s := &spawner{Policy: o.Policy, conn: conn, own: ownAccount(), workers: map[uint64]int{}}
	packets := make(chan packet)
	go receive(conn, packets)
	err := s.serve(packets, chld)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) {
		err = nil // it is gone, whether it is noticed in hearing or in telling
	}
	_ = conn.Close()    // a message that was cut short has closed it already
	for range packets { // until receive has ended
	}
	return errors.Join(err, s.endAll(chld))
}

// spawner is the state of Run. Only Run's goroutine touches it.
type spawner struct {
	Policy
	conn    *spawnwire.Conn
	own     Account // this process's
	tier    sandbox.Tier
	workers map[uint64]int // the pids of those that have not been reaped
	last    uint64         // the newest worker's id
}

// closeOnExec keeps from workers what the supervisor left open by mistake: Go closes only what it opened itself.
func closeOnExec() error {
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

// serve answers the supervisor until it is gone.
func (s *spawner) serve(packets <-chan packet, chld <-chan os.Signal) error {
	why, err := s.detectTier()
	if err == nil {
		err = s.send(spawnwire.Ready{Version: spawnwire.Version, Tier: string(s.tier), Why: spawnwire.Clip(why),
			Limits: "None: macOS has none for a worker and all that it runs."})
	}
	for err == nil {
		select {
		case p := <-packets:
			err = s.handle(p)
		case <-chld:
			_, err = s.reap(s.reportExit)
		}
	}
	return err
}

// detectTier finds the walls that hold.
func (s *spawner) detectTier() (why string, err error) {
	dir, err := os.MkdirTemp("", "mews-walls-")
	if err != nil {
		return "", fmt.Errorf("make a folder to try the walls in: %w", err)
	}
	defer os.RemoveAll(dir)
	s.tier, why, err = sandbox.Detect(sandbox.DetectOptions{Tier: s.Tier, MinTier: s.MinTier, UID: int(s.own.UID), GID: int(s.own.GID), Dir: dir})
	return why, err
}

func (s *spawner) handle(p packet) error {
	if p.err != nil {
		return p.err
	}
	defer spawnwire.CloseAll(p.fds)
	switch m := p.message.(type) {
	case spawnwire.Spawn:
		return s.spawn(m, p.fds)
	case spawnwire.Kill:
		return s.kill(m, p.fds)
	}
	return fmt.Errorf("the supervisor sent %T, which is not for a spawner", p.message)
}

func (s *spawner) send(m spawnwire.Message) error { return s.conn.Send(m, sendTimeout) }

// reap takes every child that has ended, kills what is left of its group, calls ended where it was a worker, and says
// whether there are no children left at all.
func (s *spawner) reap(ended func(id uint64, pid int, status syscall.WaitStatus) error) (none bool, err error) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.ECHILD:
			return true, nil
		case err != nil:
			return false, fmt.Errorf("wait for children: %w", err)
		case pid == 0:
			return false, nil
		}
		for id, of := range s.workers {
			if of != pid {
				continue
			}
			delete(s.workers, id)
			if err := errors.Join(signalProcess(-pid, syscall.SIGKILL), ended(id, pid, status)); err != nil {
				return false, err
			}
		}
	}
}

// reportExit tells the supervisor that a worker has ended.
func (s *spawner) reportExit(id uint64, pid int, status syscall.WaitStatus) error {
	return s.send(spawnwire.Exited{ID: id, PID: uint32(pid), Status: uint32(status)})
}

// endAll kills every worker, and waits until none is left.
func (s *spawner) endAll(chld <-chan os.Signal) error {
	for {
		for _, pid := range s.workers {
			if err := signalProcess(-pid, syscall.SIGKILL); err != nil {
				return err
			}
		}
		none, err := s.reap(func(uint64, int, syscall.WaitStatus) error { return nil })
		if none || err != nil {
			return err
		}
		select {
		case <-chld:
		case <-time.After(retryAfter):
		}
	}
}
