package model

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/modelcall"
)

func TestRetry_FollowsPolicy(t *testing.T) {
	for name, c := range map[string]struct {
		failed modelcall.Error
		tries  int
		least  time.Duration
	}{
		"too many":                 {modelcall.Error{Class: modelcall.RateLimited, RetryAfter: 20 * time.Second}, 3, 40 * time.Second},
		"too many for a long time": {modelcall.Error{Class: modelcall.RateLimited, RetryAfter: time.Hour}, 1, 0},
		"trouble":                  {modelcall.Error{Class: modelcall.ServerError}, 6, 15 * time.Second},
		"a wrong key":              {modelcall.Error{Class: modelcall.AuthFailed}, 1, 0},
		"no money":                 {modelcall.Error{Class: modelcall.OverBudget}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.failed.Err = &supervisor.Error{Message: "no"}
				tries, begun := 0, time.Now()
				err := RetryCall(t.Context(), func() error { tries++; return &c.failed })
				if waited := time.Since(begun); !errors.Is(err, &c.failed) || tries != c.tries || waited < c.least || waited > maxWait+maxWait/4 {
					t.Errorf("%d tries in %s, %v", tries, waited, err)
				}
			})
		})
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	err := RetryCall(ctx, func() error {
		cancel(stopped)
		return &modelcall.Error{Class: modelcall.ServerError, Err: &supervisor.Error{}}
	})
	if !errors.Is(err, stopped) {
		t.Errorf("stopped: %v", err)
	}
	tries := 0
	if err := RetryCall(t.Context(), func() error { tries++; return nil }); err != nil || tries != 1 {
		t.Errorf("%d tries, %v", tries, err)
	}
}

func TestCost_Recording_IsPricedBySecond(t *testing.T) {
	c := sellers(t, nil)
	for spec, want := range map[string]int64{"gpt/whisper-1": 6000, "gpt/gpt-4o-transcribe": 6000, "gpt/gpt-4o-mini-transcribe-2025-03-20": 3000} {
		if got, known := c.Cost(spec, protocol.Usage{Input: 60}, 0); !known || got != want {
			t.Errorf("%s: %d, %t", spec, got, known)
		}
	}
	if _, err := c.Transcribe(t.Context(), "offline",
		modelcall.Recording{}); supervisor.ErrorCodeOf(err) != supervisor.CodeInvalid {
		t.Errorf("a model that can't: %v", err)
	}
}
