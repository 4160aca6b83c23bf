package model

import (
	"context"
	"math/rand/v2"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/modelcall"
)

// transcriber is a provider that transcribes recordings.
type transcriber interface {
	Transcribe(ctx context.Context, model string, r modelcall.Recording) (protocol.TranscribeResult, error)
}

// Transcribe transcribes a recording with the model spec. Seconds is 0 if the provider does not
// tell the length. Errors are for users.
func (c *Catalogue) Transcribe(ctx context.Context, spec string, r modelcall.Recording) (result protocol.TranscribeResult, err error) {
	choice, err := c.Resolve(spec)
	if err != nil {
		return result, err
	}
	t, can := choice.Provider.(transcriber)
	if !can {
		return result, supervisor.Errorf(supervisor.CodeInvalid, textNoTranscription, choice.Spec)
	}
	return t.Transcribe(ctx, choice.Model, r)
}

// RetryCall repeats a failed call as often as its policy allows. It is for calls without a fallback
// model.
func RetryCall(ctx context.Context, call func() error) error {
	var waited time.Duration
	for n := 1; ; n++ {
		err := call()
		failed := modelError(err)
		if failed == nil {
			return err
		}
		wait, again := policies[failed.Class].lonePolicy().retry(n, failed.RetryAfter, waited, 2*rand.Float64()-1)
		if !again {
			return err
		}
		if !retry.Sleep(ctx, wait) {
			return context.Cause(ctx)
		}
		waited += wait
	}
}
