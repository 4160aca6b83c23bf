package model

import (
	"context"
	"errors"
	"slices"

	"mews/protocol"
	"mews/supervisor"
)

// attempt is one call of a provider that somebody pays for, and what has come of it. It belongs to its goroutine.
type attempt struct {
	costBound
	lease         int64
	sent          bool           // the request may have gone out
	textBytes     int64          // bytes that were said
	receivedBytes int64          // bytes that came, said or not, as far as the provider tells
	counted       protocol.Usage // bySpec the provider, so far
}

// received takes what the provider tells of the answer.
func (a *attempt) received(bytes int, counted protocol.Usage) {
	a.sent = true
	a.receivedBytes += int64(bytes)
	if counted != (protocol.Usage{}) {
		a.counted = counted
	}
}

// reserve reserves what an attempt can cost, and has req held to that. The attempt is nil where nobody pays.
func (c *call) reserve(ctx context.Context, m Choice, req *supervisor.ModelRequest) (*attempt, error) {
	if req.Reserver == nil {
		return nil, nil
	}
	a := &attempt{costBound: c.costBound(m, *req)}
	var err error
	if a.lease, err = req.Reserver.Reserve(ctx, supervisor.Estimate{Spec: m.Spec, Worst: a.maxCost, Priced: a.priced}); err != nil {
		return nil, err
	}
	if a.maxCost > 0 {
		req.Output = a.outputTokens
	}
	asked := req.OnReceive
	req.OnReceive = func(bytes int, counted protocol.Usage) {
		a.received(bytes, counted)
		if asked != nil {
			asked(bytes, counted)
		}
	}
	return a, nil
}

// countText counts what is said on its way.
func (a *attempt) countText(delta func(supervisor.ModelDelta)) func(supervisor.ModelDelta) {
	if a == nil {
		return delta
	}
	return func(d supervisor.ModelDelta) {
		a.textBytes += int64(len(d.Text))
		delta(d)
	}
}

// complete completes what an answer counted: where its provider did not say, it is taken for what it may have been.
func (a *attempt) completeUsage(u protocol.Usage) protocol.Usage {
	if a == nil || a.maxCost == 0 {
		return u
	}
	if u.Input == 0 {
		u.Input = a.inputTokens
	}
	if u.Output == 0 {
		u.Output = min(max(a.receivedBytes, a.textBytes), a.outputTokens)
	}
	return u
}

// brokenUsage is what an answer has counted that broke off: what had come by then was paid for, whether it was counted or not.
// A token is a byte long at least. It is never more than what was set aside, unless the provider itself counted more.
func (a *attempt) brokenUsage(u protocol.Usage) protocol.Usage {
	u = a.completeUsage(u)
	if a.maxCost > 0 {
		u.Output = max(u.Output, min(max(a.receivedBytes, a.textBytes), a.outputTokens))
	}
	return u
}

// failedUsage is what an attempt that ended with err has counted, and its lease, which is left to who watches. What certainly cost
// nothing is given back.
func (c *call) failedUsage(ctx context.Context, a *attempt, err error) (lease int64, used protocol.Usage) {
	failed := new(supervisor.ModelError)
	is := errors.As(err, &failed)
	if is {
		used = failed.Usage
	}
	if a == nil {
		return 0, used
	}
	if used == (protocol.Usage{}) {
		used = a.counted
	}
	silent := !a.sent && a.textBytes == 0
	switch {
	case used == (protocol.Usage{}) && (silent || is && failed.Free):
		c.giveBack(ctx, a)
		return 0, used
	case is && policies[failed.Class].complete:
		return a.lease, a.completeUsage(used)
	}
	return a.lease, a.brokenUsage(used)
}

// failAttempt is the error of an attempt that failed, with what it counted. Of one that was stopped, which is no failure of the
// model's, who watches is told here.
func (c *call) failAttempt(ctx context.Context, m Choice, a *attempt, err error) error {
	lease, used := c.failedUsage(ctx, a, err)
	failed := new(supervisor.ModelError)
	if ctx.Err() == nil && errors.As(err, &failed) {
		c.failedLease = lease
		with := *failed
		with.Usage = used
		return &with
	}
	if a != nil && (lease != 0 || used != protocol.Usage{}) {
		tell(ctx, Failure{Spec: m.Spec, Class: supervisor.ModelStopped, Usage: used, Lease: lease, Last: true})
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// settle gives an answer its lease, and completes what it counted.
func (c *call) settle(m Choice, a *attempt, answer *supervisor.ModelAnswer) {
	if a == nil {
		return
	}
	answer.Lease, answer.Usage = a.lease, a.completeUsage(answer.Usage)
	if cost, known := c.Cost(m.Spec, answer.Usage, c.req.Cache); known && cost > a.maxCost {
		c.log.Warn("a call cost more than was set aside for it", "model", m.Spec, "cost", cost, "reserved", a.maxCost,
			"request", answer.Request)
	}
}

// giveBack returns what was set aside for an attempt that cost nothing.
func (c *call) giveBack(ctx context.Context, a *attempt) {
	if a != nil && a.lease != 0 {
		c.req.Reserver.Return(context.WithoutCancel(ctx), a.lease)
	}
}

// preferSmall puts the small model before those that are yet to be asked, where there was no money for another: unless it was
// asked itself, or is left alone, or the person's words must not go to it.
func (c *call) preferSmall(ask, left []Choice) []Choice {
	small := c.small
	asked := slices.ContainsFunc(c.failed, func(f failure) bool { return f.choice.same(small) })
	if asked || slices.ContainsFunc(left, small.same) || !c.mayReplace(c.candidates[0], small) {
		return ask
	}
	return append([]Choice{small}, slices.DeleteFunc(slices.Clone(ask), small.same)...)
}

// onlyCheaper leaves those of list that cost less than a model for which there was no money. What a model has counted is no
// inputBound for another: they are compared by the bytes of the request.
func (c *call) onlyCheaper(list []Choice, than Choice) []Choice {
	if c.req.Reserver == nil {
		return list
	}
	req := c.req
	req.Measured = supervisor.Measured{}
	dear := c.costBound(than, req)
	return slices.DeleteFunc(slices.Clone(list), func(m Choice) bool {
		b := c.costBound(m, req)
		return !b.priced || dear.priced && b.maxCost >= dear.maxCost
	})
}
