package model

import (
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/modelcall"
)

const (
	// how long a model is left alone after it failed; twice as long after each probe
	openMin = 30 * time.Second
	openMax = 10 * time.Minute
)

// State is how a model is treated.
type State string

const (
	StateClosed State = "closed" // it is called
	StateOpen   State = "open"   // it failed, and is left alone until its time
	// one call looks whether it is well again; the others still leave it alone
	StateHalfOpen State = "half_open"
)

// transitions lists every change of a breaker's state. Open goes to closed where the model was
// called all the same, because there was no other, and answered.
var transitions = map[State][]State{
	StateClosed:   {StateOpen},
	StateOpen:     {StateHalfOpen, StateClosed},
	StateHalfOpen: {StateClosed, StateOpen},
}

// breaker is the circuit breaker of one model. It has no clock and no lock.
type breaker struct {
	state   State
	class   modelcall.Class // of the failure that opened it
	until   time.Time       // while open
	openFor time.Duration   // how long it was open the last time
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
		// a defect in this file
		panic("model: no transition from " + string(b.state) + " to " + string(to))
	}
	b.state = to
}

// admit says how the model may be called now. Whoever gets the probe must call succeed, fail or
// release.
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

// fail opens the breaker. asked is how long the provider wants to be left alone. Where the breaker
// is open already, because the model was called for want of another, nothing changes.
func (b *breaker) fail(now time.Time, class modelcall.Class, asked time.Duration) (opened bool) {
	b.class = class
	if b.state == StateOpen {
		return false
	}
	b.transition(StateOpen)
	b.openFor = min(max(2*b.openFor, openMin), openMax)
	b.until = now.Add(max(b.openFor, min(asked, openMax)))
	return true
}

// release gives back a probe that told nothing. The next call may have it.
func (b *breaker) release() {
	if b.state == StateHalfOpen {
		b.transition(StateOpen) // its time has come already
	}
}

// breakers holds the breakers that are not closed. It may be used from several goroutines at once.
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
func (s *breakers) class(spec string) modelcall.Class {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.bySpec[spec]; b != nil {
		return b.class
	}
	return ""
}

// succeed is called when the model answered, even with a refusal.
func (s *breakers) succeed(spec string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, failed := s.bySpec[spec]; failed {
		b.succeed()
		delete(s.bySpec, spec)
		s.log.Info("model is well again", "model", spec)
	}
}

// fail is called when the model has failed for good in one call.
func (s *breakers) fail(spec string, now time.Time, class modelcall.Class, asked time.Duration) {
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

// release is called when a probe ended and told nothing.
func (s *breakers) release(spec string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.bySpec[spec]; b != nil {
		b.release()
	}
}

// forget drops breakers that nobody has used for long: people may name models that do not exist.
// The caller holds the mutex.
func (s *breakers) forget(now time.Time) {
	for spec, b := range s.bySpec {
		if b.state == StateOpen && now.Sub(b.until) > openMax {
			delete(s.bySpec, spec)
		}
	}
}
