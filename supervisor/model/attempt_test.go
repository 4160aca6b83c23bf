package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/slots"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
)

// spender calls a catalogue with a Reserver and ends all leases, as real callers do.
type spender struct {
	c        *Catalogue
	reserver *fakeMoneyReserver
	spent    int64
	lost     []modelcall.FailedAttempt
}

func (s *spender) ask(ctx context.Context, spec string) (modelcall.Answer, error) {
	req := modelcall.Request{Messages: []protocol.Message{protocol.NewUserMessage("hi")}, User: "ann",
		OnFailure: func(f modelcall.FailedAttempt) {
			s.lost = append(s.lost, f)
			s.settle(f.Spec, f.Lease, f.Usage)
		}}
	if s.reserver != nil {
		req.Reserver = s.reserver
	}
	answer, err := s.c.Stream(ctx, spec, req, func(modelcall.Delta) {})
	s.settle(answer.Spec, answer.Lease, answer.Usage)
	return answer, err
}

func (s *spender) settle(spec string, lease int64, u protocol.Usage) {
	if lease != 0 {
		cost, _ := s.c.Cost(spec, u, 0)
		s.reserver.settle(lease, cost)
		s.spent += cost
	}
}

// withPrices sets each model's price, in millionths of a dollar per token.
func withPrices(c *Catalogue, times map[string]float64) *Catalogue {
	prices := maps.Clone(*c.prices.Load())
	for spec, n := range times {
		prices[spec] = Price{Input: n, Output: n}
	}
	c.prices.Store(&prices)
	return c
}

// answersWithUsage returns a model that answers and reports the usage u.
func answersWithUsage(u protocol.Usage) *scriptedProvider {
	return &scriptedProvider{play: func(_ context.Context, _ int, say func(string)) (modelcall.Answer, error) {
		answer := said("fine", say)
		answer.Usage = u
		return answer, nil
	}}
}

func TestAttempt_BeforeCall_ReservesMoney(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spender{reserver: newFakeReserver(1_000_000)}
		var first *scriptedProvider
		first = &scriptedProvider{play: func(context.Context, int, func(string)) (modelcall.Answer, error) {
			if s.reserver.last != int64(first.count()) || len(s.reserver.open) != 1 {
				t.Errorf("call %d has lease %d of %v", first.count(), s.reserver.last, s.reserver.open)
			}
			err := failed(modelcall.Overloaded)
			err.Usage = protocol.Usage{Input: 7}
			return modelcall.Answer{}, err
		}}
		s.c = withPrices(catalogueOf(t, first, answersWithUsage(protocol.Usage{Input: 5, Output: 1})),
			map[string]float64{"a/m": 1, "b/m": 2})
		answer, err := s.ask(t.Context(), "")
		if err != nil || answer.Lease != 3 || s.spent != 2*7+2*6 || len(s.reserver.open) != 0 {
			t.Errorf("%+v, %v; spent %d, open %v", answer, err, s.spent, s.reserver.open)
		}
		for _, f := range s.lost {
			if f.Lease == 0 || f.Usage != (protocol.Usage{Input: 7}) {
				t.Errorf("lost %+v", f)
			}
		}
		if bid := s.reserver.bids[2]; bid.Spec != "b/m" || !bid.Priced || bid.MaxCost < 2*defaultOutput ||
			first.asked[0].Output != defaultOutput {
			t.Errorf("bid %+v; held to %d", bid, first.asked[0].Output)
		}
	})
}

