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

func TestUntilDone_Failure_RepeatsUntilRefused(t *testing.T) {
	full := errors.New("the disk is full")
	gone := &supervisor.Error{Code: supervisor.CodeNotFound, Message: "gone"}
	for name, c := range map[string]struct {
		fails int
		last  error
	}{"done": {5, nil}, "refused": {5, gone}, "at once": {0, nil}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls, told := 0, time.Duration(0)
				err := retry.UntilDone(t.Context(), retry.PausesUpTo(retry.MaxPause), func() error {
					if calls++; calls <= c.fails {
						return full
					}
					return c.last
				}, retry.IsRefused, func(err error, wait time.Duration) {
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

func TestUntilDone_ContextEnds_Stops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := retry.UntilDone(
			ctx,
			retry.PausesUpTo(retry.MaxPause),
			func() error { return errors.New("no") },
			retry.IsRefused,
			func(error, time.Duration) {},
		)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// If the disk is full for days, writes are tried only rarely.
func TestUntilDone_LongFailure_TriesRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		times := 0
		err := retry.UntilDone(
			ctx,
			retry.PausesUpTo(10*time.Minute),
			func() error { times++; return errors.New("full") },
			retry.IsRefused,
			func(error, time.Duration) {},
		)
		if !errors.Is(err, context.DeadlineExceeded) || times > 24*60/8+20 {
			t.Errorf("%v after %d times", err, times)
		}
	})
}

func TestPauses_Next_DoublesUpToMaximum(t *testing.T) {
	p := retry.Pauses{First: time.Second, Longest: 5 * time.Second}
	for range 2 {
		for i, want := range []time.Duration{
			time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second,
		} {
			if got := p.Next(); got != want {
				t.Errorf("pause %d: got %v, want %v", i, got, want)
			}
		}
		p.Reset()
	}
}

func TestUntilDone_RetryAfter_WaitsThatLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		err := retry.UntilDone(t.Context(), retry.PausesUpTo(retry.MaxPause), func() error {
			if tries++; tries > 1 {
				return nil
			}
			return &supervisor.SendError{RetryAfter: 7 * time.Second, Err: errors.New("too much")}
		}, retry.IsRefused, func(_ error, wait time.Duration) {
			if wait != 7*time.Second {
				t.Errorf("it waits %v", wait)
			}
		})
		if err != nil || tries != 2 {
			t.Errorf("%v after %d tries", err, tries)
		}
	})
}

func TestSleepOrWake_Woken_EndsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		woken, began := make(chan struct{}, 1), time.Now()
		woken <- struct{}{}
		if !retry.SleepOrWake(t.Context(), time.Hour, woken) || time.Since(began) != 0 {
			t.Errorf("it waited %v", time.Since(began))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if retry.Sleep(ctx, 0) {
			t.Error("ctx has ended, and it says that it waited")
		}
	})
}
