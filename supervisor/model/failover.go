package model

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"mews/supervisor/internal/retry"
	"mews/supervisor/modelcall"
)

// call is the state of one call of Catalogue.Stream. Only the goroutine of Stream uses it.
type call struct {
	*Catalogue
	req        modelcall.Request
	candidates []ResolvedModel // models to ask; the chosen model is the first
	failed     []failedModel
	deltas     deltaRelay
	guess      guess
	sent       modelcall.Request // the newest request of this call to a model
	received   int64             // bytes received in the model's newest attempt; 0 before the first attempt
	endNotice  func()            // ends the notice that a failed model is tried again
}

// failedModel is a model that a call has given up.
type failedModel struct {
	choice ResolvedModel
	err    *modelcall.Error
}

// deltaRelay passes deltas on to the caller. A Restart tells the caller that earlier text is void.
type deltaRelay struct {
	delta func(modelcall.Delta)
	sent  int64  // bytes of text since the last restart
	spoke func() // called before each delta is passed on
}

func (r *deltaRelay) send(d modelcall.Delta) {
	r.spoke()
	if d.Restart {
		r.restart()
		return
	}
	r.sent += int64(len(d.Text))
	r.delta(d)
}

// restart tells the caller that the text sent so far is void. It is called before each attempt.
func (r *deltaRelay) restart() {
	if r.sent > 0 {
		r.sent = 0
		r.delta(modelcall.Delta{Restart: true})
	}
}

// run asks the candidates in order: first those whose breakers allow a call, then the others. If
// the money does not cover a candidate, the small model is next, and then only cheaper models. With
// Request.EndWithMoney the call ends instead. The loop ends with the first answer, or with a
// failure that no other model can avoid.
func (c *call) run(ctx context.Context) (modelcall.Answer, error) {
	ask := c.candidates
	for _, all := range []bool{false, true} {
		var left []ResolvedModel
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
			if modelError(err).Class == modelcall.OverBudget {
				if c.req.EndWithMoney {
					return modelcall.Answer{}, c.allFailed()
				}
				ask, left = c.onlyCheaper(c.preferSmallModel(ask, left), m), c.onlyCheaper(left, m)
			}
		}
		ask = left
	}
	return modelcall.Answer{}, c.allFailed()
}

// ends reports whether a model's error ends the call. The error of a fallback model never ends the
// call, because the user did not choose that model.
func (c *call) ends(ctx context.Context, m ResolvedModel, err error) bool {
	failed := modelError(err)
	return ctx.Err() != nil || failed == nil || m.same(c.candidates[0]) && !policies[failed.Class].fallback
}

// modelError returns the *modelcall.Error in err; nil if it has none.
func modelError(err error) *modelcall.Error {
	var failed *modelcall.Error
	errors.As(err, &failed)
	return failed
}

// maxRepeated is the longest answer in bytes that is asked for again if it breaks off: 1,000
// tokens.
const maxRepeated = 1_000 * tokenBytes