// TestAttempt_BrokenOff_CountsReceivedUsage checks the usage of attempts that end in different
// ways. The usage must be the same without a budget.
func TestAttempt_BrokenOff_CountsReceivedUsage(t *testing.T) {
	const input = (perRequest + perMessage + perPart + 2) / tokenBytes
	hears := func(u protocol.Usage, bytes int64) modelcall.Answer {
		return modelcall.Answer{Sent: true, Received: bytes, Usage: u}
	}
	none := modelcall.Answer{}
	type usage = protocol.Usage
	about := func(input, output, cached int64) usage {
		return usage{Input: input, Output: output, CacheRead: cached, Estimated: true}
	}
	cases := map[string]struct {
		// class of the failure; "" means an answer, and stopped means that the caller cancels
		class modelcall.ErrorClass
		heard modelcall.Answer // part of the answer that the provider has received before the failure
		said  string
		count usage
		free  bool
		want  usage
		kept  bool // the attempt's lease must be kept, with its usage
	}{
		"never sent": {class: modelcall.NetworkError, heard: none},
		"sent, and no word came": {modelcall.StreamStalled, hears(usage{}, 0), "", usage{}, false,
			about(input, 0, 0), true},
		"refused": {class: modelcall.AuthFailed, heard: hears(usage{}, 0), free: true},
		"refused, and counted all the same": {modelcall.AuthFailed, hears(usage{}, 0), "", usage{Input: 3,
			Output: 1}, true, usage{Input: 3, Output: 1}, true},
		"cut, counted nothing": {modelcall.StreamCut, hears(usage{}, 30), "0123456789", usage{},
			false, about(input, 8, 0), true},
		"cut, of a provider that tells nothing": {modelcall.StreamCut, none, "0123456789", usage{}, false, about(input,
			3, 0), true},
		"cut, counted the input": {modelcall.StreamCut, hears(usage{Input: 9, Output: 1, CacheRead: 4},
			30), "", usage{Input: 9, Output: 1, CacheRead: 4}, false, about(9, 8, 4), true},
		"cut after more than it may say": {modelcall.StreamCut, hears(usage{}, 1_000_000), "", usage{}, false,
			about(input, defaultOutput, 0), true},
		"ended by itself": {modelcall.ContentFiltered, hears(usage{}, 500), "", usage{Input: 9,
			Output: 4}, false, usage{Input: 9, Output: 4}, true},
		"ended by itself, counted nothing": {modelcall.EmptyAnswer, hears(usage{}, 5), "", usage{}, false,
			about(input, 2, 0), true},
		"stopped before it was sent": {class: modelcall.CallStopped, heard: none},
		"stopped before it said anything": {modelcall.CallStopped, hears(usage{Input: 8, Output: 1}, 0), "",
			usage{}, false, usage{Input: 8, Output: 1}, true},
		"stopped in the middle": {modelcall.CallStopped, hears(usage{Input: 8, Output: 1}, 12), "",
			usage{}, false, about(8, 3, 0), true},
		"stopped in the middle, counted nothing": {modelcall.CallStopped, hears(usage{}, 12), "", usage{}, false,
			about(input, 3, 0), true},
		"answered":                  {"", hears(usage{}, 8), "fine", usage{Input: 2, Output: 1}, false, usage{Input: 2, Output: 1}, true},
		"answered, counted nothing": {"", hears(usage{}, 8), "fine", usage{}, false, about(input, 2, 0), true},
	}
	for name, k := range cases {
		for _, budget := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", budget: ", budget), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, stop := context.WithCancel(t.Context())
					first := new(scriptedProvider)
					first.play = func(ctx context.Context, _ int, say func(string)) (modelcall.Answer, error) {
						if say(k.said); k.class == "" {
							answer := said("", say)
							answer.Usage, answer.Sent, answer.Received = k.count, k.heard.Sent, k.heard.Received
							return answer, nil
						}
						err := failed(k.class)
						err.Usage, err.Free, err.RetryAfter = k.count, k.free, time.Hour
						if k.class == modelcall.CallStopped {
							stop()
							return k.heard, context.Cause(ctx)
						}
						return k.heard, err
					}
					s := &spender{c: withPrices(catalogueOf(t, first), map[string]float64{"a/m": 1})}
					if budget {
						s.reserver = newFakeReserver(1_000_000)
					}
					answer, err := s.ask(ctx, "")
					got, lease := answer.Usage, answer.Lease
					for _, f := range s.lost {
						got, lease = f.Usage, f.Lease
					}
					if k.class == modelcall.CallStopped && err != context.Canceled {
						t.Errorf("ended with %v", err)
					}
					if !budget {
						if k.heard.Received < 1_000_000 && got != k.want || lease != 0 {
							t.Errorf("%+v, want %+v; %v", got, k.want, err)
						}
						return
					}
					if got != k.want || (lease != 0) != k.kept || (s.reserver.returned == 1) == k.kept || len(s.reserver.open) != 0 {
						t.Errorf("%+v of lease %d, want %+v; %v; open %v", got, lease, k.want, err, s.reserver.open)
					}
					if s.spent > s.reserver.bids[0].MaxCost {
						t.Errorf("spent %d of %d", s.spent, s.reserver.bids[0].MaxCost)
					}
				})
			})
		}
	}
}

