package model

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mews/protocol"
	"mews/supervisor"
)

// Failure is one call of a model that failed, as it is told to whoever watches.
type Failure struct {
	Spec    string
	Class   supervisor.ModelClass
	Request string         // the provider's own name of the call
	Usage   protocol.Usage // what it counted all the same; it is in no answer's usage
	Lease   int64          // what was set aside for it, which is to be kept with its usage; 0 where nothing was
	Again   time.Duration  // after which the same model is tried again
	Last    bool           // it is not
}

type watcherKey struct{}

// WithFailures has told called with each failed call of a model within a Stream under ctx, as it happens and from
// Stream's goroutine: also with those that the fallback makes good and, where the request has a Reserver, with one that ctx's
// end has stopped. Who gives a request a Reserver watches, and ends each Failure's Lease.
func WithFailures(ctx context.Context, told func(Failure)) context.Context {
	return context.WithValue(ctx, watcherKey{}, told)
}

// note tells the log and the watcher of a failed call. What providers say may repeat a person's words.
func (c *call) note(ctx context.Context, m Choice, err *supervisor.ModelError, wait time.Duration, again bool) {
	c.log.Info("model failed", "model", m.Spec, "class", err.Class, "request", err.Request, "again", again, "wait", wait)
	c.log.Debug("model failed", "model", m.Spec, "error", err)
	if err.Class != supervisor.ModelBudget { // where none was called
		tell(ctx, Failure{Spec: m.Spec, Class: err.Class, Request: err.Request, Usage: err.Usage, Lease: c.failedLease, Again: wait,
			Last: !again})
	}
}

func tell(ctx context.Context, f Failure) {
	if told, ok := ctx.Value(watcherKey{}).(func(Failure)); ok {
		told(f)
	}
}

// isBudget says whether there was no money for a model.
func isBudget(err error) bool {
	failed := new(supervisor.ModelError)
	return errors.As(err, &failed) && failed.Class == supervisor.ModelBudget
}

// reason is why a model does not answer this call: what it failed with, or what it is left alone for.
func (c *call) reason(m Choice) string {
	class := c.breakers.class(m.Spec)
	for _, f := range c.failed {
		if f.choice.same(m) {
			class = f.err.Class
		}
	}
	if p, known := policies[class]; known {
		return p.reason
	}
	return "did not answer"
}

// allFailed is the chosen model's error, with what became of the others in its words: but not that there was no money for
// them, where there was none for it.
func (c *call) allFailed() error {
	first := *c.failed[0].err
	for _, f := range c.failed {
		if f.choice.same(c.candidates[0]) {
			first = *f.err
		}
	}
	words := *first.Err
	for _, f := range c.failed {
		if f.choice.same(c.candidates[0]) || f.err.Class == supervisor.ModelBudget && first.Class == supervisor.ModelBudget {
			continue
		}
		words.Message += fmt.Sprintf(" And the fallback %s: %s", f.choice.Spec, f.err.Err.Message)
		words.Err = errors.Join(words.Err, fmt.Errorf("fallback %s: %w", f.choice.Spec, f.err))
	}
	first.Err = &words
	return &first
}
