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

// payment is the money set aside for one attempt. The zero value means that no money is needed.
type payment struct {
	lease supervisor.Lease
	// the output limit in tokens that the money allows; 0 means that the money covers the longest
	// answer
	output int64
}

// attempt makes one call of a provider. It sets money aside, waits for a free slot, calls the
// provider and accounts for the cost. Its error is a *modelcall.Error or ctx's cause. If it returns
// both an error and an answer, the caller must still end the answer's Lease.
func (c *call) attempt(ctx context.Context, m ResolvedModel) (answer modelcall.Answer, err error) {
	c.deltas.restart()
	req := c.req
	req.Model = m.Model
	window := c.fit(ctx, m, &req)
	paid, err := c.reserve(ctx, m, &req)
	if err != nil {
		return answer, err
	}
	c.limitOutput(m, &req, window)
	slot, err := c.queue.Acquire(ctx, req.User)
	if err != nil {
		c.giveBack(ctx, paid)
		return answer, err
	}
	c.sent = req
	c.payloads.request(m.Spec, req)
	endSlow := c.tellAfter(slowAfter, fmt.Sprintf(textSlow, m.Spec))
	silence := c.watchSilence(fmt.Sprintf(textSilent, m.Spec))
	c.deltas.spoke = func() { endSlow(); c.endNotice(); silence.begin() }
	if req.OnWait != nil {
		req.OnEvent = silence.restart
	}
	answer, err = m.Provider.Stream(ctx, req, c.deltas.send)
	endSlow()
	silence.end()
	slot.Release()
	c.payloads.answer(m.Spec, answer, err)
	answer.Received = max(answer.Received, c.deltas.sent)
	c.received = answer.Received
	if !paid.cutForMoney(&answer, err, req) && err != nil {
		return c.settleFailed(ctx, m, paid, answer, err)
	}
	answer.Usage = c.credibleUsage(m, answer.Usage, answer.Received)
	c.learn(m, req.Tokens, answer.Usage)
	c.settle(m, paid, &answer)
	answer.Spec, answer.Asked = m.Spec, req.Messages
	if first := c.candidates[0]; !m.same(first) {
		answer.Replaced = &modelcall.ReplacedModel{Spec: first.Spec, Reason: c.reason(first)}
	}
	return answer, nil
}

// reserve sets aside the most that an attempt can cost. If money is short, it lowers req's output
// limit. Thinking counts as output. If the limit is too low for the wanted level of thinking,
// reserve lowers the level or turns thinking off.
func (c *call) reserve(ctx context.Context, m ResolvedModel, req *modelcall.Request) (paid payment, err error) {
	if req.Reserver == nil {
		return paid, nil
	}
	b := c.costBound(m, *req)
	e := modelcall.CostEstimate{Spec: m.Spec, MinCost: b.minCost(), MaxCost: b.maxCost(), Priced: b.priced,
		OnWait: req.OnWait, Repeats: c.received > 0}
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
var lessThinking = map[modelcall.ThinkingLevel]modelcall.ThinkingLevel{
	modelcall.ThinkingHigh: modelcall.ThinkingMedium, modelcall.ThinkingMedium: modelcall.ThinkingLow,
	modelcall.ThinkingLow: modelcall.ThinkingOff,
}

// cutForMoney turns a NoRoomForText error into an answer if only the lack of money cut the answer.
// The caller can then ask for a shorter answer. The result reports whether it did so.
func (p payment) cutForMoney(answer *modelcall.Answer, err error, sent modelcall.Request) bool {
	lowered := p.output > 0 && p.output == sent.Output
	failed := modelError(err)
	if lowered && failed != nil && failed.Class == modelcall.LengthLimitBeforeText {
		answer.Message, answer.Model, answer.Stop = protocol.Message{Role: protocol.RoleAssistant}, sent.Model,
			modelcall.StopReasonLength
		err = nil
	}
	answer.CutForMoney = lowered && err == nil && answer.Stop == modelcall.StopReasonLength
	return answer.CutForMoney
}

// giveBack returns the money set aside for an attempt that cost nothing.
func (c *call) giveBack(ctx context.Context, paid payment) {
	if paid.lease.ID != 0 {
		c.req.Reserver.ReturnLease(context.WithoutCancel(ctx), paid.lease.ID)
	}
}

// settleFailed returns a failed attempt's error with its usage and its lease. If the attempt
// certainly cost nothing, the lease is returned. If the caller stopped the attempt, settleFailed
// also reports the attempt, because no other code handles a stop as a failure.
func (c *call) settleFailed(ctx context.Context, m ResolvedModel, paid payment, got modelcall.Answer,
	err error) (answer modelcall.Answer, _ error) {
	failed, used := modelError(err), got.Usage
	if failed != nil && failed.Usage != (protocol.Usage{}) {
		used = failed.Usage
	}
	used = c.credibleUsage(m, used, got.Received)
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
		c.onFailure(modelcall.FailedAttempt{Spec: m.Spec, Class: modelcall.CallStopped, Usage: used,
			Lease: paid.lease.ID,
			Last:  true})
	}
	if ctx.Err() != nil {
		return answer, context.Cause(ctx)
	}
	return answer, err
}

// settle adds the lease to an answer and completes its usage.
func (c *call) settle(m ResolvedModel, paid payment, answer *modelcall.Answer) {
	answer.Lease, answer.Usage = paid.lease.ID, c.estimatedUsage(m, answer.Usage, answer.Received, false)
	if cost, known := c.Cost(m.Spec, answer.Usage, c.req.Cache); known && paid.lease.ID != 0 && cost > paid.lease.Amount {
		c.log.Warn("a call cost more than was set aside for it", "model", m.Spec, "cost", cost, "reserved", paid.lease.Amount,
			"request", answer.Request)
	}
}

// preferSmallModel moves the small model to the front of the models to ask, if another model was
// too expensive. The small model keeps its position if it was already asked, if its breaker is
// open, or if it may not get the user's words.
func (c *call) preferSmallModel(ask, left []ResolvedModel) []ResolvedModel {
	small := c.small
	asked := slices.ContainsFunc(c.failed, func(f failedModel) bool { return f.choice.same(small) })
	if asked || slices.ContainsFunc(left, small.same) || !c.mayReplace(c.candidates[0], small) {
		return ask
	}
	return append([]ResolvedModel{small}, slices.DeleteFunc(slices.Clone(ask), small.same)...)
}

// onlyCheaper returns the models of list that cost less than the model than, which was too
// expensive. It compares the prices of the shortest answer to this request. Input tokens are
// bounded by bytes, because one model's token count says nothing about another model.
func (c *call) onlyCheaper(list []ResolvedModel, than ResolvedModel) []ResolvedModel {
	if c.req.Reserver == nil {
		return list
	}
	req := c.req
	req.Measured = modelcall.TokenCount{}
	dear := c.costBound(than, req)
	return slices.DeleteFunc(slices.Clone(list), func(m ResolvedModel) bool {
		b := c.costBound(m, req)
		return !b.priced || dear.priced && b.minCost() >= dear.minCost()
	})
}
