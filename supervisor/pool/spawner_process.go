package pool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
)

// spawnerProcess is one mews-spawner process, from its start to its end, and the children it has.
type spawnerProcess struct {
	cmd    *exec.Cmd // nil: it has started this process
	conn   *spawnwire.Conn
	stderr *os.File      // the reading end; nil with cmd
	dead   chan struct{} // closed when the process has been waited for; wait then closes conn, too
	status error         // how it ended; set before dead is closed

	mu       sync.Mutex // of what follows
	children map[uint64]*child
	hungOver *child // over whom it was killed; nil: it was not
	cause    error  // of that
}

// startSpawnerProcess starts a spawner and waits for its first word, no longer than ctx. It gets an environment of nothing, and
// a session of its own, so that what a terminal sends to the service does not reach it.
func startSpawnerProcess(ctx context.Context, o SpawnerOptions) (*spawnerProcess, spawnwire.Ready, error) {
	var ready spawnwire.Ready
	open := launch
	if o.Started != nil {
		open = adopt
	}
	r, err := open(o)
	if err == nil {
		if ready, err = r.awaitReady(ctx); err == nil {
			return r, ready, nil
		}
		err = r.closeFailed(err)
	}
	return nil, ready, fmt.Errorf("start %s: %w", o.Path, err)
}

// adopt takes the spawner that has started this process. It is not waited for: it ends after this process.
func adopt(o SpawnerOptions) (*spawnerProcess, error) {
	fd, err := unix.FcntlInt(o.Started.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	conn, err := spawnwire.NewConn(fd)
	if err != nil {
		return nil, err
	}
	r := &spawnerProcess{conn: conn, dead: make(chan struct{}), children: map[uint64]*child{}}
	close(r.dead)
	return r, nil
}

// launch starts the process, and the goroutine that waits for its end.
func launch(o SpawnerOptions) (*spawnerProcess, error) {
	conn, socket, err := spawnwire.Pair()
	if err != nil {
		return nil, err
	}
	stderr, theirStderr, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, conn.Close(), socket.Close())
	}
	cmd := exec.Command(o.Path, o.policy()...)
	cmd.Env = []string{}
	cmd.ExtraFiles = []*os.File{socket} // its descriptor 3
	cmd.Stderr = theirStderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	r := &spawnerProcess{cmd: cmd, conn: conn, stderr: stderr, dead: make(chan struct{}), children: map[uint64]*child{}}
	err = spawnerTree.start(cmd)
	if closing := errors.Join(socket.Close(), theirStderr.Close()); closing != nil && err == nil {
		err = errors.Join(closing, cmd.Process.Kill(), spawnerTree.wait(cmd))
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close(), stderr.Close())
	}
	go r.wait()
	return r, nil
}

// wait is the goroutine that sees the process's end. It closes the socket, because a process that has ended may have
// left its end of that to another.
func (r *spawnerProcess) wait() {
	r.status = spawnerTree.wait(r.cmd)
	close(r.dead)
	_ = r.conn.Close() // it may be closed already
}

func (r *spawnerProcess) isDead() bool {
	select {
	case <-r.dead:
		return true
	default:
		return false
	}
}

// awaitReady reads the spawner's first message.
func (r *spawnerProcess) awaitReady(ctx context.Context) (spawnwire.Ready, error) {
	unhook := context.AfterFunc(ctx, func() { _ = r.conn.Close() })
	defer unhook()
	m, err := r.receive(time.Now().Add(readyWait))
	switch {
	case ctx.Err() != nil:
		return spawnwire.Ready{}, fmt.Errorf("wait for its first message: %w", context.Cause(ctx))
	case err == io.EOF, err != nil && r.isDead():
		return spawnwire.Ready{}, errors.New("it ended without a word")
	case err != nil:
		return spawnwire.Ready{}, fmt.Errorf("wait for its first message: %w", err)
	}
	ready, ok := m.(spawnwire.Ready)
	if !ok {
		return ready, fmt.Errorf("its first message is %T, want %T", m, ready)
	}
	if ready.Version != spawnwire.Version {
		return ready, fmt.Errorf("it speaks version %d, want %d: install the binaries of one release together",
			ready.Version, spawnwire.Version)
	}
	return ready, nil
}

// receive waits for a message until then; the zero time means for ever.
func (r *spawnerProcess) receive(until time.Time) (spawnwire.Message, error) {
	if err := r.conn.SetReceiveDeadline(until); err != nil {
		return nil, err
	}
	m, fds, err := r.conn.Receive()
	spawnwire.CloseAll(fds)
	return m, err
}

// closeFailed ends a spawner that did not start well, and adds to err what it said.
func (r *spawnerProcess) closeFailed(err error) error {
	err = errors.Join(err, r.end(stderrLinger)) // it has no workers to clear away
	said := make([]byte, lineBytes)
	if r.stderr != nil && r.stderr.SetReadDeadline(time.Now().Add(stderrLinger)) == nil {
		if n, _ := io.ReadFull(r.stderr, said); n > 0 {
			err = fmt.Errorf("%w; it wrote: %s", err, escape(said[:n]))
		}
	}
	return errors.Join(err, closeFile(r.stderr))
}

