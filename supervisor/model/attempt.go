package model

import (
	"context"
	"fmt"
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/model/anthropic"
	"mews/supervisor/modelcall"
)

// payment is what was set aside for one attempt. Nobody pays for an attempt whose payment is the
// zero value.
type payment struct {
	lease supervisor.Lease
	// tokens that the answer is limited to for want of money for more; 0 where there is enough
	output int64
}

// attempt makes one call of a provider: it sets money aside, waits for a free place, calls and
// settles. Its error is a *modelcall.Error or ctx's cause. Beside an error the answer has the
// Lease that the caller still has to end.
func (c *call) attempt(ctx context.Context, m Choice) (answer modelcall.Answer, err error) {
	c.deltas.restart()
	req := c.req
	req.Model = m.Model
	window := c.fit(ctx, m, &req)
	paid, err := c.reserve(ctx, m, &req)
	if err != nil {
		return answer, err
	}
	c.limitOutput(m, &req, window)
	place, err := c.queue.Acquire(ctx, req.User)
	if err != nil {
		c.giveBack(ctx, paid)
		return answer, err
	}
	c.sent = req
	c.payloads.request(m.Spec, req)
	endSlow := c.tellAfter(slowAfter, fmt.Sprintf(textSlow, m.Spec))
	c.deltas.spoke = func() { endSlow(); c.endNotice() }
	answer, err = m.Provider.Stream(ctx, req, c.deltas.send)
	endSlow()
	place.Release()
	c.payloads.answer(m.Spec, answer, err)
	answer.Received = max(answer.Received, c.deltas.sent)
	if !paid.cutForMoney(&answer, err, req) && err != nil {
		return c.settleFailed(ctx, m, paid, answer, err)
	}
	c.learn(m, req.Tokens, answer.Usage)
	c.settle(m, paid, &answer)
	answer.Spec, answer.Asked = m.Spec, req.Messages
	if first := c.candidates[0]; !m.same(first) {
		answer.Replaced = &modelcall.Replaced{Spec: first.Spec, Reason: c.reason(first)}
	}
	return answer, nil
}

// reserve sets aside what an attempt can cost, and limits req's output to that. Thinking is a part
// of the output: where the limit is too low for it, less of it is asked for, or none.
func (c *call) reserve(ctx context.Context, m Choice, req *modelcall.Request) (paid payment, err error) {
	if req.Reserver == nil {
		return paid, nil
	}
	b := c.costBound(m, *req)
	e := modelcall.Estimate{Spec: m.Spec, MinCost: b.minCost(), MaxCost: b.maxCost(), Priced: b.priced, OnWait: req.OnWait}
	paid.lease, err = req.Reserver.Reserve(ctx, e)
	if err != nil || e.MaxCost <= 0 {
		return paid, err
	}
	req.Output = b.outputTokens
	if paid.lease.ID == 0 || paid.lease.Amount >= e.MaxCost {
		return paid, nil
	}
	req.Output = b.outputFor(paid.lease.Amount)
	paid.output = req.Output
	for level, thinks := lessThinking[req.Thinking]; thinks && anthropic.ThinkingBudget(req.Thinking)+leastOutput > req.Output; {
		req.Thinking = level
		level, thinks = lessThinking[level]
	}
	return paid, nil
}

// lessThinking is the next lower level of each.
var lessThinking = map[modelcall.Thinking]modelcall.Thinking{
	modelcall.ThinkingHigh: modelcall.ThinkingMedium, modelcall.ThinkingMedium: modelcall.ThinkingLow,
	modelcall.ThinkingLow: modelcall.ThinkingOff,
}

