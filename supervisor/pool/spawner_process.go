package pool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
)

// spawnerProcess is one process of mews-spawner, from its start to its end, with its children.
type spawnerProcess struct {
	cmd    *exec.Cmd // the spawner's process; nil if the spawner has started this process
	conn   *spawnwire.Conn
	stderr *stderr       // standard error of the spawner; nil if cmd is nil
	dead   chan struct{} // closed when the process was reaped, just before conn is closed
	status error         // how the process ended; set before dead is closed

	mu       sync.Mutex // guards the fields below
	children map[uint64]*child
	hungOver *child // the child whose request made the spawner hang, so that it was killed; nil if it was not killed
	cause    error  // why the spawner was killed
}

// startSpawnerProcess starts a spawner, and waits for its first message until ctx ends.
func startSpawnerProcess(ctx context.Context, o SpawnerOptions) (p *spawnerProcess, ready spawnwire.ReadyMessage,
	err error) {
	if o.Started != nil {
		p, err = adopt(o)
	} else {
		p, err = launch(o)
	}
	if err == nil {
		if ready, err = p.awaitReady(ctx); err == nil {
			return p, ready, nil
		}
		err = errors.Join(err, p.end(stderrLinger)) // no worker was started, so no process is left to clean up
		if p.stderr != nil && len(p.stderr.lines) > 0 {
			err = fmt.Errorf("%w; it wrote: %s", err, strings.Join(p.stderr.lines, "; "))
		}
	}
	return nil, ready, fmt.Errorf("start %s: %w", o.Path, err)
}

// adopt uses the spawner that has started this process. Nothing waits for its end, because it
// outlives this process.
func adopt(o SpawnerOptions) (*spawnerProcess, error) {
	fd, err := unix.FcntlInt(o.Started.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	conn, err := spawnwire.NewConn(fd)
	if err != nil {
		return nil, err
	}
	p := &spawnerProcess{conn: conn, dead: make(chan struct{}), children: map[uint64]*child{}}
	close(p.dead)
	return p, nil
}

// launch starts mews-spawner, a goroutine that waits for its end, and a reader of its standard
// error. mews-spawner gets an empty environment. It gets its own session, so that signals of the
// service's terminal do not reach it.
func launch(o SpawnerOptions) (*spawnerProcess, error) {
	conn, socket, err := spawnwire.NewConnPair()
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, conn.Close(), socket.Close())
	}
	cmd := exec.Command(o.Path, o.policy()...)
	cmd.Env = []string{}
	cmd.ExtraFiles = []*os.File{socket} // becomes descriptor 3 of the spawner
	cmd.Stderr = write
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = spawnerTree.start(cmd)
	if closing := errors.Join(socket.Close(), write.Close()); closing != nil && err == nil {
		err = errors.Join(closing, cmd.Process.Kill(), spawnerTree.wait(cmd))
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close(), read.Close())
	}
	p := &spawnerProcess{cmd: cmd, conn: conn, dead: make(chan struct{}), children: map[uint64]*child{}}
	p.stderr = readStderr(read, o.Log, p.dead)
	go p.wait()
	return p, nil
}

// wait is the goroutine that waits for the process's end. It then closes the socket, because
// another process may still hold the other end.
func (p *spawnerProcess) wait() {
	p.status = spawnerTree.wait(p.cmd)
	close(p.dead)
	_ = p.conn.Close() // fails if conn is closed already, which does not matter
}

func (p *spawnerProcess) isDead() bool {
	select {
	case <-p.dead:
		return true
	default:
		return false
	}
}

// awaitReady reads the spawner's first message.
func (p *spawnerProcess) awaitReady(ctx context.Context) (spawnwire.ReadyMessage, error) {
	unhook := context.AfterFunc(ctx, func() { _ = p.conn.Close() })
	defer unhook()
	m, err := p.receive(time.Now().Add(readyWait))
	switch {
	case ctx.Err() != nil:
		return spawnwire.ReadyMessage{}, fmt.Errorf("wait for its first message: %w", context.Cause(ctx))
	case err == io.EOF, err != nil && p.isDead():
		return spawnwire.ReadyMessage{}, errors.New("it ended without a word")
	case err != nil:
		return spawnwire.ReadyMessage{}, fmt.Errorf("wait for its first message: %w", err)
	}
	ready, ok := m.(spawnwire.ReadyMessage)
	if !ok {
		return ready, fmt.Errorf("its first message is %T, want %T", m, ready)
	}
	if ready.Version != spawnwire.Version {
		return ready, fmt.Errorf(textOtherSpawner, ready.Version, spawnwire.Version)
	}
	return ready, nil
}

// receive waits for a message until the time until; the zero time means no limit.
func (p *spawnerProcess) receive(until time.Time) (spawnwire.Message, error) {
	if err := p.conn.SetReceiveDeadline(until); err != nil {
		return nil, err
	}
	m, fds, err := p.conn.Receive()
	spawnwire.CloseDescriptors(fds)
	return m, err
}

