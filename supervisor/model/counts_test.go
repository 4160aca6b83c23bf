package model

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// countsInTurn returns a model that reports each usage in turn, and then the last one forever.
func countsInTurn(list ...protocol.Usage) *scriptedProvider {
	return &scriptedProvider{play: func(_ context.Context, n int, say func(string)) (modelcall.Answer, error) {
		answer := said("fine", say)
		answer.Usage = list[min(n, len(list))-1]
		return answer, nil
	}}
}

// countedCatalogue returns a catalogue whose model a/m is on a self-hosted server. told gets the
// texts for the admins.
func countedCatalogue(t *testing.T, p *scriptedProvider, told *[]string) *Catalogue {
	c := withPrices(catalogueOf(t, p), map[string]float64{"a/m": 1})
	c.providers["a"] = provider{Provider: p, kind: "openai", locality: localityNetwork}
	c.HideFaultsFromUsers(func(string) bool { return false }, func(text string) { *told = append(*told, text) })
	return c
}

// A count that is higher than the request has bytes is false, and counts as missing. So the user
// pays an estimate, and never more than the call's lease.
func TestUsage_FalseCount_IsEstimated(t *testing.T) {
	const words = 10_000 // length of the request's text, in bytes
	for name, k := range map[string]struct {
		counted protocol.Usage
		isFalse bool
	}{
		"right":                    {protocol.Usage{Input: 2_600, Output: 2}, false},
		"right, with cache":        {protocol.Usage{Input: 2_600, Output: 2, CacheRead: 2_000}, false},
		"one token a byte":         {protocol.Usage{Input: words, Output: 2}, false},
		"too little":               {protocol.Usage{Input: 10, Output: 2}, false},
		"500 times as many":        {protocol.Usage{Input: 5_000_000, Output: 2}, true},
		"more than the cost knows": {protocol.Usage{Input: 100_000_000_000, Output: 2}, true},
		"cached beside the input":  {protocol.Usage{Input: 500_010, Output: 2, CacheRead: 500_000}, true},
		"written to the cache":     {protocol.Usage{Input: 500_010, Output: 2, CacheWrite: 500_000}, true},
		"long answer":              {protocol.Usage{Input: 2_600, Output: 3_000_000}, true},
		"both":                     {protocol.Usage{Input: 1e15, Output: 1e15}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var told []string
			s := &spender{reserver: newFakeReserver(10_000_000)}
			s.c = countedCatalogue(t, countsInTurn(k.counted), &told)
			for range 3 {
				text := protocol.NewUserMessage(strings.Repeat("a ", words/2))
				req := modelcall.Request{Messages: []protocol.Message{text}, Tokens: words / tokenBytes,
					Reserver: s.reserver, OnFailure: func(modelcall.FailedAttempt) {}}
				answer, err := s.c.Stream(t.Context(), "", req, func(modelcall.Delta) {})
				if err != nil || answer.Usage.Estimated != k.isFalse || !k.isFalse && answer.Usage != k.counted {
					t.Errorf("%+v, %v", answer.Usage, err)
				}
				if u := answer.Usage; k.isFalse && (u.Input < words/8 || u.Input > words || u.Output > 10) {
					t.Errorf("estimated as %+v", u)
				}
				s.settle(answer.Spec, answer.Lease, answer.Usage)
			}
			if s.spent > 3*2*words {
				t.Errorf("spent %d", s.spent)
			}
			if len(told) != map[bool]int{true: 1}[k.isFalse] {
				t.Errorf("the admins were told %q", told)
			}
		})
	}
}

// One wrong count teaches nothing. Two counts in a row that suggest the same window are believed
// for some hours.
func TestContextWindow_OneOddCount_IsIgnored(t *testing.T) {
	const sent = 6_000 // length of each request, in tokens
	full := protocol.Usage{Input: sent}
	for name, k := range map[string]struct {
		counts []int64
		window int64
	}{
		"always right":            {[]int64{sent, sent, sent}, 0},
		"12 once":                 {[]int64{12, sent, sent}, 0},
		"12 always":               {[]int64{12, 12, 12}, 0},
		"2,000 once":              {[]int64{sent, 2_000, sent}, 0},
		"2,000 and 1,100":         {[]int64{2_000, 1_100}, 2048},
		"2,000, right, 2,000":     {[]int64{2_000, sent, 2_000, sent}, 0},
		"two different":           {[]int64{2_000, 2_500, 1_500}, 0},
		"2,048 always":            {[]int64{2_048, 2_048, 2_048}, 2048},
		"2,500 after a right one": {[]int64{sent, 2_500, 2_500}, 4096},
		"half":                    {[]int64{sent / 2, sent / 2}, 0},
		"half, then less":         {[]int64{sent / 2, sent/2 - 1}, 4096},
		"first 4,096, then less":  {[]int64{2_900, 2_900, 1_500, 1_500}, 2048},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told []string
				var list []protocol.Usage
				for _, n := range k.counts {
					list = append(list, protocol.Usage{Input: n})
				}
				c := countedCatalogue(t, countsInTurn(append(list, full)...), &told)
				ask := func() {
					text := protocol.NewUserMessage(strings.Repeat("a ", 2*sent))
					req := modelcall.Request{Messages: []protocol.Message{text}, Tokens: sent}
					if _, err := c.Stream(t.Context(), "", req, func(modelcall.Delta) {}); err != nil {
						t.Fatal(err)
					}
				}
				for range k.counts {
					ask()
				}
				got := c.windows.of("a/m")
				if got.window != k.window || (len(told) > 0) != (k.window > 0) {
					t.Errorf("learnt %+v; the admins were told %q", got, told)
				}
				if got.factor != 0 && (got.factor < minFactor || got.factor > maxFactor) {
					t.Errorf("learnt the factor %v", got.factor)
				}
				time.Sleep(suggestionTTL + time.Second) // moves synctest's clock until the suggestion has ended
				if got := c.windows.of("a/m").window; got != 0 {
					t.Errorf("the window is still %d", got)
				}
			})
		})
	}
}

// After a wrong count, a call without usage is estimated as if there had been no count.
func TestEstimate_AfterTooLowCount_IsUnchanged(t *testing.T) {
	var told []string
	text := protocol.NewUserMessage(strings.Repeat("a ", 8_000))
	c := countedCatalogue(t, countsInTurn(protocol.Usage{Input: 12, Output: 1}, protocol.Usage{}), &told)
	for i, want := range []int64{12, 4_000} {
		req := modelcall.Request{Messages: []protocol.Message{text, protocol.NewUserMessage("hi")}, Tokens: 4_000}
		if i > 0 {
			req.Measured = modelcall.TokenCount{Spec: "a/m", Tokens: 12, New: req.Messages[1:]}
		}
		answer, err := c.Stream(t.Context(), "", req, func(modelcall.Delta) {})
		if err != nil || answer.Usage.Input != want {
			t.Errorf("call %d: %+v, %v; want %d", i, answer.Usage, err, want)
		}
	}
}

// A model without a price is not said to cost too much.
func TestReplacedModel_WithoutPrice_ReasonSaysSo(t *testing.T) {
	c := withPrices(catalogueOf(t, answers("fine"), answers("fine")), map[string]float64{"b/m": 1})
	s := &spender{reserver: newFakeReserver(1_000_000), c: c}
	answer, err := s.ask(t.Context(), "")
	want := modelcall.ReplacedModel{Spec: "a/m", Reason: textNoPrice}
	if err != nil || answer.Replaced == nil || *answer.Replaced != want {
		t.Errorf("%+v, %v", answer.Replaced, err)
	}
}
