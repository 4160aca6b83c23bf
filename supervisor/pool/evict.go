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
	s := p.slots[user]
	p.mu.Unlock()
	evicted := make(chan *process, 1)
	if s == nil || !s.do(func() { evicted <- s.evict() }) {
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
func (s *slot) evict() *process {
	if s.current != nil {
		s.current.stop(errEvicted)
		s.stopping(s.current)
	}
	return s.current
}
