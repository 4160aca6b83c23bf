package model

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/modelcall"
)

const (
	// the first duration of the open state; each failed probe doubles it
	openMin = 30 * time.Second
	openMax = 10 * time.Minute
)

// BreakerState is the state of a model's circuit breaker.
type BreakerState string

const (
	BreakerClosed BreakerState = "closed" // the model may be called
	BreakerOpen   BreakerState = "open"   // the model failed and is not called for a while
	// one call probes the model; other calls avoid the model
	BreakerHalfOpen BreakerState = "half_open"
)

// transitions lists every allowed change of a breaker's state. An open breaker may close directly:
// if no other model is left, the model is called anyway, and it may answer.
var transitions = map[BreakerState][]BreakerState{
	BreakerClosed:   {BreakerOpen},
	BreakerOpen:     {BreakerHalfOpen, BreakerClosed},
	BreakerHalfOpen: {BreakerClosed, BreakerOpen},
}

// breaker is the circuit breaker of one model. It has no clock and no lock.
type breaker struct {
	state     BreakerState
	class     modelcall.ErrorClass // class of the failure that opened the breaker
	openUntil time.Time            // when the breaker's open state ends
	openFor   time.Duration        // length of the breaker's last open state
}

// permit says how a call may use a model.
type permit int

const (
	permitNone  permit = iota
	permitCall         // the model may be called as often as its policy allows
	permitProbe        // the model may be called once, to probe it
)

func (b *breaker) transition(to BreakerState) {
	if !slices.Contains(transitions[b.state], to) {
		// only a bug in this file can cause a wrong transition
		panic("model: no transition from " + string(b.state) + " to " + string(to))
	}
	b.state = to
}

// admit returns how the model may be called now. The caller of a probe must then call succeed, fail
// or release.
func (b *breaker) admit(now time.Time) permit {
	switch {
	case b.state == BreakerClosed:
		return permitCall
	case b.state == BreakerOpen && !now.Before(b.openUntil):
		b.transition(BreakerHalfOpen)
		return permitProbe
	}
	return permitNone
}

func (b *breaker) succeed() {
	if b.state != BreakerClosed {
		b.transition(BreakerClosed)
	}
	b.openFor = 0
}

// fail opens the breaker. asked is the pause that the provider asked for. An open breaker only gets
// the new class, because the model was then called only for lack of other models.
func (b *breaker) fail(now time.Time, class modelcall.ErrorClass, asked time.Duration) (opened bool) {
	b.class = class
	if b.state == BreakerOpen {
		return false
	}
	b.transition(BreakerOpen)
	b.openFor = min(max(2*b.openFor, openMin), openMax)
	b.openUntil = now.Add(max(b.openFor, min(asked, openMax)))
	return true
}

// release ends a probe without a result. The next call may probe.
func (b *breaker) release() {
	if b.state == BreakerHalfOpen {
		b.transition(BreakerOpen) // the open state is already over, so the next call may probe
	}
}

// breakers holds the breakers that are not closed. It may be used from several goroutines.
type breakers struct {
	log hclog.Logger

	mu     sync.Mutex // guards the fields below
	bySpec map[string]*breaker
}

func newBreakers(log hclog.Logger) *breakers {
	return &breakers{log: log, bySpec: map[string]*breaker{}}
}

// admit returns how the model may be called now.
func (s *breakers) admit(spec string, now time.Time) permit {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, failed := s.bySpec[spec]
	if !failed {
		return permitCall
	}
	return b.admit(now)
}

// class returns the class of the failure that opened the model's breaker; "" if the breaker is
// closed.
func (s *breakers) class(spec string) modelcall.ErrorClass {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.bySpec[spec]; b != nil {
		return b.class
	}
	return ""
}

// succeed records that the model answered. A refusal counts as an answer.
func (s *breakers) succeed(spec string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, failed := s.bySpec[spec]; failed {
		b.succeed()
		delete(s.bySpec, spec)
		s.log.Info("model is well again", "model", spec)
	}
}

// fail records that the model failed in one call, after all tries.
func (s *breakers) fail(spec string, now time.Time, class modelcall.ErrorClass, asked time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.bySpec[spec]
	if b == nil {
		s.forget(now)
		b = &breaker{state: BreakerClosed}
		s.bySpec[spec] = b
	}
	if b.fail(now, class, asked) {
		s.log.Info("model is left alone", "model", spec, "class", class, "for", b.openUntil.Sub(now))
	}
}

// release records that a probe ended without a result.
func (s *breakers) release(spec string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.bySpec[spec]; b != nil {
		b.release()
	}
}

// newKey drops the breakers of a provider whose earlier API key was refused.
func (s *breakers) newKey(provider string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for spec, b := range s.bySpec {
		if b.class == modelcall.AuthFailed && strings.HasPrefix(spec, provider+"/") {
			delete(s.bySpec, spec)
		}
	}
}

// forget drops breakers that were not used for long. Without that, breakers for models that do not
// exist would pile up, because users may name any model. The caller holds the mutex.
func (s *breakers) forget(now time.Time) {
	for spec, b := range s.bySpec {
		if b.state == BreakerOpen && now.Sub(b.openUntil) > openMax {
			delete(s.bySpec, spec)
		}
	}
}
