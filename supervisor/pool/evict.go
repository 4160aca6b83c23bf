package pool

import (
	"context"
	"fmt"
)

// Evict ends a person's worker, whatever it does, and returns when nothing of it is left. It is no death: the worker has
// done nothing wrong. Calls of it fail, and whoever waits for one gets another. Where there is none, nothing is done. An
// error is ctx's cause: the worker ends all the same.
func (p *Pool) Evict(ctx context.Context, user string) error {
	p.mu.Lock()
	m := p.workers[user]
	p.mu.Unlock()
	evicted := make(chan *process, 1)
	if m == nil || !m.do(func() { evicted <- m.evict() }) {
		return nil
	}
	leaving := <-evicted
	if leaving == nil {
		return nil
	}
	select {
	case <-leaving.died:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the end of the worker of %s: %w", user, context.Cause(ctx))
	}
}

// evict is the event that the worker is to end now. It gives the one that ends, nil where there is none.
func (m *managedWorker) evict() *process {
	if m.current != nil {
		m.current.stop(errEvicted)
		m.stopping(m.current)
	}
	return m.current
}