// ask requests a child. The caller keeps the order of numbers. If the spawner does not answer
// within limit, it counts as hung and is killed.
func (p *spawnerProcess) ask(c *child, theirs []*os.File, m spawnwire.SpawnRequest, limit time.Duration) error {
	c.spawner = p
	p.mu.Lock()
	p.children[c.id] = c
	p.mu.Unlock()
	c.limitAnswer(limit)
	if err := p.send(c, m, int(theirs[0].Fd()), int(theirs[1].Fd())); err != nil {
		p.forget(c.id)
		c.answered()
		return fmt.Errorf("ask mews-spawner: %w", err)
	}
	return nil
}

// signal asks the spawner to send a signal to a child. If the spawner is gone, the child is gone,
// too.
func (p *spawnerProcess) signal(c *child, sig syscall.Signal) {
	_ = p.send(c, spawnwire.KillRequest{ID: c.id, Signal: uint32(sig)})
}

// send sends a message about a child. If the spawner does not read it, the spawner is killed.
func (p *spawnerProcess) send(c *child, m spawnwire.Message, fds ...int) error {
	err := p.conn.Send(m, sendWait, fds...)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		p.killHung(c, fmt.Errorf("mews-spawner does not read: %w", err))
	}
	return err
}

// killHung kills a spawner that hangs at the request of a child. The spawner's workers die with it.
// Then listen returns, and its caller cleans up. Only the first cause is kept.
func (p *spawnerProcess) killHung(c *child, cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cause != nil {
		return
	}
	p.hungOver, p.cause = c, cause
	p.kill()
	_ = p.conn.Close() // fails if conn is closed already, which does not matter
}

// kill kills the spawner. If the spawner started this process, closing the socket ends it.
func (p *spawnerProcess) kill() {
	if p.cmd != nil {
		_ = p.cmd.Process.Kill() // fails only if the process has ended
	}
}

// hangCause returns why the spawner was killed, or nil.
func (p *spawnerProcess) hangCause() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cause
}

// listen handles the spawner's messages until the spawner is gone, is killed, or breaks the
// protocol.
func (p *spawnerProcess) listen() error {
	for {
		m, err := p.receive(time.Time{})
		if cause := p.hangCause(); cause != nil {
			return cause
		}
		if err != nil {
			return fmt.Errorf("listen to mews-spawner: %w", err)
		}
		if err := p.handle(m); err != nil {
			return fmt.Errorf("listen to mews-spawner: %w", err)
		}
	}
}

// handle handles one message of the spawner.
func (p *spawnerProcess) handle(m spawnwire.Message) error {
	switch m := m.(type) {
	case spawnwire.StartedMessage:
		return p.withChild(m.ID, func(c *child) { c.setStarted(int(m.PID), m.HistoryFault) })
	case spawnwire.RefusedMessage:
		return p.withChild(m.ID, func(c *child) {
			p.forget(m.ID)
			c.finish(0, &StartRefusedError{m.Reason, errSpawnerRefused, m.Shortage})
		})
	case spawnwire.LimitHitMessage:
		return p.withChild(m.ID, func(c *child) {
			if c.onLimit != nil {
				c.onLimit(m)
			}
		})
	case spawnwire.ExitedMessage:
		return p.withChild(m.ID, func(c *child) { p.forget(m.ID); c.finish(syscall.WaitStatus(m.Status), nil) })
	}
	return fmt.Errorf("%T is not for a supervisor", m)
}

// withChild calls f with the child that has a number. The error means that there is no such child.
func (p *spawnerProcess) withChild(id uint64, f func(*child)) error {
	p.mu.Lock()
	c := p.children[id]
	p.mu.Unlock()
	if c == nil {
		return fmt.Errorf("it speaks of worker %d, which it does not have", id)
	}
	f(c)
	return nil
}

func (p *spawnerProcess) forget(id uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.children, id)
}

// end closes the socket, which makes the spawner kill its workers and end. It waits for the
// spawner, kills all processes that the workers left, and tells the children. If the spawner has
// not ended within limit, it is killed, and its workers die with it.
//
// A hang counts as a death of the child at which the spawner hung. So a home that hangs every
// spawner can't end all users' workers again and again.
func (p *spawnerProcess) end(limit time.Duration) error {
	_ = p.conn.Close() // fails if conn is closed already, which does not matter
	killer := time.AfterFunc(limit, p.kill)
	<-p.dead
	killer.Stop()
	err := spawnerTree.killOrphans(endWait)
	if p.stderr != nil {
		p.stderr.end()
	}
	p.mu.Lock()
	left := p.children
	p.children = map[uint64]*child{}
	p.mu.Unlock()
	for _, c := range left {
		lost := errSpawnerLost
		if c == p.hungOver {
			lost = p.cause
		}
		c.finish(0, lost)
	}
	if p.status != nil {
		err = errors.Join(fmt.Errorf("mews-spawner: %w", p.status), err)
	}
	return err
}
