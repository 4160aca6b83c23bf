// Package work ends all that runs for one person.
package work

import (
	"context"
	"sync"
)

// ByUser is what runs, by the person for whom it runs. The zero value is ready. It may be used from
// several goroutines.
type ByUser struct {
	mu      sync.Mutex // guards running
	running map[string]map[*piece]bool
}

// piece is one piece of work.
type piece struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// Begin begins a piece of work for a person. It is not ok if serves, which is asked then, says no.
// The work ends with done, and has to end soon after own has ended.
func (u *ByUser) Begin(
	ctx context.Context,
	user string,
	serves func() bool,
) (own context.Context, done func(), ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !serves() {
		return ctx, nil, false
	}
	own, cancel := context.WithCancel(ctx)
	p := &piece{cancel, make(chan struct{})}
	if u.running == nil {
		u.running = map[string]map[*piece]bool{}
	}
	if u.running[user] == nil {
		u.running[user] = map[*piece]bool{}
	}
	u.running[user][p] = true
	return own, func() { u.end(user, p) }, true
}

func (u *ByUser) end(user string, p *piece) {
	u.mu.Lock()
	defer u.mu.Unlock()
	p.cancel()
	close(p.done)
	if delete(u.running[user], p); len(u.running[user]) == 0 {
		delete(u.running, user)
	}
}

// End ends all work for a person who is not served any more, and waits until it has ended. None
// begins after that. Its error is ctx's cause.
func (u *ByUser) End(ctx context.Context, user string) error {
	for _, p := range u.cancelAll(user) {
		select {
		case <-p.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (u *ByUser) cancelAll(user string) (ending []*piece) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for p := range u.running[user] {
		p.cancel()
		ending = append(ending, p)
	}
	return ending
}
