package model

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"mews/supervisor"
)

// call is one Stream. It belongs to its goroutine.
type call struct {
	*Catalogue
	req         supervisor.ModelRequest
	candidates  []Choice // the chosen model first
	failed      []failure
	failedLease int64 // the lease of the attempt that failed last
	deltas      deltaRelay
}

// failure is a model that gave up on a call.
type failure struct {
	choice Choice
	err    *supervisor.ModelError
}

// deltas passes deltas on, and takes them back.
type deltaRelay struct {
	delta func(supervisor.ModelDelta)
	sent  bool // something since the last restart
}

func (s *deltaRelay) send(d supervisor.ModelDelta) {
	s.sent = s.sent || d.Text != ""
	s.delta(d)
}

// restart is called before each attempt.
func (s *deltaRelay) restart() {
	if s.sent {
		s.sent = false
		s.delta(supervisor.ModelDelta{Restart: true})
	}
}

// run asks the models of the chain that are not left alone, in order, and after them, so that nobody is turned away
// untried, those that are. Where there is no money for one, the small model is next, and then only what is cheaper. It ends
// with the first answer, or with a failure that no other model would mend.
func (c *call) run(ctx context.Context) (supervisor.ModelAnswer, error) {
	ask := c.candidates
	for _, all := range []bool{false, true} {
		var left []Choice
		for len(ask) > 0 {
			m := ask[0]
			ask = ask[1:]
			may := permitCall
			if !all {
				may = c.breakers.admit(m.Spec, time.Now())
			}
			if may == permitNone {
				left = append(left, m)
				continue
			}
			answer, err := c.tryModel(ctx, m, may)
			if err == nil || c.ends(ctx, m, err) {
				return answer, err
			}
			if isBudget(err) {
				ask, left = c.onlyCheaper(c.preferSmall(ask, left), m), c.onlyCheaper(left, m)
			}
		}
		ask = left
	}
	return supervisor.ModelAnswer{}, c.allFailed()
}

// ends says whether the call is over with a model's error. A fallback's failure is never the end: it was not chosen.
func (c *call) ends(ctx context.Context, m Choice, err error) bool {
	failed := new(supervisor.ModelError)
	if ctx.Err() != nil || !errors.As(err, &failed) {
		return true
	}
	return m.same(c.candidates[0]) && !policies[failed.Class].fallback
}

// tryModel calls one model, as often as the policy says or, where it is a probe and there are others, once. It tells the
// model's breaker how it went.
func (c *call) tryModel(ctx context.Context, m Choice, may permit) (supervisor.ModelAnswer, error) {
	once := may == permitProbe && len(c.candidates) > 1
	var waited time.Duration
	for n := 1; ; n++ {
		answer, err := c.attempt(ctx, m)
		failed := new(supervisor.ModelError)
		switch {
		case err == nil:
			c.breakers.succeed(m.Spec)
			return answer, nil
		case !errors.As(err, &failed):
			c.breakers.release(m.Spec)
			return supervisor.ModelAnswer{}, err
		}
		wait, again := policies[failed.Class].retry(n, failed.RetryAfter, waited, 2*rand.Float64()-1)
		again = again && !once
		c.note(ctx, m, failed, wait, again)
		if !again {
			c.giveUp(m, failed)
			return supervisor.ModelAnswer{}, err
		}
		if !sleep(ctx, wait) {
			c.breakers.release(m.Spec)
			return supervisor.ModelAnswer{}, context.Cause(ctx)
		}
		waited += wait
	}
}

// giveUp gives a model up for this call.
func (c *call) giveUp(m Choice, err *supervisor.ModelError) {
	c.failed = append(c.failed, failure{m, err})
	switch p := policies[err.Class]; {
	case err.Class == supervisor.ModelBudget: // nobody has asked it
		c.breakers.release(m.Spec)
	case p.trips:
		c.breakers.fail(m.Spec, time.Now(), err.Class, err.RetryAfter)
	default: // whoever refuses a request is there
		c.breakers.succeed(m.Spec)
	}
}

// attempt is one call of a provider, which is paid for first and has its turn then. Its error is a
// *supervisor.ModelError, or ctx's cause.
func (c *call) attempt(ctx context.Context, m Choice) (supervisor.ModelAnswer, error) {
	c.deltas.restart()
	req := c.req
	req.Model = m.Model
	paid, err := c.reserve(ctx, m, &req)
	if err != nil {
		return supervisor.ModelAnswer{}, err
	}
	place, err := c.queue.Acquire(ctx, req.User)
	if err != nil {
		c.giveBack(ctx, paid)
		return supervisor.ModelAnswer{}, err
	}
	c.payloads.request(m.Spec, req)
	answer, err := m.Provider.Stream(ctx, req, paid.countText(c.deltas.send))
	place.Release()
	c.payloads.answer(m.Spec, answer, err)
	if err != nil {
		return supervisor.ModelAnswer{}, c.failAttempt(ctx, m, paid, err)
	}
	c.settle(m, paid, &answer)
	answer.Spec = m.Spec
	if first := c.candidates[0]; !m.same(first) {
		answer.Replaced = &supervisor.ReplacedModel{Spec: first.Spec, Reason: c.reason(first)}
	}
	return answer, nil
}

// sleep is false when ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
