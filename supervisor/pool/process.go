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
	"mews/protocol/spawnwire"
)

// process is one worker process, from its start to its end. run is its goroutine. All goroutines
// may call stop, isEnding, pid and id.
type process[H Host] struct {
	managed *managedWorker[H]
	options *Options[H]
	spec    WorkerSpec
	log     hclog.Logger
	ctx     context.Context // ends when the process must end; its cause is the reason
	stop    context.CancelCauseFunc
	child   atomic.Pointer[child] // set once, when the spawner is asked for the process
	// conn and host are set before the managedWorker learns that the process is ready
	conn       *protocol.Conn
	host       H
	lastStderr []string      // the last lines of the process's standard error, once it is dead
	short      bool          // whether a line of standard error reported a shortage
	ready      bool          // whether the worker has shaken hands
	leases     []*Worker[H]  // used only by the managedWorker's goroutine
	died       chan struct{} // closed when the process and all its descendants are gone
	err        error         // how the process ended; set before died is closed
}

// newProcess makes the next process of m. Only m's goroutine may call it.
func newProcess[H Host](m *managedWorker[H]) *process[H] {
	ctx, stop := context.WithCancelCause(context.Background())
	return &process[H]{managed: m, options: m.options, spec: m.spec, log: m.log, ctx: ctx, stop: stop, died: make(chan struct{})}
}

// isEnding reports whether the process must end, has lost its connection, or is gone.
func (p *process[H]) isEnding() bool { return p.ctx.Err() != nil }

func (p *process[H]) pid() int {
	if c := p.child.Load(); c != nil {
		return c.pid()
	}
	return 0
}

// id returns the spawner's number for the process; 0 before the request.
func (p *process[H]) id() uint64 {
	if c := p.child.Load(); c != nil {
		return c.id
	}
	return 0
}

// run starts the process, and waits until it ends or must end. Then it cleans up, and tells the
// managedWorker.
func (p *process[H]) run(request spawnwire.SpawnRequest) {
	var tasks sync.WaitGroup
	defer tasks.Wait() // handlers may run a moment longer than the process
	ctx, cancel := context.WithTimeoutCause(p.ctx, p.options.Timings.Handshake, errNoSpawner)
	c, err := p.options.Spawner.spawn(ctx, request, p.limitHit)
	cancel()
	if err != nil {
		p.stop(err)
	} else {
		p.child.Store(c)
		p.runChild(c, &tasks)
	}
	p.err = p.endError(c)
	close(p.died)
	p.managed.do(func() { p.managed.ended(p) })
}

// endPrograms ends the programs of the worker because of a limit, and waits until they have ended.
// It returns whether programs ran. One call at a time may run.
func (p *process[H]) endPrograms(ctx context.Context, kind string, limit uint64) bool {
	c := p.child.Load()
	select { // drop an old answer that nobody waited for
	case <-c.programsEnded:
	default:
	}
	if err := c.spawner.send(c, spawnwire.EndProgramsRequest{ID: c.id, Kind: kind, Limit: limit}); err != nil {
		return false // without a spawner the worker ends too
	}
	select {
	case ended := <-c.programsEnded:
		return ended
	case <-c.exited:
		return true
	case <-ctx.Done():
		return false
	}
}

// limitHit reports that the worker has hit a limit.
func (p *process[H]) limitHit(hit spawnwire.LimitHitMessage) {
	if endedLimits[hit.Kind] {
		select {
		case p.child.Load().programsEnded <- hit.Times > 0:
		default:
		}
	}
	if hit.Times == 0 {
		return
	}
	p.log.Warn("a limit has struck", "limit", hit.Kind, "most", hit.Limit, "times", hit.Times)
	if user := p.spec.user(); p.options.OnLimit != nil && user != "" {
		p.options.OnLimit(user, hit)
	}
}

// runChild runs a requested process to its complete end.
func (p *process[H]) runChild(c *child, tasks *sync.WaitGroup) {
	p.log = p.log.With("worker", c.id)
	p.connect(c)
	stderr := readStderr(c.stderr, p.log, c.exited)
	tasks.Go(func() { _ = p.conn.Run(p.ctx) }) // the error stays in conn.Err
	if err := p.handshake(); err != nil {
		p.stop(err)
	} else {
		p.ready = true
		c.awaitPID() // wait, because the worker's answer may come before the spawner's
		p.log.Info("worker started", "pid", c.pid())
		p.reportStart(c)
		p.managed.do(func() { p.managed.ready(p) })
		p.awaitEnd(c)
	}
	p.managed.do(func() { p.managed.stopping(p) })
	p.shutdown(c)
	p.lastStderr, p.short = stderr.end(), stderr.short
}

// reportStart calls the functions about the start of a user's worker.
func (p *process[H]) reportStart(c *child) {
	user := p.spec.user()
	if user == "" {
		return
	}
	if p.options.OnHistory != nil && profiles[p.spec.Profile].history && p.spec.Location.HistoryPath != "" {
		p.options.OnHistory(user, c.historyFault())
	}
	if p.options.OnStart != nil {
		p.options.OnStart(user, c.pid())
	}
}

// connect makes the connection, and the Host that answers the worker's calls.
func (p *process[H]) connect(c *child) {
	var handler protocol.Handler = RefusingHost{}
	if p.spec.Hello != nil {
		p.host = p.options.Host(p.spec.Hello.User, p.stop)
		handler = p.host
	}
	p.conn = protocol.NewConn(c.socket, handler, protocol.Options{WriteTimeout: p.options.Timings.Write, Report: func(err error) {
		p.log.Warn("answer a worker's call", "error", err) // the worker does not see the error
	}})
}

