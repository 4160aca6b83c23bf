package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
)

func TestItIsRepeatedUntilItIsDoneOrRefused(t *testing.T) {
	full := errors.New("the disk is full")
	gone := &supervisor.Error{Code: supervisor.CodeNotFound, Message: "gone"}
	for name, c := range map[string]struct {
		fails int
		last  error
	}{"done": {5, nil}, "refused": {5, gone}, "at once": {0, nil}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls, told := 0, time.Duration(0)
				err := retry.Do(t.Context(), retry.Longest, func() error {
					if calls++; calls <= c.fails {
						return full
					}
					return c.last
				}, retry.Refused, func(err error, wait time.Duration) {
					if !errors.Is(err, full) || wait < told {
						t.Errorf("told of %v, again in %v after %v", err, wait, told)
					}
					told = wait
				})
				if !errors.Is(err, c.last) || calls != c.fails+1 {
					t.Errorf("%v after %d calls", err, calls)
				}
			})
		})
	}
}

func TestItEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := retry.Do(
			ctx,
			retry.Longest,
			func() error { return errors.New("no") },
			retry.Refused,
			func(error, time.Duration) {},
		)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// TestWhatNobodyWaitsForIsRepeatedRarely: a full disk is not written to every few seconds for days.
func TestWhatNobodyWaitsForIsRepeatedRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		times := 0
		err := retry.Do(
			ctx,
			10*time.Minute,
			func() error { times++; return errors.New("full") },
			retry.Refused,
			func(error, time.Duration) {},
		)
		if !errors.Is(err, context.DeadlineExceeded) || times > 24*60/8+20 {
			t.Errorf("%v after %d times", err, times)
		}
	})
}
