// Package retry repeats what must not be lost because something is not available for a while.
package retry

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

// Longest is what is waited at most for something that somebody waits for.
const Longest = 10 * time.Second

// Do repeats do until it succeeds, its error is final, or ctx ends. It waits 100 ms first, then
// twice as long each time, up to longest. failed is called with each error that is not final, and
// with the wait that follows. Do returns the final error, or ctx's.
func Do(
	ctx context.Context,
	longest time.Duration,
	do func() error,
	final func(error) bool,
	failed func(err error, wait time.Duration),
) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := do()
		if err != nil && final(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(&backoff.ExponentialBackOff{
		InitialInterval: 100 * time.Millisecond, Multiplier: 2, RandomizationFactor: 0.2, MaxInterval: longest,
	}), backoff.WithMaxElapsedTime(0), backoff.WithNotify(failed))
	return err
}

// Persist repeats what a store has to do, because it would be lost otherwise, until it is done or
// ctx ends, and gives what came of it. What the store refuses is not repeated. Errors are logged;
// it is not ok after the last one.
func Persist[T any](ctx context.Context, log hclog.Logger, what string, do func() (T, error)) (value T, ok bool) {
	err := Do(ctx, Longest, func() (err error) {
		value, err = do()
		return err
	}, Refused, func(err error, wait time.Duration) { log.Error(what, "error", err, "again_in", wait) })
	if err != nil && ctx.Err() == nil {
		log.Error(what+": refused", "error", err)
	}
	return value, err == nil
}

// Wait waits for d. It is false where ctx ends first.
func Wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// Refused says that a store will refuse the same again: what was sent cannot be right, or names
// what is not there.
func Refused(err error) bool {
	code := supervisor.ErrorCode(err)
	return code == supervisor.CodeInvalid || code == supervisor.CodeNotFound
}
