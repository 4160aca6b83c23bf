// Package work keeps track of the running work for each user, and can end it.
package work

import (
	"context"
	"sync"
)

// UserWork holds the running pieces of work by user. The zero value is ready. It may be used from
// several goroutines.
type UserWork struct {
	mu      sync.Mutex // guards the field running
	running map[string]map[*piece]bool
}

// piece is one piece of work.
type piece struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// BeginWork begins a piece of work for a user. If serves returns false, the user is not served, and
// ok is false. The caller calls done at the end of the work. The work must end soon after its
// context own ends.
func (u *UserWork) BeginWork(
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

func (u *UserWork) end(user string, p *piece) {
	u.mu.Lock()
	defer u.mu.Unlock()
	p.cancel()
	close(p.done)
	if delete(u.running[user], p); len(u.running[user]) == 0 {
		delete(u.running, user)
	}
}

// EndWork ends all work for a user who is no longer served, and waits until it has ended. No work
// begins afterwards. If ctx ends first, EndWork returns the cause.
func (u *UserWork) EndWork(ctx context.Context, user string) error {
	for _, p := range u.cancelAll(user) {
		select {
		case <-p.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (u *UserWork) cancelAll(user string) (ending []*piece) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for p := range u.running[user] {
		p.cancel()
		ending = append(ending, p)
	}
	return ending
}
