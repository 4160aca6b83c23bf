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
	req    supervisor.ModelRequest
	chain  []Choice // the chosen model first
	failed []failure
	held   int64 // the lease of the attempt that failed last
	speech speech
}

// failure is a model that gave up on a call.
type failure struct {
	choice Choice
	err    *supervisor.ModelError
}

// speech passes deltas on, and takes them back.
type speech struct {
	delta func(supervisor.ModelDelta)
	said  bool // something since the last restart
}

func (s *speech) add(d supervisor.ModelDelta) {
	s.said = s.said || d.Text != ""
	s.delta(d)
}

// begin is called before each attempt.
func (s *speech) begin() {
	if s.said {
		s.said = false
		s.delta(supervisor.ModelDelta{Restart: true})
	}
}

// run asks the models of the chain that are not left alone, in order, and after them, so that nobody is turned away
// untried, those that are. Where there is no money for one, the small model is next, and then only what is cheaper. It ends
// with the first answer, or with a failure that no other model would mend.
func (c *call) run(ctx context.Context) (supervisor.ModelAnswer, error) {
	ask := c.chain
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
			answer, err := c.ask(ctx, m, may)
			if err == nil || c.ends(ctx, m, err) {
				return answer, err
			}
			if isBudget(err) {
				ask, left = c.cheaper(c.smaller(ask, left), m), c.cheaper(left, m)
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
	return m.same(c.chain[0]) && !policies[failed.Class].next
}

// ask calls one model, as often as the policy says or, where it is a probe and there are others, once. It tells the
// model's breaker how it went.
func (c *call) ask(ctx context.Context, m Choice, may permit) (supervisor.ModelAnswer, error) {
	once := may == permitProbe && len(c.chain) > 1
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
		wait, again := policies[failed.Class].again(n, failed.RetryAfter, waited, 2*rand.Float64()-1)
		again = again && !once
		c.note(ctx, m, failed, wait, again)
		if !again {
			c.give(m, failed)
			return supervisor.ModelAnswer{}, err
		}
		if !sleep(ctx, wait) {
			c.breakers.release(m.Spec)
			return supervisor.ModelAnswer{}, context.Cause(ctx)
		}
		waited += wait
	}
}

// give gives a model up for this call.
func (c *call) give(m Choice, err *supervisor.ModelError) {
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
	c.speech.begin()
	req := c.req
	req.Model = m.Model
	paid, err := c.pay(ctx, m, &req)
	if err != nil {
		return supervisor.ModelAnswer{}, err
	}
	place, err := c.turns.Enter(ctx, req.User)
	if err != nil {
		c.giveBack(ctx, paid)
		return supervisor.ModelAnswer{}, err
	}
	c.payloads.request(m.Spec, req)
	answer, err := m.Provider.Stream(ctx, req, paid.listen(c.speech.add))
	place.Leave()
	c.payloads.answer(m.Spec, answer, err)
	if err != nil {
		return supervisor.ModelAnswer{}, c.lost(ctx, m, paid, err)
	}
	c.settle(m, paid, &answer)
	answer.Spec = m.Spec
	if first := c.chain[0]; !m.same(first) {
		answer.Instead = &supervisor.Instead{Spec: first.Spec, Why: c.why(first)}
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
