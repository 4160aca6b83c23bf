// Package retry repeats failed work, such as a write to a full disk, until it succeeds.
package retry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

// MaxPause is the longest pause between two tries of work that somebody waits for.
const MaxPause = 10 * time.Second

// Pauses are the pauses between failing tries. Each is twice as long as the last. One goroutine may
// use them.
type Pauses struct {
	First, Longest time.Duration
	Jitter         float64 // largest random part by which a pause is longer or shorter; 0.1 means 10 %

	series backoff.ExponentialBackOff
}

// Next returns the next pause.
func (p *Pauses) Next() time.Duration {
	p.series.InitialInterval, p.series.MaxInterval = p.First, p.Longest
	p.series.Multiplier, p.series.RandomizationFactor = 2, p.Jitter
	return p.series.NextBackOff()
}

// Reset starts again with the first pause.
func (p *Pauses) Reset() { p.series = backoff.ExponentialBackOff{} }

// PausesUpTo returns the pauses for writes to a store. The first is 100 ms, and no pause exceeds
// longest.
func PausesUpTo(longest time.Duration) Pauses {
	return Pauses{First: 100 * time.Millisecond, Longest: longest, Jitter: 0.2}
}

// UntilDone repeats the function do until do succeeds, its error is final, or ctx ends. Between the
// tries it pauses. If a channel says how long to wait, the pause is exactly that long. The function
// failed is called with each error that is not final, and with the following pause. UntilDone
// returns the final error, or the cause of ctx's end.
func UntilDone(
	ctx context.Context,
	pauses Pauses,
	do func() error,
	final func(error) bool,
	failed func(err error, wait time.Duration),
) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := do()
		told := new(supervisor.SendError)
		switch {
		case err == nil:
		case final(err):
			err = backoff.Permanent(err)
		case errors.As(err, &told) && told.RetryAfter > 0:
			err = fmt.Errorf("%w (%w)", err, &backoff.RetryAfterError{Duration: told.RetryAfter})
		}
		return struct{}{}, err
	}, backoff.WithBackOff(pauseSeries{&pauses}), backoff.WithMaxElapsedTime(0), backoff.WithNotify(failed))
	return err
}

// pauseSeries implements backoff.BackOff.
type pauseSeries struct{ *Pauses }

func (s pauseSeries) NextBackOff() time.Duration { return s.Next() }

// StoreUntilDone repeats a write until it succeeds, the store refuses it, or ctx ends. It logs
// errors and returns the result. ok is false if the write did not succeed.
func StoreUntilDone[T any](ctx context.Context, log hclog.Logger, what string, do func() (T, error)) (value T,
	ok bool) {
	err := UntilDone(ctx, PausesUpTo(MaxPause), func() (err error) {
		value, err = do()
		return err
	}, IsRefused, func(err error, wait time.Duration) { log.Error(what, "error", err, "again_in", wait) })
	if err != nil && ctx.Err() == nil {
		log.Error(what+": refused", "error", err)
	}
	return value, err == nil
}

// Sleep waits for the time d. It returns false if ctx has ended.
func Sleep(ctx context.Context, d time.Duration) bool { return SleepOrWake(ctx, d, nil) }

// SleepOrWake waits for the time d, or until the channel woken gets a value. It returns false if
// ctx has ended.
func SleepOrWake(ctx context.Context, d time.Duration, woken <-chan struct{}) bool {
	select {
	case <-woken:
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// IsRefused reports whether a store would refuse the same request again. Such a request is invalid,
// or names a row that does not exist.
func IsRefused(err error) bool {
	code := supervisor.ErrorCodeOf(err)
	return code == supervisor.CodeInvalid || code == supervisor.CodeNotFound
}