// tryModel calls one model as often as the policy for its failure allows. A probe calls it once if
// there are other candidates. An answer that broke off is asked for again only once. This happens
// only if the answer was short, and the money covers a whole answer. Afterwards tryModel updates
// the model's breaker.
func (c *call) tryModel(ctx context.Context, m ResolvedModel, may permit) (modelcall.Answer, error) {
	once := may == permitProbe && len(c.candidates) > 1
	var waited time.Duration
	var cut *modelcall.Error // the failure of an answer that had begun, and is asked for again
	c.received = 0
	defer func() { c.endNotice() }()
	for n := 1; ; n++ {
		answer, err := c.attempt(ctx, m)
		failed := modelError(err)
		switch {
		case err == nil:
			c.breakers.succeed(m.Spec)
			c.faults.ended(m.Spec)
			return answer, nil
		case failed == nil:
			c.breakers.release(m.Spec)
			return modelcall.Answer{}, err
		case cut != nil && failed.Class == modelcall.OverBudget: // no money is left to ask again
			c.giveUp(m, cut)
			return modelcall.Answer{}, cut
		}
		p, tries := policies[failed.Class], n
		if len(c.failed)+1 >= len(c.candidates) {
			p = p.lonePolicy()
			if c.received > 0 && cut == nil {
				tries = 1 // failures before the answer began do not count
			}
		}
		wait, again := p.retry(tries, failed.RetryAfter, waited, 2*rand.Float64()-1)
		repeated := cut != nil // whether this was a repetition; true even if it failed before its first word
		again = again && !once && !repeated && c.received <= maxRepeated
		if c.received > 0 {
			cut = failed
		}
		if failed.Class == modelcall.RequestTooLong && !repeated && n <= maxShrinks && c.shorten(m, failed,
			c.sent.Tokens) {
			wait, again = 0, true
		}
		c.report(m, failed, answer.Lease, wait, again)
		if !again {
			c.giveUp(m, failed)
			return modelcall.Answer{}, err
		}
		if n == 1 && wait > 0 {
			c.endNotice = c.tellAfter(tryingAfter, fmt.Sprintf(textTrying, m.Spec, p.reason))
		}
		if !retry.Sleep(ctx, wait) {
			c.breakers.release(m.Spec)
			return modelcall.Answer{}, context.Cause(ctx)
		}
		waited += wait
	}
}

// giveUp adds a model to the failed models of this call.
func (c *call) giveUp(m ResolvedModel, err *modelcall.Error) {
	c.failed = append(c.failed, failedModel{m, c.faults.hide(c.req.User, m.Spec, err)})
	switch {
	case err.Class == modelcall.OverBudget: // the model was not called, because money was short
		c.breakers.release(m.Spec)
	case policies[err.Class].opensBreaker:
		c.breakers.fail(m.Spec, time.Now(), err.Class, err.RetryAfter)
	default: // a model that refuses a request can be reached
		c.breakers.succeed(m.Spec)
	}
}

// report writes a failed attempt to the log and passes it to the request's OnFailure. The log
// leaves out the provider's text, which may repeat a user's words.
func (c *call) report(m ResolvedModel, err *modelcall.Error, lease int64, wait time.Duration, again bool) {
	c.log.Info("model failed", "model", m.Spec, "class", err.Class, "request", err.Request, "again", again, "wait", wait)
	c.log.Debug("model failed", "model", m.Spec, "error", err)
	if err.Class != modelcall.OverBudget { // OverBudget means that no call was made
		c.onFailure(modelcall.FailedAttempt{Spec: m.Spec, Class: err.Class, Request: err.Request, Usage: err.Usage,
			Lease: lease,
			Again: wait, Last: !again})
	}
}

func (c *call) onFailure(f modelcall.FailedAttempt) {
	if c.req.OnFailure != nil {
		c.req.OnFailure(f)
	}
}

// reason returns the reason why a model does not answer this call. It is the model's failure, or
// the class of the failure that opened its breaker.
func (c *call) reason(m ResolvedModel) string {
	class := c.breakers.class(m.Spec)
	for _, f := range c.failed {
		if f.choice.same(m) {
			class = f.err.Class
		}
	}
	p, known := policies[class]
	switch {
	case class == modelcall.OverBudget && c.req.Reserver != nil && len(c.priceRows(m)) == 0:
		return textNoPrice
	case !known:
		return textNoAnswer
	case c.faults.hides(c.req.User, class):
		return textNotAvailable
	}
	return p.reason
}

// allFailed returns the chosen model's error. Its message also has the failures of the other
// models. If the chosen model was too expensive, the message does not say so again for other
// models.
func (c *call) allFailed() error {
	first := *c.failed[0].err
	var others []failedModel
	for _, f := range c.failed {
		if f.choice.same(c.candidates[0]) {
			first = *f.err
		} else {
			others = append(others, f)
		}
	}
	words := *first.Err
	for _, f := range others {
		if f.err.Class == modelcall.OverBudget && first.Class == modelcall.OverBudget {
			continue
		}
		words.Message += fmt.Sprintf(textFallback, f.choice.Spec, f.err.Err.Message)
		words.Err = errors.Join(words.Err, fmt.Errorf("fallback %s: %w", f.choice.Spec, f.err))
	}
	first.Err = &words
	return &first
}