// cutForMoney makes an answer of one that had no room to say anything whole, if that is for want of
// money alone: whoever asked can ask for a shorter one. It says whether it is one.
func (p payment) cutForMoney(answer *modelcall.Answer, err error, sent modelcall.Request) bool {
	lowered := p.output > 0 && p.output == sent.Output
	failed := modelError(err)
	if lowered && failed != nil && failed.Class == modelcall.NoRoom {
		answer.Message, answer.Model, answer.Stop = protocol.Message{Role: protocol.RoleAssistant}, sent.Model, modelcall.StopLength
		err = nil
	}
	answer.CutForMoney = lowered && err == nil && answer.Stop == modelcall.StopLength
	return answer.CutForMoney
}

// giveBack returns what was set aside for an attempt that cost nothing.
func (c *call) giveBack(ctx context.Context, paid payment) {
	if paid.lease.ID != 0 {
		c.req.Reserver.Return(context.WithoutCancel(ctx), paid.lease.ID)
	}
}

// settleFailed returns the error of a failed attempt, with its usage, and its lease. Where the
// attempt certainly cost nothing, the lease is given back. It reports an attempt that was stopped
// itself, which is no failure of the model's.
func (c *call) settleFailed(ctx context.Context, m Choice, paid payment, got modelcall.Answer,
	err error) (answer modelcall.Answer, _ error) {
	failed, used := modelError(err), got.Usage
	if failed != nil && failed.Usage != (protocol.Usage{}) {
		used = failed.Usage
	}
	unpaid := used == protocol.Usage{} && (!got.Sent && got.Received == 0 || failed != nil && failed.Free)
	switch {
	case unpaid:
		c.giveBack(ctx, paid)
		paid.lease = supervisor.Lease{}
	case failed != nil && policies[failed.Class].complete:
		used = c.estimatedUsage(m, used, got.Received, false)
	default:
		used = c.estimatedUsage(m, used, got.Received, true)
	}
	if ctx.Err() == nil && failed != nil {
		with := *failed
		with.Usage, answer.Lease = used, paid.lease.ID
		return answer, &with
	}
	if !unpaid {
		c.onFailure(modelcall.Failure{Spec: m.Spec, Class: modelcall.Stopped, Usage: used, Lease: paid.lease.ID, Last: true})
	}
	if ctx.Err() != nil {
		return answer, context.Cause(ctx)
	}
	return answer, err
}

// settle gives an answer its lease, and completes its usage.
func (c *call) settle(m Choice, paid payment, answer *modelcall.Answer) {
	answer.Lease, answer.Usage = paid.lease.ID, c.estimatedUsage(m, answer.Usage, answer.Received, false)
	if cost, known := c.Cost(m.Spec, answer.Usage, c.req.Cache); known && paid.lease.ID != 0 && cost > paid.lease.Amount {
		c.log.Warn("a call cost more than was set aside for it", "model", m.Spec, "cost", cost, "reserved", paid.lease.Amount,
			"request", answer.Request)
	}
}

// preferSmall puts the small model first in ask, after there was no money for another. It does not
// where the small model was asked already, is left alone, or may not get the person's words.
func (c *call) preferSmall(ask, left []Choice) []Choice {
	small := c.small
	asked := slices.ContainsFunc(c.failed, func(f failedModel) bool { return f.choice.same(small) })
	if asked || slices.ContainsFunc(left, small.same) || !c.mayReplace(c.candidates[0], small) {
		return ask
	}
	return append([]Choice{small}, slices.DeleteFunc(slices.Clone(ask), small.same)...)
}

// onlyCheaper returns those of list that cost less than a model for which there was no money, with
// the shortest answer. They are compared by the bytes of the request: the tokens that one model
// counted say nothing of another.
func (c *call) onlyCheaper(list []Choice, than Choice) []Choice {
	if c.req.Reserver == nil {
		return list
	}
	req := c.req
	req.Measured = modelcall.Measured{}
	dear := c.costBound(than, req)
	return slices.DeleteFunc(slices.Clone(list), func(m Choice) bool {
		b := c.costBound(m, req)
		return !b.priced || dear.priced && b.minCost() >= dear.minCost()
	})
}
