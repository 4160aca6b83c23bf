package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"mews/protocol"
	"mews/protocol/spawnwire"
)

// selfTest has Options.SelfTest look at a worker before anybody gets one.
func (p *Pool) selfTest(ctx context.Context) error {
	if p.options.SelfTest == nil {
		return nil
	}
	bounded, cancel := context.WithTimeoutCause(ctx, p.options.Timings.Handshake, errSelfTestTime)
	defer cancel()
	if err := p.options.Spawner.RunOnce(bounded, p.options.SelfTestPlace, p.options.SelfTest); err != nil && ctx.Err() == nil {
		return fmt.Errorf("try the walls: %w", err)
	}
	return nil
}

var errSelfTestTime = errors.New("the worker that tries the walls takes too long")

// RunOnce starts a worker that is nobody's in a folder, calls f with it, and ends it. The spawner must be running: a Pool
// runs it, or Serve.
func (s *Spawner) RunOnce(ctx context.Context, place Place, f func(ctx context.Context, worker *protocol.Conn) error) error {
	c, err := s.spawn(ctx, place.spawnRequest(), nil)
	if err != nil {
		return err
	}
	living, end := context.WithCancel(ctx)
	var tasks sync.WaitGroup
	defer tasks.Wait()
	defer end()
	var said tail
	tasks.Go(func() { drain(c.stderr, &said, s.log, c.exited) })
	conn := protocol.NewConn(c.socket, refuseAll{}, protocol.Options{Report: func(error) {}})
	tasks.Go(func() { _ = conn.Run(living) }) // its error stays in conn.Err
	err = f(ctx, conn)
	conn.Close(context.Canceled)
	c.signal(9)
	if !waitFor(endWait, c.exited) {
		return errors.Join(err, fmt.Errorf("its worker has not ended within %v of SIGKILL", endWait))
	}
	if _, failed := c.end(); failed != nil {
		return failed
	}
	if last := said.last(); err != nil && len(last) > 0 {
		err = fmt.Errorf("%w; the worker wrote: %s", err, strings.Join(last, "; "))
	}
	return err
}

// Serve runs a spawner without a Pool, until ctx ends, and then ends it.
func (s *Spawner) Serve(ctx context.Context) error { return s.run(ctx) }

// refuseAll answers a worker that has nobody's turn.
type refuseAll struct{}

func (refuseAll) Call(_ context.Context, req *protocol.Request) (any, error) {
	return nil, protocol.MethodNotFound(req.Method)
}
func (refuseAll) Notify(*protocol.Request) {}

// spawnRequest is what the spawner is asked for.
func (p Place) spawnRequest() spawnwire.Spawn {
	return spawnwire.Spawn{Root: p.Root, Path: p.Path, UID: p.UID, GID: p.GID, Memory: p.Memory, PIDs: p.PIDs, Binds: p.Binds,
		Profile: profileWorker}
}
