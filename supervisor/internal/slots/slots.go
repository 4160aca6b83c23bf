// Package slots shares a limited number of slots fairly between users.
package slots

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Slots is a limited number of slots. If more slots are requested, users take turns: a request
// waits for at most one slot of each other user. Requests with a rank are ordered by their ranks
// instead. Slots may be used from several goroutines.
//
// Requests with the user "" wait until no user waits.
type Slots struct {
	// largest number of granted slots, for all users and for one user; 0 means no limit
	maxRunning, maxPerUser int

	mu        sync.Mutex // guards the following fields
	running   []*Slot
	waiting   []*Slot        // requests that are not granted, in the order of requesting
	userTurns map[string]int // number of each waiting user's last turn; the user with the least number goes first
	lastTurn  int            // number of the last granted turn
}

// New makes n slots. 0 means no limit.
func New(n int) *Slots { return NewWithUserLimit(n, 0) }

// NewWithUserLimit makes n slots. each is the maximum of slots that a user may have at once. 0
// means no limit.
func NewWithUserLimit(n, each int) *Slots {
	return &Slots{maxRunning: n, maxPerUser: each, userTurns: map[string]int{}}
}

// Slot is a requested slot. The caller that requested the slot must call Release.
type Slot struct {
	slots   *Slots
	person  string
	rank    []int64
	granted chan struct{}
}

// RequestSlot asks for a slot. It never blocks. The request with the lowest rank goes first; ranks
// are compared number by number. Either all requests have ranks, or no request has one.
func (s *Slots) RequestSlot(person string, rank ...int64) *Slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	slot := &Slot{s, person, rank, make(chan struct{})}
	if _, waits := s.userTurns[person]; !waits {
		s.lastTurn++
		s.userTurns[person] = s.lastTurn
	}
	s.waiting = append(s.waiting, slot)
	s.grant()
	return slot
}

// Acquire requests a slot and waits until it is granted. If ctx ends first, it returns the cause
// and no slot.
func (s *Slots) Acquire(ctx context.Context, person string) (*Slot, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	slot := s.RequestSlot(person)
	if err := slot.Wait(ctx); err != nil {
		slot.Release()
		return nil, err
	}
	return slot, nil
}

// TryAcquire returns a slot if one is free. It never blocks.
func (s *Slots) TryAcquire(person string) (slot *Slot, ok bool) {
	slot = s.RequestSlot(person)
	select {
	case <-slot.granted:
		return slot, true
	default:
		slot.Release()
		return nil, false
	}
}

// CountWaiting returns the number of requested slots that are not granted.
func (s *Slots) CountWaiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting)
}

// HasFreeSlot reports whether a slot is free.
func (s *Slots) HasFreeSlot() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.maxRunning == 0 || len(s.running) < s.maxRunning
}

// Granted returns a channel that is closed as soon as the slot is granted.
func (p *Slot) Granted() <-chan struct{} { return p.granted }

// Wait waits until the slot is granted. If ctx ends first, it returns the cause. Release must be
// called even then.
func (p *Slot) Wait(ctx context.Context) error {
	select {
	case <-p.granted:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Release gives the slot back for the next request. It also ends a request that was not granted.
func (p *Slot) Release() {
	s := p.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, p); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.forgetTurn(p.person)
	}
	if i := slices.Index(s.running, p); i >= 0 {
		s.running = slices.Delete(s.running, i, i+1)
	}
	s.grant()
}

// IsWanted reports whether a request with a lower rank waits and could get this slot.
func (p *Slot) IsWanted() bool {
	s := p.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	others := slices.DeleteFunc(slices.Clone(s.running), func(other *Slot) bool { return other == p })
	return slices.ContainsFunc(s.waiting, func(other *Slot) bool {
		return slices.Compare(other.rank, p.rank) < 0 && s.hasRoom(other, others)
	})
}

// grant gives free slots to waiting requests. The caller has locked the mutex.
func (s *Slots) grant() {
	for {
		next := s.next()
		if next == nil {
			return
		}
		s.waiting = slices.DeleteFunc(s.waiting, func(other *Slot) bool { return other == next })
		s.running = append(s.running, next)
		s.lastTurn++
		s.userTurns[next.person] = s.lastTurn
		s.forgetTurn(next.person)
		close(next.granted)
	}
}

// next returns the request that gets a slot now, or nil. The caller has locked the mutex.
func (s *Slots) next() (first *Slot) {
	for _, slot := range s.waiting {
		if (first == nil || s.compare(slot, first) < 0) && s.hasRoom(slot, s.running) {
			first = slot
		}
	}
	return first
}

// compare returns a number below 0 if request a goes before request b, although b was requested
// first. The caller has locked the mutex.
func (s *Slots) compare(a, b *Slot) int {
	nobody := func(slot *Slot) int {
		if slot.person == "" {
			return 1
		}
		return 0
	}
	return cmp.Or(slices.Compare(a.rank, b.rank), nobody(a)-nobody(b), s.userTurns[a.person]-s.userTurns[b.person])
}

// forgetTurn deletes the turn of a user who has no waiting requests. The caller has locked the
// mutex.
func (s *Slots) forgetTurn(person string) {
	if !slices.ContainsFunc(s.waiting, func(other *Slot) bool { return other.person == person }) {
		delete(s.userTurns, person)
	}
}

// hasRoom reports whether the request slot may be granted while the running slots are taken.
func (s *Slots) hasRoom(slot *Slot, running []*Slot) bool {
	if s.maxRunning > 0 && len(running) >= s.maxRunning {
		return false
	}
	if s.maxPerUser == 0 {
		return true
	}
	own := 0
	for _, other := range running {
		if other.person == slot.person {
			own++
		}
	}
	return own < s.maxPerUser
}