// TestCall_TooExpensive_CheaperModelAnswers also checks that the user's words go to the cheaper
// model only if it may get them.
func TestCall_TooExpensive_CheaperModelAnswers(t *testing.T) {
	// cost of an attempt if each token costs a millionth of a dollar
	const token = perRequest + perMessage + perPart + 2 + leastOutput
	cases := map[string]struct {
		spec  string
		money int64
		costs map[string]float64 // a model that is not in the map has no price
		want  string             // the model that answers; "" means none
		bids  string
	}{
		"there is":                         {"", 9 * token, map[string]float64{"a/m": 9, "small/m": 2, "b/m": 1}, "a/m", "a/m"},
		"the small one is next":            {"", 3 * token, map[string]float64{"a/m": 9, "small/m": 2, "b/m": 1}, "small/m", "a/m small/m"},
		"and then the fallback":            {"", 1 * token, map[string]float64{"a/m": 9, "small/m": 2, "b/m": 1}, "b/m", "a/m small/m b/m"},
		"what is no cheaper is left out":   {"", 2 * token, map[string]float64{"a/m": 3, "small/m": 3, "b/m": 4, "c/m": 1}, "c/m", "a/m c/m"},
		"and what is no cheaper than that": {"", 0, map[string]float64{"a/m": 9, "small/m": 2, "b/m": 2, "c/m": 3}, "", "a/m small/m"},
		"without a price":                  {"", token, map[string]float64{"a/m": 2, "c/m": 1}, "c/m", "a/m c/m"},
		"the first has none":               {"", token, map[string]float64{"small/m": 2, "c/m": 1}, "c/m", "a/m small/m c/m"},
		"what costs nothing is cheaper":    {"", 0, map[string]float64{"a/m": 9, "small/m": 2, "c/m": 0}, "c/m", "a/m small/m c/m"},
		"another's words stay near":        {"near/m", 2 * token, map[string]float64{"near/m": 9, "small/m": 1, "b/m": 1}, "", "near/m"},
		"nobody":                           {"", 0, map[string]float64{"a/m": 9, "small/m": 2, "b/m": 1, "c/m": 0.5}, "", "a/m small/m b/m c/m"},
	}
	for name, k := range cases {
		t.Run(name, func(t *testing.T) {
			c := catalogueOf(t, answers("fine"), answers("fine"), answers("fine"))
			c.providers["small"] = provider{Provider: answers("fine"), kind: "scripted"}
			c.providers["near"] = provider{Provider: answers("fine"), kind: "scripted", locality: localityNetwork}
			c.small = ResolvedModel{Spec: "small/m", Provider: c.providers["small"].Provider, Model: "m"}
			s := &spender{reserver: newFakeReserver(k.money), c: withPrices(c, k.costs)}
			answer, err := s.ask(t.Context(), k.spec)
			var bids []string
			for _, b := range s.reserver.bids {
				bids = append(bids, b.Spec)
			}
			if answer.Spec != k.want || strings.Join(bids, " ") != k.bids || len(s.lost) != 0 {
				t.Fatalf("%q answered, %v; asked for money for %v; lost %v", answer.Spec, err, bids, s.lost)
			}
			if len(c.breakers.bySpec) != 0 {
				t.Errorf("left alone for want of money: %v", c.breakers.bySpec)
			}
			first, reason := bids[0], textBudget
			if _, priced := k.costs[first]; !priced {
				reason = textNoPrice
			}
			if want := (modelcall.ReplacedModel{Spec: first, Reason: reason}); k.want != "" &&
				k.want != first && (answer.Replaced == nil || *answer.Replaced != want) {
				t.Errorf("it stands in for %+v", answer.Replaced)
			}
			if k.want == "" {
				wantClass(t, err, modelcall.OverBudget)
				if got := problem.UserText(err); got != "There is no money for "+first+"." {
					t.Errorf("told %q", got)
				}
			}
		})
	}
}

