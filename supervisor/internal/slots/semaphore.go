// Package slots shares out a bounded number of permits, so that nobody waits for all that somebody
// else wants.
package slots

import (
	"context"
	"slices"
	"sync"
)

// Semaphore grants a bounded number of permits at once. Where more are requested, people take
// turns: whoever requests one permit waits for at most one of each other person, however many those
// request. It may be used from several goroutines at once.
//
// What is requested for nobody, the person "", waits until no person waits.
type Semaphore struct {
	mu      sync.Mutex // guards what follows
	free    int        // permits; 0 while somebody waits
	people  []string   // who waits, in the order of their turns
	waiting map[string][]chan struct{}
}

// New makes a semaphore that grants n permits at once.
func New(n int) *Semaphore { return &Semaphore{free: n, waiting: map[string][]chan struct{}{}} }

// Permit is one that was requested. Whoever has requested it gives it back, once, with Release.
type Permit struct {
	semaphore *Semaphore
	person    string
	granted   chan struct{}
}

// Request asks for a permit. It never blocks.
func (s *Semaphore) Request(person string) Permit {
	s.mu.Lock()
	defer s.mu.Unlock()
	granted := make(chan struct{})
	switch {
	case s.free > 0:
		s.free--
		close(granted)
		return Permit{s, person, granted}
	case len(s.waiting[person]) == 0:
		s.people = append(s.people, person)
	}
	s.waiting[person] = append(s.waiting[person], granted)
	return Permit{s, person, granted}
}

// Acquire requests a permit and waits until it is granted. Its error is ctx's cause, and then there
// is no permit.
func (s *Semaphore) Acquire(ctx context.Context, person string) (Permit, error) {
	if ctx.Err() != nil {
		return Permit{}, context.Cause(ctx)
	}
	p := s.Request(person)
	select {
	case <-p.Granted():
		return p, nil
	case <-ctx.Done():
		p.Release()
		return Permit{}, context.Cause(ctx)
	}
}

// Granted is closed when the permit is granted.
func (p Permit) Granted() <-chan struct{} { return p.granted }

// Release gives the permit back, whether it was granted or not. The next in turn gets it.
func (p Permit) Release() {
	s := p.semaphore
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting[p.person], p.granted); i >= 0 {
		s.remove(p.person, i)
		return
	}
	if len(s.people) == 0 {
		s.free++
		return
	}
	i := 0
	if s.people[0] == "" && len(s.people) > 1 {
		i = 1
	}
	next := s.people[i]
	close(s.waiting[next][0])
	s.people = append(slices.Delete(s.people, i, i+1), next)
	s.remove(next, 0)
}

// remove takes a waiting request away, and its person where it was their last. The caller has the
// mutex.
func (s *Semaphore) remove(person string, i int) {
	s.waiting[person] = slices.Delete(s.waiting[person], i, i+1)
	if len(s.waiting[person]) == 0 {
		delete(s.waiting, person)
		s.people = slices.DeleteFunc(s.people, func(p string) bool { return p == person })
	}
}
