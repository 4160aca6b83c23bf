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

// payment is the money set aside for one attempt. The zero value means that nobody pays.
type payment struct {
	lease supervisor.Lease
	// the output limit in tokens, if the money does not cover a longer answer; 0 means no such
	// limit
	output int64
}

// attempt makes one call of a provider: it sets money aside, waits for a free slot, calls and
// settles. Its error is a *modelcall.Error or ctx's cause. If an error comes with an answer, the
// caller must still end that answer's Lease.
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

// reserve sets aside what an attempt can cost, and limits req's output to that amount. Thinking
// counts as output. If the limit is too low for the wanted thinking, reserve lowers the thinking or
// turns it off.
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

// lessThinking maps each level of thinking to the next lower one.
var lessThinking = map[modelcall.Thinking]modelcall.Thinking{
	modelcall.ThinkingHigh: modelcall.ThinkingMedium, modelcall.ThinkingMedium: modelcall.ThinkingLow,
	modelcall.ThinkingLow: modelcall.ThinkingOff,
}

// cutForMoney turns a NoRoom error into an answer if only the lack of money cut it. The caller can
// then ask for a shorter answer. cutForMoney reports whether it did so.
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

// giveBack returns the money set aside for an attempt that cost nothing.
func (c *call) giveBack(ctx context.Context, paid payment) {
	if paid.lease.ID != 0 {
		c.req.Reserver.ReturnLease(context.WithoutCancel(ctx), paid.lease.ID)
	}
}

// settleFailed returns the error of a failed attempt with its usage and its lease. If the attempt
// certainly cost nothing, the lease is returned. If the attempt was stopped, settleFailed also
// reports the attempt, because a stop is no failure of the model.
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
	case failed != nil && policies[failed.Class].countIsComplete:
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

// settle adds the lease to an answer and completes its usage.
func (c *call) settle(m Choice, paid payment, answer *modelcall.Answer) {
	answer.Lease, answer.Usage = paid.lease.ID, c.estimatedUsage(m, answer.Usage, answer.Received, false)
	if cost, known := c.Cost(m.Spec, answer.Usage, c.req.Cache); known && paid.lease.ID != 0 && cost > paid.lease.Amount {
		c.log.Warn("a call cost more than was set aside for it", "model", m.Spec, "cost", cost, "reserved", paid.lease.Amount,
			"request", answer.Request)
	}
}

// preferSmallModel moves the small model to the front of ask if the money does not cover another
// model. The small model stays in its position if it was asked already, if its breaker is open, or
// if it may not get the user's words.
func (c *call) preferSmallModel(ask, left []Choice) []Choice {
	small := c.small
	asked := slices.ContainsFunc(c.failed, func(f failedModel) bool { return f.choice.same(small) })
	if asked || slices.ContainsFunc(left, small.same) || !c.mayReplace(c.candidates[0], small) {
		return ask
	}
	return append([]Choice{small}, slices.DeleteFunc(slices.Clone(ask), small.same)...)
}

// onlyCheaper returns the models of list that cost less than than, which was too expensive. It
// compares prices for the shortest answer, by the bytes of the request. The tokens that one model
// counted say nothing about another model.
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