// TestEndWithMoney_TooExpensive_CallsNoFallback checks that neither the small model nor a fallback
// replaces a model that the money does not cover.
func TestEndWithMoney_TooExpensive_CallsNoFallback(t *testing.T) {
	const token = perRequest + perMessage + perPart + 2 + leastOutput
	for name, k := range map[string]struct {
		first modelcall.ErrorClass // the failure of the chosen model; "" means that it would answer
		costs map[string]float64
		bids  string
		want  modelcall.ErrorClass
	}{
		"small model and fallback": {"", map[string]float64{"a/m": 9, "small/m": 2, "b/m": 1}, "a/m",
			modelcall.OverBudget},
		"free fallback": {"", map[string]float64{"a/m": 9, "small/m": 9, "b/m": 0}, "a/m",
			modelcall.OverBudget},
		"model without a price": {"", map[string]float64{"small/m": 1, "b/m": 1}, "a/m", modelcall.OverBudget},
		"fallback of a failed model": {modelcall.ModelMissing, map[string]float64{"a/m": 0, "b/m": 9, "c/m": 0},
			"a/m b/m", modelcall.ModelMissing},
	} {
		t.Run(name, func(t *testing.T) {
			first := answers("fine")
			if k.first != "" {
				first = failsWith(k.first)
			}
			c := catalogueOf(t, first, answers("fine"), answers("fine"))
			c.providers["small"] = provider{Provider: answers("fine"), kind: "scripted"}
			c.small = ResolvedModel{Spec: "small/m", Provider: c.providers["small"].Provider, Model: "m"}
			s := &spender{reserver: newFakeReserver(2 * token), c: withPrices(c, k.costs)}
			_, err := s.c.Stream(t.Context(), "",
				modelcall.Request{Messages: []protocol.Message{protocol.NewUserMessage("hi")},
					Reserver: s.reserver, EndWithMoney: true, OnFailure: func(modelcall.FailedAttempt) {}},
				func(modelcall.Delta) {})
			wantClass(t, err, k.want)
			var bids []string
			for _, b := range s.reserver.bids {
				bids = append(bids, b.Spec)
			}
			if got := strings.Join(bids, " "); got != k.bids {
				t.Errorf("asked for money for %q, want %q", got, k.bids)
			}
		})
	}
}

func TestFallback_TooExpensive_ErrorNamesBoth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spender{reserver: newFakeReserver(0), c: withPrices(catalogueOf(t, failsWith(modelcall.ModelMissing),
			answers("fine")),
			map[string]float64{"a/m": 0, "b/m": 1})}
		_, err := s.ask(t.Context(), "")
		wantClass(t, err, modelcall.ModelMissing)
		if got := problem.UserText(err); got != "It failed: missing. And the fallback b/m: There is no money for b/m." {
			t.Errorf("told %q", got)
		}
	})
}

// TestBudgetQuestion_Open_CallsNoOtherModel checks that an open question about money is no failure
// of the model: neither the small model nor a fallback takes its place.
func TestBudgetQuestion_Open_CallsNoOtherModel(t *testing.T) {
	for name, small := range map[string]bool{"fallback": false, "small model": true} {
		t.Run(name, func(t *testing.T) {
			other := answers("fine")
			c := catalogueOf(t, failsWith(modelcall.AuthFailed), other)
			if small {
				c.providers["small"] = provider{Provider: other, kind: "scripted"}
				c.small = ResolvedModel{Spec: "small/m", Provider: other, Model: "m"}
			}
			s := &spender{reserver: newFakeReserver(1_000_000), c: withPrices(c, map[string]float64{"a/m": 9, "b/m": 1,
				"small/m": 1})}
			s.reserver.waits = true
			if _, err := s.ask(t.Context(), ""); err != supervisor.ErrWaitsForAnswer {
				t.Errorf("got %v", err)
			}
			if len(s.reserver.bids) != 1 || other.count() != 0 || len(s.lost) != 0 || len(c.breakers.bySpec) != 0 {
				t.Errorf("asked for money for %v; %d calls of the other model; lost %v; breakers %v", s.reserver.bids,
					other.count(), s.lost,
					c.breakers.bySpec)
			}
		})
	}
}

