package operation

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"mews/supervisor"
)

// queue is where operations wait for a place. The shortest recording goes first, and else the
// oldest operation.
type queue struct {
	each, all int // places of one person and of all; 0 is no bound

	mu      sync.Mutex // guards what follows
	running []*place
	waiting []*place // in their order
}

// place is one that an operation has or waits for.
type place struct {
	*queue
	user    string
	seconds int // of the recording
	id      int64
	granted chan struct{}
}

func (p *place) compare(other *place) int {
	return cmp.Or(cmp.Compare(p.seconds, other.seconds), cmp.Compare(p.id, other.id))
}

// request asks for a place. It does not wait. Release has to follow.
func (q *queue) request(op supervisor.Operation, seconds int) *place {
	p := &place{q, op.User, seconds, op.ID, make(chan struct{})}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, p)
	slices.SortFunc(q.waiting, (*place).compare)
	q.grant()
	return p
}

// wait waits until the place is granted. Its error is ctx's cause.
func (p *place) wait(ctx context.Context) error {
	select {
	case <-p.granted:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// release gives a place back, or ends the wait for it.
func (p *place) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = slices.DeleteFunc(p.running, func(other *place) bool { return other == p })
	p.waiting = slices.DeleteFunc(p.waiting, func(other *place) bool { return other == p })
	p.grant()
}

// yields says whether somebody waits who goes before p and could have its place.
func (p *place) yields() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	without := slices.DeleteFunc(slices.Clone(p.running), func(other *place) bool { return other == p })
	return slices.ContainsFunc(p.waiting, func(other *place) bool { return other.compare(p) < 0 && p.room(other, without) })
}

// grant gives places to those who wait. The caller has the mutex.
func (q *queue) grant() {
	q.waiting = slices.DeleteFunc(q.waiting, func(p *place) bool {
		room := q.room(p, q.running)
		if room {
			q.running = append(q.running, p)
			close(p.granted)
		}
		return room
	})
}

// room says whether there is a place for p beside those that run.
func (q *queue) room(p *place, running []*place) bool {
	own := 0
	for _, other := range running {
		if other.user == p.user {
			own++
		}
	}
	return (q.each == 0 || own < q.each) && (q.all == 0 || len(running) < q.all)
}