// RefusingHost refuses all calls, for workers without a user.
type RefusingHost struct{}

// HandleCall refuses every call.
func (RefusingHost) HandleCall(_ context.Context, req *protocol.Request) (any, error) {
	return nil, protocol.MethodNotFoundError(req.Method)
}

// HandleNotification does nothing.
func (RefusingHost) HandleNotification(*protocol.Request) {}

// OnHandshake does nothing.
func (RefusingHost) OnHandshake(protocol.HelloResult) {}

// handshake says hello to the worker and checks its answer. A worker without a user learns nothing
// from the hello. A *StartRefusedError means that the worker has another version.
func (p *process[H]) handshake() error {
	if p.spec.Hello == nil {
		return nil
	}
	hello := *p.spec.Hello
	hello.Version = protocol.Version
	limit := p.options.Timings.Handshake
	defer time.AfterFunc(limit, func() {
		p.stop(fmt.Errorf("handshake: no answer to hello within %v", limit))
	}).Stop()
	var answer protocol.HelloResult
	err := p.conn.Call(p.ctx, protocol.MethodHello, hello, &answer)
	switch told := new(protocol.Error); {
	case err == nil && answer.Version == hello.Version:
		p.host.OnHandshake(answer)
		return nil
	case err == nil:
		err = fmt.Errorf("protocol %d, want %d", answer.Version, hello.Version)
	case !errors.As(err, &told) || !otherVersion[told.Code]:
		return fmt.Errorf("handshake: %w", err)
	}
	return &StartRefusedError{Reason: textOtherVersion, By: fmt.Errorf("handshake: %w", err)}
}

// otherVersion holds the error codes with which a worker of another version refuses a hello. That
// worker does not know the hello's version or one of its fields. A worker of this version never
// answers with these codes.
var otherVersion = map[int]bool{protocol.CodeInvalidRequest: true, protocol.CodeInvalidParams: true}

// awaitEnd waits until the worker ends or must end. After the handshake it pings the worker.
func (p *process[H]) awaitEnd(c *child) {
	ticker := time.NewTicker(p.options.Timings.PingEvery)
	defer ticker.Stop()
	if p.spec.Hello == nil {
		ticker.Stop()
	}
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

// ping ends the worker if it does not answer in time. If the connection ends meanwhile, awaitEnd
// handles that.
func (p *process[H]) ping() {
	limit := p.options.Timings.PingAnswer
	defer time.AfterFunc(limit, func() { p.stop(fmt.Errorf("no answer to ping within %v", limit)) }).Stop()
	if err := p.conn.Call(p.ctx, protocol.MethodPing, nil, nil); err != nil && !errors.Is(err, protocol.ErrClosed) {
		p.stop(fmt.Errorf("ping: %w", err))
	}
}

// shutdown ends the process in three steps: it closes the socket, sends SIGTERM, and sends SIGKILL.
// After each step it waits. (The MCP specification ends servers on stdio in the same way.)
func (p *process[H]) shutdown(c *child) {
	t := p.options.Timings
	p.conn.Close(context.Cause(p.ctx))
	if waitFor(t.Grace, c.exited) {
		return
	}
	c.spawner.signal(c, syscall.SIGTERM)
	if waitFor(t.Term, c.exited) {
		return
	}
	c.spawner.signal(c, syscall.SIGKILL)
	if !waitFor(t.Kill, c.exited) {
		p.killSpawner(c, fmt.Errorf("mews-spawner hangs: a worker's end was not told within %v of SIGKILL", t.Kill))
	}
}

// killSpawner kills the spawner because it has not reported a child's end. Either the spawner
// hangs, or the child can't be killed. If the child can't be killed, its end is no longer awaited.
func (p *process[H]) killSpawner(c *child, cause error) {
	p.log.Error("a worker does not end", "pid", c.pid(), "error", cause)
	c.spawner.killHung(c, cause)
	if limit := p.options.Timings.Kill + endWait; !waitFor(limit, c.exited) {
		c.finish(0, fmt.Errorf("still there %v after SIGKILL", limit))
	}
}

// waitFor waits until done is closed, at most for d. It returns whether done was closed.
func waitFor(d time.Duration, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(d):
		return false
	}
}

// endError returns how the process ended. c is nil if the process was never requested.
func (p *process[H]) endError(c *child) error {
	e := &WorkerEndError{User: p.spec.Key, Reason: context.Cause(p.ctx), Stderr: p.lastStderr}
	if c == nil {
		e.Shortage = spawnwire.IsShortage(e.Reason)
		return e
	}
	switch { // exited is closed, so the fields of c no longer change
	// the worker never ran, or the spawner's end explains the worker's end
	case c.err != nil && IsWorkerDeath(e.Reason):
		e.Reason = c.err
	case c.err == nil:
		e.Status = statusText(c.status)
		if isHangup(e.Reason) || e.Reason == context.Canceled {
			e.Reason = nil
		}
	}
	refused := new(StartRefusedError)
	e.Shortage = !p.ready && (errors.As(e.Reason, &refused) && refused.Shortage || spawnwire.IsShortage(e.Reason) ||
		c.err == nil && (c.status.ExitStatus() == spawnwire.ShortageExitStatus || c.status.Exited() && p.short))
	return e
}

// isHangup reports whether the other side closed the connection. The error is then io.EOF, or a
// connection error if that side had unread data.
func isHangup(err error) bool {
	return err == io.EOF || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
