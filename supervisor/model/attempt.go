package model

import (
	"context"
	"slices"

	"mews/protocol"
	"mews/supervisor"
)

// payment is what was set aside for one attempt. The zero value is that of an attempt for which nobody pays.
type payment struct {
	costBound
	lease int64 // 0 where nothing had to be set aside
}

// attempt is one call of a provider, which is paid for first and has its turn then. Its error is a
// *supervisor.ModelError, or ctx's cause; beside it the answer has the Lease that is still to be ended.
func (c *call) attempt(ctx context.Context, m Choice) (answer supervisor.ModelAnswer, err error) {
	c.deltas.restart()
	req := c.req
	req.Model = m.Model
	paid, err := c.reserve(ctx, m, &req)
	if err != nil {
		return answer, err
	}
	place, err := c.queue.Acquire(ctx, req.User)
	if err != nil {
		c.giveBack(ctx, paid)
		return answer, err
	}
	c.payloads.request(m.Spec, req)
	answer, err = m.Provider.Stream(ctx, req, c.deltas.send)
	place.Release()
	c.payloads.answer(m.Spec, answer, err)
	answer.Received = max(answer.Received, c.deltas.sent)
	if err != nil {
		return c.settleFailed(ctx, m, paid, answer, err)
	}
	c.settle(m, paid, &answer)
	answer.Spec = m.Spec
	if first := c.candidates[0]; !m.same(first) {
		answer.Replaced = &supervisor.ReplacedModel{Spec: first.Spec, Reason: c.reason(first)}
	}
	return answer, nil
}

// reserve sets aside what an attempt can cost, and has req held to that.
func (c *call) reserve(ctx context.Context, m Choice, req *supervisor.ModelRequest) (paid payment, err error) {
	if req.Reserver == nil {
		return paid, nil
	}
	paid.costBound = c.costBound(m, *req)
	if paid.maxCost > 0 {
		req.Output = paid.outputTokens
	}
	paid.lease, err = req.Reserver.Reserve(ctx, supervisor.Estimate{Spec: m.Spec, Worst: paid.maxCost, Priced: paid.priced})
	return paid, err
}

// giveBack returns what was set aside for an attempt that cost nothing.
func (c *call) giveBack(ctx context.Context, paid payment) {
	if paid.lease != 0 {
		c.req.Reserver.Return(context.WithoutCancel(ctx), paid.lease)
	}
}

// completeUsage is what an answer counted. What its provider did not say is taken for what it may have been.
func (p payment) completeUsage(u protocol.Usage, received int64) protocol.Usage {
	if p.maxCost > 0 && u.Input == 0 {
		u.Input = p.inputTokens
	}
	if p.maxCost > 0 && u.Output == 0 {
		u.Output = min(received, p.outputTokens)
	}
	return u
}

// brokenUsage is what an answer has counted that broke off: what had come by then was paid for, whether it was counted or
// not. A token is a byte long at least. It is never more than what was set aside, unless the provider itself counted more.
func (p payment) brokenUsage(u protocol.Usage, received int64) protocol.Usage {
	u = p.completeUsage(u, received)
	if p.maxCost > 0 {
		u.Output = max(u.Output, min(received, p.outputTokens))
	}
	return u
}

// settleFailed is the error of an attempt that failed, with what it counted, and its lease. What certainly cost nothing is
// given back. An attempt that was stopped is no failure of the model's: it is reported here.
func (c *call) settleFailed(ctx context.Context, m Choice, paid payment, got supervisor.ModelAnswer,
	err error) (answer supervisor.ModelAnswer, _ error) {
	failed, used := modelError(err), got.Usage
	if failed != nil && failed.Usage != (protocol.Usage{}) {
		used = failed.Usage
	}
	unpaid := used == protocol.Usage{} && (!got.Sent && got.Received == 0 || failed != nil && failed.Free)
	switch {
	case unpaid:
		c.giveBack(ctx, paid)
		paid.lease = 0
	case failed != nil && policies[failed.Class].complete:
		used = paid.completeUsage(used, got.Received)
	default:
		used = paid.brokenUsage(used, got.Received)
	}
	if ctx.Err() == nil && failed != nil {
		with := *failed
		with.Usage, answer.Lease = used, paid.lease
		return answer, &with
	}
	if c.req.Reserver != nil && !unpaid {
		c.onFailure(supervisor.ModelFailure{Spec: m.Spec, Class: supervisor.ModelStopped, Usage: used, Lease: paid.lease, Last: true})
	}
	if ctx.Err() != nil {
		return answer, context.Cause(ctx)
	}
	return answer, err
}

// settle gives an answer its lease, and completes what it counted.
func (c *call) settle(m Choice, paid payment, answer *supervisor.ModelAnswer) {
	answer.Lease, answer.Usage = paid.lease, paid.completeUsage(answer.Usage, answer.Received)
	if cost, known := c.Cost(m.Spec, answer.Usage, c.req.Cache); known && c.req.Reserver != nil && cost > paid.maxCost {
		c.log.Warn("a call cost more than was set aside for it", "model", m.Spec, "cost", cost, "reserved", paid.maxCost,
			"request", answer.Request)
	}
}

// preferSmall puts the small model before those that are yet to be asked, where there was no money for another: unless it
// was asked itself, or is left alone, or the person's words must not go to it.
func (c *call) preferSmall(ask, left []Choice) []Choice {
	small := c.small
	asked := slices.ContainsFunc(c.failed, func(f failedModel) bool { return f.choice.same(small) })
	if asked || slices.ContainsFunc(left, small.same) || !c.mayReplace(c.candidates[0], small) {
		return ask
	}
	return append([]Choice{small}, slices.DeleteFunc(slices.Clone(ask), small.same)...)
}

// onlyCheaper leaves those of list that cost less than a model for which there was no money. What a model has counted is
// no measure for another: they are compared by the bytes of the request.
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