// ask asks for a child. The caller sees to the order. A spawner that has not said within limit what became
// of it hangs, and is killed.
func (r *spawnerProcess) ask(c *child, theirs []int, m spawnwire.Spawn, limit time.Duration) error {
	c.spawner = r
	r.mu.Lock()
	r.children[c.id] = c
	r.mu.Unlock()
	c.limitAnswer(limit)
	if err := r.send(c, m, theirs...); err != nil {
		r.forget(c.id)
		c.answered()
		return fmt.Errorf("ask mews-spawner: %w", err)
	}
	return nil
}

// signal asks for a signal. Where the spawner is gone, so is the child.
func (r *spawnerProcess) signal(c *child, sig syscall.Signal) {
	_ = r.send(c, spawnwire.Kill{ID: c.id, Signal: uint32(sig)})
}

// send sends a message over a child. A spawner that does not read is killed.
func (r *spawnerProcess) send(c *child, m spawnwire.Message, fds ...int) error {
	err := r.conn.Send(m, sendWait, fds...)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		r.killHung(c, fmt.Errorf("mews-spawner does not read: %w", err))
	}
	return err
}

// killHung ends a spawner that hangs: SIGKILL ends also what is stopped, and its workers die with it. listen then returns,
// and whoever called that clears up. The first cause stays; the child is the one over whom it hung.
func (r *spawnerProcess) killHung(c *child, cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cause != nil {
		return
	}
	r.hungOver, r.cause = c, cause
	r.kill()
	_ = r.conn.Close() // it may be closed already
}

// kill ends the spawner; one that has started this process sees that its socket is closed.
func (r *spawnerProcess) kill() {
	if r.cmd != nil {
		_ = r.cmd.Process.Kill() // it fails only if it has ended
	}
}

// hangCause says why the spawner was killed; nil: it was not.
func (r *spawnerProcess) hangCause() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cause
}

// listen hears what becomes of the children until the spawner is gone, is deposed, or breaks the wire.
func (r *spawnerProcess) listen() error {
	for {
		m, err := r.receive(time.Time{})
		if cause := r.hangCause(); cause != nil {
			return cause
		}
		if err != nil {
			return fmt.Errorf("listen to mews-spawner: %w", err)
		}
		if err := r.handle(m); err != nil {
			return fmt.Errorf("listen to mews-spawner: %w", err)
		}
	}
}

// handle takes one message.
func (r *spawnerProcess) handle(m spawnwire.Message) error {
	switch m := m.(type) {
	case spawnwire.Started:
		return r.withChild(m.ID, func(c *child) { c.setStarted(int(m.PID)) })
	case spawnwire.Refused:
		return r.withChild(m.ID, func(c *child) { r.forget(m.ID); c.finish(0, &RefusedError{m.Reason}) })
	case spawnwire.LimitHit:
		return r.withChild(m.ID, func(c *child) {
			if c.onLimit != nil {
				c.onLimit(m)
			}
		})
	case spawnwire.Exited:
		return r.withChild(m.ID, func(c *child) { r.forget(m.ID); c.finish(syscall.WaitStatus(m.Status), nil) })
	}
	return fmt.Errorf("%T is not for a supervisor", m)
}

// withChild calls f with the child of that number, which must be there.
func (r *spawnerProcess) withChild(id uint64, f func(*child)) error {
	r.mu.Lock()
	c := r.children[id]
	r.mu.Unlock()
	if c == nil {
		return fmt.Errorf("it speaks of worker %d, which it does not have", id)
	}
	f(c)
	return nil
}

func (r *spawnerProcess) forget(id uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.children, id)
}

// end closes the socket, on which the spawner kills its workers and ends, waits for it, sees to it that nothing is left
// of them, and tells the children. A spawner that has not ended within limit is killed; its workers die with it.
func (r *spawnerProcess) end(limit time.Duration) error {
	_ = r.conn.Close() // it may be closed already
	killer := time.AfterFunc(limit, r.kill)
	<-r.dead
	killer.Stop()
	err := spawnerTree.killOrphans(endWait)
	r.mu.Lock()
	left := r.children
	r.children = map[uint64]*child{}
	r.mu.Unlock()
	for _, c := range left {
		c.finish(0, r.lossOf(c))
	}
	if r.status != nil {
		err = errors.Join(fmt.Errorf("mews-spawner: %w", r.status), err)
	}
	return err
}

// lossOf is what a child that the spawner left is told. A hang counts against the one over whom the spawner hung, so that a
// home that hangs every spawner does not take down everybody again and again.
func (r *spawnerProcess) lossOf(c *child) error {
	if c == r.hungOver {
		return r.cause
	}
	return errSpawnerLost
}
