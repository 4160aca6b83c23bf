package pool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"mews/protocol/spawnwire"
)

// reign is one mews-spawner process, from its start to its end, and the children it has.
type reign struct {
	cmd    *exec.Cmd
	conn   *spawnwire.Conn
	stderr *os.File // the reading end

	mu       sync.Mutex // of children
	children map[uint64]*child
}

// startReign starts a spawner and waits for its first word. It gets an environment of nothing, and a session of its
// own, so that what a terminal sends to the service does not reach it.
func startReign(path, worker string) (*reign, spawnwire.Ready, error) {
	var ready spawnwire.Ready
	conn, socket, err := spawnwire.Pair()
	if err != nil {
		return nil, ready, fmt.Errorf("start %s: %w", path, err)
	}
	stderr, theirStderr, err := os.Pipe()
	if err != nil {
		return nil, ready, errors.Join(fmt.Errorf("start %s: %w", path, err), conn.Close(), socket.Close())
	}
	cmd := exec.Command(path, worker)
	cmd.Env = []string{}
	cmd.ExtraFiles = []*os.File{socket} // its descriptor 3
	cmd.Stderr = theirStderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = errors.Join(cmd.Start(), socket.Close(), theirStderr.Close())
	r := &reign{cmd: cmd, conn: conn, stderr: stderr, children: map[uint64]*child{}}
	if err == nil {
		ready, err = r.awaitReady()
	}
	if err != nil {
		return nil, ready, r.abandon(fmt.Errorf("start %s: %w", path, err))
	}
	return r, ready, nil
}

// awaitReady reads the spawner's first message.
func (r *reign) awaitReady() (spawnwire.Ready, error) {
	if err := r.conn.SetReceiveDeadline(time.Now().Add(readyWait)); err != nil {
		return spawnwire.Ready{}, err
	}
	m, fds, err := r.conn.Receive()
	spawnwire.CloseAll(fds)
	if err != nil {
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
	return ready, r.conn.SetReceiveDeadline(time.Time{})
}

// abandon ends a spawner that did not start well, and adds to err what it said.
func (r *reign) abandon(err error) error {
	if r.cmd.Process != nil {
		err = errors.Join(err, r.end())
	} else {
		err = errors.Join(err, r.conn.Close())
	}
	said := make([]byte, lineBytes)
	if n, _ := io.ReadFull(r.stderr, said); n > 0 { // it has ended, so this does not wait
		err = fmt.Errorf("%w; it wrote: %s", err, escape(said[:n]))
	}
	return errors.Join(err, r.stderr.Close())
}

// ask sends the wish for a child. The caller sees to the order.
func (r *reign) ask(c *child, ends theirs, m spawnwire.Spawn) error {
	id := m.ID
	c.signal = func(sig syscall.Signal) { r.signal(id, sig) }
	r.mu.Lock()
	r.children[id] = c
	r.mu.Unlock()
	if err := r.conn.Send(m, sendWait, ends.socket, ends.stderr); err != nil {
		r.forget(id)
		return fmt.Errorf("ask mews-spawner: %w", err)
	}
	return nil
}

// signal asks for a signal. Where the spawner is gone, so is the child, and where it does not read, listen will see it
// gone.
func (r *reign) signal(id uint64, sig syscall.Signal) {
	if err := r.conn.Send(spawnwire.Kill{ID: id, Signal: uint32(sig)}, sendWait); err != nil {
		_ = r.conn.Close() // it is closed already, or it must be: a spawner that does not read ends all on that
	}
}

// listen hears what becomes of the children until the spawner is gone or breaks the wire.
func (r *reign) listen() error {
	for {
		m, fds, err := r.conn.Receive()
		spawnwire.CloseAll(fds)
		if err != nil {
			return fmt.Errorf("listen to mews-spawner: %w", err)
		}
		if err := r.hear(m); err != nil {
			return fmt.Errorf("listen to mews-spawner: %w", err)
		}
	}
}

// hear takes one message.
func (r *reign) hear(m spawnwire.Message) error {
	switch m := m.(type) {
	case spawnwire.Started:
		return r.with(m.ID, func(c *child) { c.started(int(m.PID)) })
	case spawnwire.Refused:
		refusal := fmt.Errorf("mews-spawner refused it: %s", m.Reason)
		return r.with(m.ID, func(c *child) { r.forget(m.ID); c.finish(0, refusal) })
	case spawnwire.Exited:
		return r.with(m.ID, func(c *child) { r.forget(m.ID); c.finish(syscall.WaitStatus(m.Status), nil) })
	}
	return fmt.Errorf("%T is not for a supervisor", m)
}

// with calls f with the child of that number, which must be there.
func (r *reign) with(id uint64, f func(*child)) error {
	r.mu.Lock()
	c := r.children[id]
	r.mu.Unlock()
	if c == nil {
		return fmt.Errorf("it speaks of worker %d, which it does not have", id)
	}
	f(c)
	return nil
}

func (r *reign) forget(id uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.children, id)
}

// end closes the socket, on which the spawner kills its workers and ends, waits for it, and tells the children that are
// left. A spawner that does not end in time is killed; its workers die with it.
func (r *reign) end() error {
	_ = r.conn.Close() // it may be closed already
	killer := time.AfterFunc(endWait, func() { _ = r.cmd.Process.Kill() })
	err := r.cmd.Wait()
	killer.Stop()
	r.mu.Lock()
	left := r.children
	r.children = map[uint64]*child{}
	r.mu.Unlock()
	for _, c := range left {
		c.finish(0, errors.New("mews-spawner ended, and every worker with it"))
	}
	if err != nil {
		return fmt.Errorf("mews-spawner: %w", err)
	}
	return nil
}
