package model

import (
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

const (
	openMin = 30 * time.Second // how long a model is left alone after it failed; twice as long after each probe
	openMax = 10 * time.Minute
)

// State is how a model is treated.
type State string

const (
	StateClosed   State = "closed"    // it is called
	StateOpen     State = "open"      // it failed, and is left alone until its time
	StateHalfOpen State = "half_open" // one call looks whether it is well again; the others still leave it alone
)

// transitions is every step that a breaker can take. From open to closed goes a model that was called all the same, because
// there was no other, and answered.
var transitions = map[State][]State{
	StateClosed:   {StateOpen},
	StateOpen:     {StateHalfOpen, StateClosed},
	StateHalfOpen: {StateClosed, StateOpen},
}

// breaker is one model's. It has no clock and no lock.
type breaker struct {
	state   State
	class   supervisor.ModelClass // of the failure that opened it
	until   time.Time             // while open
	openFor time.Duration         // how long it was open the last time
}

// permit is how a call may use a model.
type permit int

const (
	permitNone  permit = iota
	permitCall         // as often as the policy says
	permitProbe        // once, and alone
)

func (b *breaker) transition(to State) {
	if !slices.Contains(transitions[b.state], to) {
		panic("model: no step from " + string(b.state) + " to " + string(to)) // a defect in this file
	}
	b.state = to
}

// admit says how the model may be called now. Who gets the probe ends it with succeed, fail or release.
func (b *breaker) admit(now time.Time) permit {
	switch {
	case b.state == StateClosed:
		return permitCall
	case b.state == StateOpen && !now.Before(b.until):
		b.transition(StateHalfOpen)
		return permitProbe
	}
	return permitNone
}

func (b *breaker) succeed() {
	if b.state != StateClosed {
		b.transition(StateClosed)
	}
	b.openFor = 0
}

// fail opens it. asked is for how long the provider wants to be left alone. A failure of a model that is left alone
// already, and was called for want of another, opens nothing and does not make that longer.
func (b *breaker) fail(now time.Time, class supervisor.ModelClass, asked time.Duration) (opened bool) {
	b.class = class
	if b.state == StateOpen {
		return false
	}
	b.transition(StateOpen)
	b.openFor = min(max(2*b.openFor, openMin), openMax)
	b.until = now.Add(max(b.openFor, min(asked, openMax)))
	return true
}

// release gives the probe back, of which nothing was learnt: the next call may have it.
func (b *breaker) release() {
	if b.state == StateHalfOpen {
		b.transition(StateOpen) // its time has come already
	}
}

// breakers holds those that are not closed, by spec. It may be used from several goroutines at once.
type breakers struct {
	log hclog.Logger

	mu     sync.Mutex // guards what follows
	bySpec map[string]*breaker
}

func newBreakers(log hclog.Logger) *breakers {
	return &breakers{log: log, bySpec: map[string]*breaker{}}
}

// admit says how the model may be called now.
func (s *breakers) admit(spec string, now time.Time) permit {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, failed := s.bySpec[spec]
	if !failed {
		return permitCall
	}
	return b.admit(now)
}

// class is why the model is left alone; "" when it is not.
func (s *breakers) class(spec string) supervisor.ModelClass {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.bySpec[spec]; b != nil {
		return b.class
	}
	return ""
}

// succeed is told that the model answered, be it with a refusal.
func (s *breakers) succeed(spec string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, failed := s.bySpec[spec]; failed {
		b.succeed()
		delete(s.bySpec, spec)
		s.log.Info("model is well again", "model", spec)
	}
}

// fail is told that the model failed for good in one call.
func (s *breakers) fail(spec string, now time.Time, class supervisor.ModelClass, asked time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.bySpec[spec]
	if b == nil {
		s.forget(now)
		b = &breaker{state: StateClosed}
		s.bySpec[spec] = b
	}
	if b.fail(now, class, asked) {
		s.log.Info("model is left alone", "model", spec, "class", class, "for", b.until.Sub(now))
	}
}

// release is told that a probe ended without having learnt anything.
func (s *breakers) release(spec string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.bySpec[spec]; b != nil {
		b.release()
	}
}

// forget drops the models that nobody has asked for in a long time: people may name what never was. The mutex is held.
func (s *breakers) forget(now time.Time) {
	for spec, b := range s.bySpec {
		if b.state == StateOpen && now.Sub(b.until) > openMax {
			delete(s.bySpec, spec)
		}
	}
}
