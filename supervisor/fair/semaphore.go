// Package fair shares out what there is only so much of, so that nobody waits for all that another one wants.
package fair

import (
	"context"
	"slices"
	"sync"
)

// Semaphore lets so many in at once. Where more want to, their people take turns: who wants one place waits for no more than one
// of each of the others, however many those want. It may be used from several goroutines at once.
type Semaphore struct {
	mu      sync.Mutex // guards what follows
	free    int        // who may still come in; 0 while somebody waits
	people  []string   // who waits, in the order of their turns
	waiting map[string][]chan struct{}
}

// New makes a line that lets room in at once.
func New(room int) *Semaphore { return &Semaphore{free: room, waiting: map[string][]chan struct{}{}} }

// Permit is one in a line, or inside. Who has taken it gives it back, once, with Release.
type Permit struct {
	semaphore *Semaphore
	person    string
	granted   chan struct{}
}

// Request takes the person's next place, which waits for its turn. It never blocks.
func (f *Semaphore) Request(person string) Permit { return Permit{f, person, f.request(person)} }

// Granted is closed when the place's turn has come.
func (p Permit) Granted() <-chan struct{} { return p.granted }

// Release gives the place up, whether its turn has come or not.
func (p Permit) Release() {
	if !p.semaphore.cancel(p.person, p.granted) {
		p.semaphore.release()
	}
}

// Acquire is Request, and waits for the turn. Its error is ctx's cause, and then there is no place to leave.
func (f *Semaphore) Acquire(ctx context.Context, person string) (Permit, error) {
	if ctx.Err() != nil {
		return Permit{}, context.Cause(ctx)
	}
	p := f.Request(person)
	select {
	case <-p.Granted():
		return p, nil
	case <-ctx.Done():
		p.Release()
		return Permit{}, context.Cause(ctx)
	}
}

// request gives what is closed when the person's next turn has come.
func (f *Semaphore) request(person string) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	turn := make(chan struct{})
	if f.free > 0 {
		f.free--
		close(turn)
		return turn
	}
	if len(f.waiting[person]) == 0 {
		f.people = append(f.people, person)
	}
	f.waiting[person] = append(f.waiting[person], turn)
	return turn
}

// cancel gives a place up, unless its turn has come.
func (f *Semaphore) cancel(person string, turn chan struct{}) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := slices.Index(f.waiting[person], turn)
	if at < 0 {
		return false
	}
	f.remove(person, at)
	return true
}

// release lets the next one in.
func (f *Semaphore) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.people) == 0 {
		f.free++
		return
	}
	person := f.people[0]
	close(f.waiting[person][0])
	f.people = append(f.people[1:], person)
	f.remove(person, 0)
}

// remove takes a place away, and its person from the line where it was their last. The mutex is held.
func (f *Semaphore) remove(person string, at int) {
	left := slices.Delete(f.waiting[person], at, at+1)
	if f.waiting[person] = left; len(left) > 0 {
		return
	}
	delete(f.waiting, person)
	f.people = slices.DeleteFunc(f.people, func(p string) bool { return p == person })
}
