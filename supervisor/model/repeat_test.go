package model

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// TestCutAnswer_IsRequestedAgainOnce lets a model without fallback break off its answers after some
// text. Each attempt has a lease of its own.
func TestCutAnswer_IsRequestedAgainOnce(t *testing.T) {
	const whole = 1_000_000 // enough money for any answer, in millionths of a dollar
	short, long := "half an answer", strings.Repeat("x", maxRepeated+1)
	const cut, broken, busy = modelcall.StreamCut, modelcall.ServerError, modelcall.Overloaded
	for name, k := range map[string]struct {
		classes []modelcall.ErrorClass // classes of the calls' failures; "" means a whole answer
		text    string
		money   int64
		want    modelcall.ErrorClass
		calls   int
	}{
		"cut, then whole":           {[]modelcall.ErrorClass{cut, ""}, short, whole, "", 2},
		"stalled, then whole":       {[]modelcall.ErrorClass{modelcall.StreamStalled, ""}, short, whole, "", 2},
		"an error, then whole":      {[]modelcall.ErrorClass{broken, ""}, short, whole, "", 2},
		"malformed, then whole":     {[]modelcall.ErrorClass{modelcall.MalformedAnswer, ""}, short, whole, "", 2},
		"overloaded, cut, whole":    {[]modelcall.ErrorClass{busy, busy, cut, ""}, short, whole, "", 4},
		"cut, then overloaded":      {[]modelcall.ErrorClass{cut, busy, ""}, short, whole, busy, 2},
		"cut twice":                 {[]modelcall.ErrorClass{cut, cut, ""}, short, whole, cut, 2},
		"an error twice":            {[]modelcall.ErrorClass{broken, broken, ""}, short, whole, broken, 2},
		"cut at 1,000 tokens":       {[]modelcall.ErrorClass{cut, ""}, long[1:], whole, "", 2},
		"cut after 1,000 tokens":    {[]modelcall.ErrorClass{cut, ""}, long, whole, cut, 1},
		"broken after 1,000 tokens": {[]modelcall.ErrorClass{broken, ""}, long, whole, broken, 1},
		"cut, and the pot is short": {[]modelcall.ErrorClass{cut, ""}, short, defaultOutput + 1_200, cut, 1},
		"cut before the first word": {[]modelcall.ErrorClass{cut, ""}, "", whole, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &scriptedProvider{play: func(_ context.Context, n int, say func(string)) (modelcall.Answer,
					error) {
					class := k.classes[n-1]
					if class == "" {
						return said("whole", say), nil
					}
					if k.text == "" || class == modelcall.Overloaded {
						return modelcall.Answer{Sent: true}, failed(class)
					}
					say(k.text)
					return modelcall.Answer{Sent: true, Received: int64(len(k.text))}, failed(class)
				}}
				c := withPrices(catalogueOf(t, m), map[string]float64{"a/m": 1})
				r, h, leases := newFakeReserver(k.money), new(receivedText), map[int64]bool{}
				req := modelcall.Request{Messages: []protocol.Message{protocol.NewUserMessage("hi")}, Reserver: r}
				req.OnFailure = func(f modelcall.FailedAttempt) {
					leases[f.Lease] = true
					r.settle(f.Lease, f.Usage.Input+f.Usage.Output)
				}
				answer, err := c.Stream(t.Context(), "", req, h.add)
				if k.want != "" {
					wantClass(t, err, k.want)
				} else if err != nil || h.text != "whole" || leases[answer.Lease] {
					t.Errorf("%q, %v; the answer has a lease of a failure: %t", h.text, err, leases[answer.Lease])
				}
				if m.count() != k.calls {
					t.Errorf("%d calls, want %d", m.count(), k.calls)
				}
			})
		})
	}
}