// TestProbe_WithoutMoney_NextCallMayProbe checks that the next call may probe the model again.
func TestProbe_WithoutMoney_NextCallMayProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := failsWith(modelcall.AuthFailed, "")
		s := &spender{reserver: newFakeReserver(1_000_000), c: withPrices(catalogueOf(t, first), map[string]float64{"a/m": 1})}
		if _, err := s.ask(t.Context(), ""); err == nil {
			t.Fatal("it answered")
		}
		time.Sleep(openMin)
		rich := s.reserver
		s.reserver = newFakeReserver(0)
		if _, err := s.ask(t.Context(), ""); err == nil || s.c.breakers.bySpec["a/m"].state != BreakerOpen {
			t.Fatalf("%v; %+v", err, s.c.breakers.bySpec["a/m"])
		}
		s.reserver = rich
		if answer, err := s.ask(t.Context(), ""); err != nil || answer.Spec != "a/m" || len(s.c.breakers.bySpec) != 0 {
			t.Fatalf("%+v, %v", answer, err)
		}
	})
}

// TestCallLimit_BoundsRunningCalls also checks that a stopped call that waits frees its slot and
// its money.
func TestCallLimit_BoundsRunningCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int64
		slow := &scriptedProvider{play: func(_ context.Context, _ int, say func(string)) (modelcall.Answer, error) {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(time.Second)
			running.Add(-1)
			return said("fine", say), nil
		}}
		c := withPrices(catalogueOf(t, slow), map[string]float64{"a/m": 1})
		c.queue = slots.New(2)
		start := time.Now()
		ended := make(chan error)
		for range 5 {
			go func() {
				_, err := (&spender{c: c, reserver: newFakeReserver(1_000_000)}).ask(t.Context(), "")
				ended <- err
			}()
		}
		synctest.Wait()
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, stop)
		s := &spender{c: c, reserver: newFakeReserver(1_000_000)}
		if _, err := s.ask(ctx, ""); err != context.Canceled || s.reserver.returned != 1 || s.spent != 0 {
			t.Errorf("stopped in the line: %v, %+v", err, s.reserver)
		}
		for range 5 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(start); most.Load() != 2 || took != 3*time.Second {
			t.Errorf("%d at once, in %v", most.Load(), took)
		}
	})
}

// TestServer_AnyBehaviour_IsPaidOnce plays every behaviour of a server, in both API formats. At
// the end no lease may be open, and no attempt may cost more than its lease.
func TestServer_AnyBehaviour_IsPaidOnce(t *testing.T) {
	faults := map[string]modeltest.Fault{
		"cut in the middle": modeltest.FaultCutStream(700), "cut at once": modeltest.FaultCutStream(1),
		"stalls": modeltest.FaultStalledStream(900),
		"silent": modeltest.FaultStalledStream(0), "empty": modeltest.FaultEmptyAnswer,
		"malformed": modeltest.FaultMalformedCall,
		"limit":     modeltest.FaultStopReason(modeltest.StopReasonLength),
		"filter":    modeltest.FaultStopReason(modeltest.StopReasonFilter), "well": nil,
	}
	for _, class := range []modeltest.FailureClass{modeltest.FailureRateLimited, modeltest.FailureOverloaded,
		modeltest.FailureInternalError,
		modeltest.FailureModelLoading,
		modeltest.FailureWrongKey, modeltest.FailureForbidden, modeltest.FailureNoCredit, modeltest.FailureUnknownModel,
		modeltest.FailurePromptTooLong,
		modeltest.FailureBodyTooLarge,
		modeltest.FailureToolsUnsupported, modeltest.FailureContentFiltered, modeltest.FailureInvalidRequest} {
		faults["fails: "+string(class)] = modeltest.FaultFromFailureClass(class)
		faults["fails late: "+string(class)] = modeltest.FaultAfterAnswer(class)
	}
	for name, fault := range faults {
		for _, kind := range []string{"anthropic", "openai"} {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Parallel()
				playFault(t, kind, fault)
			})
		}
	}
}

