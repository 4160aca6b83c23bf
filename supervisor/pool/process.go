package pool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
)

// profileWorker asks the spawner for the walls of a person's long-lived worker.
const profileWorker = "worker"

// stderrLinger is how long a dead worker's standard error is still read, should somebody hold its other end open.
const stderrLinger = time.Second

// process is the life of one worker process. run is its goroutine; stop, isEnding, pid and id are for anybody.
type process struct {
	user    string
	options *Options
	log     hclog.Logger
	ctx     context.Context // ends when the process must end; its cause is the reason
	stop    context.CancelCauseFunc
	child   atomic.Pointer[child] // set once, when the spawner has been asked
	conn    *protocol.Conn        // set before the ready hook, as host is
	host    Host
	stderr  tail
	leases  int           // of the managedWorker's goroutine alone
	died    chan struct{} // closed when nothing of it is left
	err     error         // how it ended; set before died is closed
}

// hooks tell a managedWorker how a process fares. ended is called once, last; the others at most once.
type hooks struct{ ready, stopping, ended func() }

func newProcess(user string, o *Options) *process {
	living, stop := context.WithCancelCause(context.Background())
	return &process{
		user: user, options: o, log: o.Log.With("user", user),
		ctx: living, stop: stop, died: make(chan struct{}),
	}
}

// isEnding says that the process must end, has lost its connection, or is gone.
func (p *process) isEnding() bool { return p.ctx.Err() != nil }

func (p *process) pid() int {
	if c := p.child.Load(); c != nil {
		return c.pid()
	}
	return 0
}

// id is the spawner's number of the process; 0 before it has one.
func (p *process) id() uint64 {
	if c := p.child.Load(); c != nil {
		return c.id
	}
	return 0
}

// run has the process started, keeps it until it ends or must end, and clears it away.
func (p *process) run(hello protocol.Hello, place Place, h hooks) {
	var tasks sync.WaitGroup
	defer tasks.Wait() // handlers may take a moment longer than the process
	c, err := p.spawn(place)
	if err != nil {
		p.stop(err)
	} else {
		p.keep(c, hello, h, &tasks)
	}
	p.err = p.endError(c)
	close(p.died)
	h.ended()
}

// spawn has the spawner asked for the process.
func (p *process) spawn(place Place) (*child, error) {
	ctx, cancel := context.WithTimeoutCause(p.ctx, p.options.Timings.Handshake, errNoSpawner)
	defer cancel()
	return p.options.Spawner.spawn(ctx, place.spawnRequest(), p.limitHit)
}

// limitHit is told that a limit has struck.
func (p *process) limitHit(s LimitHit) {
	p.log.Warn("a limit has struck", "limit", s.Limit, "most", s.Most, "times", s.Times)
	if p.options.OnLimit != nil {
		p.options.OnLimit(p.user, s)
	}
}

// keep is the life of a process that has been asked for.
func (p *process) keep(c *child, hello protocol.Hello, h hooks, tasks *sync.WaitGroup) {
	p.child.Store(c)
	p.log = p.log.With("worker", c.id)
	p.conn = protocol.NewConn(c.socket, preHandshake{p}, protocol.Options{WriteTimeout: p.options.Timings.Write, Report: p.report})
	p.host = p.options.Host(p.user, peer{p})
	var drained sync.WaitGroup
	drained.Go(func() { drain(c.stderr, &p.stderr, p.log, c.exited) })
	tasks.Go(func() { _ = p.conn.Run(p.ctx) }) // its error stays in conn.Err

	if err := p.handshake(hello); err != nil {
		p.stop(err)
	} else {
		c.awaitPID() // its own word may come before the spawner's
		p.log.Info("worker started", "pid", c.pid())
		if p.options.OnStart != nil {
			p.options.OnStart(p.user, c.pid())
		}
		h.ready()
		p.watch(c)
	}
	h.stopping()
	p.shutdown(c)
	_ = c.stderr.SetReadDeadline(time.Now().Add(stderrLinger)) // it fails only where drain is through, and has closed it
	drained.Wait()
}

// report logs what the connection withholds from the worker.
func (p *process) report(err error) { p.log.Warn("answer a worker's call", "error", err) }