// playFault calls a server that fails once and then answers. It gives up soon.
func playFault(t *testing.T, kind string, fault modeltest.Fault) {
	_, base := modeltest.NewServer(t, modeltest.ScriptWithFaults(func(modeltest.Request) modeltest.Answer {
		return modeltest.Answer{Text: strings.Repeat("word ", 40), Chunk: 10}
	}, fault))
	c, err := NewCatalogue(Options{Default: "p/m", Providers: []ProviderOptions{
		{Name: "p", Kind: kind, BaseURL: base, APIKey: "k", Silence: 50 * time.Millisecond}}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := &spender{c: withPrices(c, map[string]float64{"p/m": 3}), reserver: newFakeReserver(1 << 40)}
	ctx, stop := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, errors.New("enough"))
	defer stop()
	answer, err := s.ask(ctx, "")
	if len(s.reserver.open) != 0 || int(s.reserver.last) != s.reserver.returned+kept(s.lost, answer) || s.reserver.last == 0 {
		t.Fatalf("%v; left open %v of %d; lost %+v", err, s.reserver.open, s.reserver.last, s.lost)
	}
	if most := sum(s.reserver.bids); s.spent > most || s.reserver.left != 1<<40-s.spent {
		t.Fatalf("spent %d of %d; left %d", s.spent, most, s.reserver.left)
	}
}

func kept(lost []modelcall.FailedAttempt, answer modelcall.Answer) (n int) {
	for _, f := range append(lost, modelcall.FailedAttempt{Lease: answer.Lease}) {
		if f.Lease != 0 {
			n++
		}
	}
	return n
}

func sum(bids []modelcall.CostEstimate) (most int64) {
	for _, b := range bids {
		most += b.MaxCost
	}
	return most
}

// TestRefusal_ByProxyTimeout_IsPaid checks that a refused request is paid for only if the server
// may have worked on it.
func TestRefusal_ByProxyTimeout_IsPaid(t *testing.T) {
	want := map[int]bool{} // whether a refusal must be paid for, by its status
	for _, status := range []int{301, 400, 401, 402, 403, 404, 413, 422, 429, 500, 501, 503, 529} {
		want[status] = false
	}
	for _, status := range []int{408, 502, 504, 520, 522, 524} {
		want[status] = true
	}
	for status, paid := range want {
		for _, kind := range []string{"anthropic", "openai"} {
			t.Run(fmt.Sprint(kind, " ", status), func(t *testing.T) {
				_, base := modeltest.NewServer(t, func(modeltest.Request) modeltest.Answer {
					return modeltest.Answer{Fail: &modeltest.Failure{Status: status, Body: "<html>no</html>", Header: map[string]string{"Retry-After": "3600"}}}
				})
				c, err := NewCatalogue(Options{Default: "p/m", Providers: []ProviderOptions{
					{Name: "p", Kind: kind, BaseURL: base, APIKey: "k"}}})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				s := &spender{c: withPrices(c, map[string]float64{"p/m": 1}), reserver: newFakeReserver(1_000_000)}
				if _, err := s.ask(t.Context(), ""); err == nil || len(s.lost) != 1 {
					t.Fatalf("%v, lost %+v", err, s.lost)
				}
				got := s.lost[0]
				if (got.Lease != 0) != paid || (got.Usage != protocol.Usage{}) != paid || len(s.reserver.open) != 0 {
					t.Error(cmp.Diff(modelcall.FailedAttempt{}, got))
				}
			})
		}
	}
}