// handshake says hello and checks the answer.
func (p *process) handshake(hello protocol.Hello) error {
	limit := p.options.Timings.Handshake
	defer time.AfterFunc(limit, func() {
		p.stop(fmt.Errorf("handshake: no answer to hello within %v", limit))
	}).Stop()
	var answer protocol.HelloResult
	if err := p.conn.Call(p.ctx, protocol.MethodHello, hello, &answer); err != nil {
		return fmt.Errorf("handshake: %w", err)
	}
	if answer.Version != hello.Version {
		return fmt.Errorf("handshake: protocol %d, want %d", answer.Version, hello.Version)
	}
	p.host.Handshaken(answer)
	return nil
}

// watch pings the worker until it ends or must end.
func (p *process) watch(c *child) {
	ticker := time.NewTicker(p.options.Timings.PingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-p.conn.Done():
			p.stop(p.conn.Err())
		case <-c.exited:
			p.stop(nil)
		case <-ticker.C:
			p.ping()
		}
	}
}

// ping ends the worker if it does not answer in time. Where the connection ends meanwhile, that is for watch to see: it has
// nothing to do with the question.
func (p *process) ping() {
	limit := p.options.Timings.PingAnswer
	defer time.AfterFunc(limit, func() { p.stop(fmt.Errorf("no answer to ping within %v", limit)) }).Stop()
	if err := p.conn.Call(p.ctx, protocol.MethodPing, nil, nil); err != nil && !errors.Is(err, protocol.ErrClosed) {
		p.stop(fmt.Errorf("ping: %w", err))
	}
}

// shutdown is the ladder: close the socket, wait; SIGTERM, wait; SIGKILL, wait. (After the MCP specification's way of
// ending a server on stdio.)
func (p *process) shutdown(c *child) {
	t := p.options.Timings
	p.conn.Close(context.Cause(p.ctx))
	if waitFor(t.Grace, c.exited) {
		return
	}
	c.signal(syscall.SIGTERM)
	if waitFor(t.Term, c.exited) {
		return
	}
	c.signal(syscall.SIGKILL)
	if !waitFor(t.Kill, c.exited) {
		p.killSpawner(c, fmt.Errorf("mews-spawner hangs: a worker's end was not told within %v of SIGKILL", t.Kill))
	}
}

// killSpawner ends the spawner, which does not tell of a child's end: it hangs, or the child cannot be killed, and then is
// given up.
func (p *process) killSpawner(c *child, cause error) {
	p.log.Error("a worker does not end", "pid", c.pid(), "error", cause)
	c.killHung(cause)
	if limit := p.options.Timings.Kill + endWait; !waitFor(limit, c.exited) {
		c.finish(0, fmt.Errorf("still there %v after SIGKILL", limit))
	}
}

// waitFor waits for done, at most d.
func waitFor(d time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// endError says how the process ended. c is nil where it was never asked for.
func (p *process) endError(c *child) error {
	e := &EndError{User: p.user, Reason: context.Cause(p.ctx), Stderr: p.stderr.last()}
	if c == nil {
		return e
	}
	status, err := c.end()
	switch {
	case err != nil && isDeath(e.Reason): // it never ran, or the spawner is gone: all else follows from that
		e.Reason = err
	case err == nil:
		e.Status = statusText(status)
		if isHangup(e.Reason) || e.Reason == context.Canceled {
			e.Reason = nil
		}
	}
	return e
}

// isHangup says whether a connection's end is that the other side has closed it: with an error where it had not read all.
func isHangup(err error) bool {
	return err == io.EOF || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// preHandshake is the handler that a connection is given before there is a host.
type preHandshake struct{ p *process }

func (d preHandshake) Call(ctx context.Context, req *protocol.Request) (any, error) {
	return d.p.host.Call(ctx, req)
}
func (d preHandshake) Notify(req *protocol.Request) { d.p.host.Notify(req) }

// peer is what a host is given of its process.
type peer struct{ p *process }

func (w peer) Notify(ctx context.Context, method string, params any) error {
	return w.p.conn.Notify(ctx, method, params)
}

func (w peer) End(reason error) { w.p.stop(reason) }
