package model

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mews/supervisor/modelcall"
)

// policyRows has the expected behaviour for each class if a model always fails with that class: the
// calls and the time of one Stream. It also tells whether a fallback answers, and whether the next
// call avoids the model.
var policyRows = []struct {
	class    modelcall.ErrorClass
	asked    time.Duration // the pause that the provider asks for, as RetryAfter of the failures
	calls    int
	from, to time.Duration
	next     bool
	trips    bool
}{
	{modelcall.RateLimited, 0, 3, 4500 * time.Millisecond, 7500 * time.Millisecond, true, true},
	{modelcall.RateLimited, 12 * time.Second, 3, 24 * time.Second, 24 * time.Second, true, true},
	{modelcall.RateLimited, 40 * time.Second, 2, 40 * time.Second, 40 * time.Second, true, true},
	{modelcall.RateLimited, time.Hour, 1, 0, 0, true, true},
	{modelcall.Overloaded, 0, 2, 750 * time.Millisecond, 1250 * time.Millisecond, true, true},
	{modelcall.Overloaded, 5 * time.Second, 2, 5 * time.Second, 5 * time.Second, true, true},
	{modelcall.NetworkError, 9 * time.Second, 3, 18 * time.Second, 18 * time.Second, true, true},
	{modelcall.ServerError, 0, 2, 750 * time.Millisecond, 1250 * time.Millisecond, true, true},
	{modelcall.NetworkError, 0, 3, 2250 * time.Millisecond, 3750 * time.Millisecond, true, true},
	{modelcall.StreamStalled, 0, 1, 0, 0, true, true},
	{modelcall.StreamCut, 0, 2, 750 * time.Millisecond, 1250 * time.Millisecond, true, true},
	{modelcall.MalformedAnswer, 0, 2, 750 * time.Millisecond, 1250 * time.Millisecond, true, true},
	{modelcall.EmptyAnswer, 0, 2, 750 * time.Millisecond, 1250 * time.Millisecond, true, false},
	{modelcall.AuthFailed, 0, 1, 0, 0, true, true},
	{modelcall.NoCredit, 0, 1, 0, 0, true, true},
	{modelcall.ModelMissing, 0, 1, 0, 0, true, true},
	{modelcall.ToolsUnsupported, 0, 1, 0, 0, true, false},
	{modelcall.LengthLimitBeforeText, 0, 1, 0, 0, true, false},
	{modelcall.OverBudget, 0, 1, 0, 0, true, false},
	{modelcall.RequestTooLong, 0, 1, 0, 0, false, false},
	{modelcall.ContentFiltered, 0, 1, 0, 0, false, false},
	{modelcall.RequestRefused, 0, 1, 0, 0, false, false},
	{"a class of tomorrow", 0, 1, 0, 0, false, false},
}

func TestPolicies_CoverEveryErrorClass(t *testing.T) {
	tested := map[modelcall.ErrorClass]bool{}
	for _, row := range policyRows {
		tested[row.class] = true
		t.Run(string(row.class)+" "+row.asked.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first, second := failsWith(row.class), answers("instead")
				first.play = func(context.Context, int, func(string)) (modelcall.Answer, error) {
					err := failed(row.class)
					err.RetryAfter = row.asked
					return modelcall.Answer{}, err
				}
				c := catalogueOf(t, first, second)
				start := time.Now()
				answer, h, err := ask(t.Context(), c)
				took := time.Since(start)
				if first.count() != row.calls || took < row.from || took > row.to {
					t.Errorf("%d calls in %v; want %d in %v to %v", first.count(), took, row.calls, row.from, row.to)
				}
				if !row.next {
					wantClass(t, err, row.class)
					if second.count() != 0 {
						t.Error("another model was asked")
					}
					return
				}
				want := modelcall.ReplacedModel{Spec: "a/m", Reason: policies[row.class].reason}
				if err != nil || h.text != "instead" || answer.Spec != "b/m" || answer.Replaced == nil || *answer.Replaced != want {
					t.Fatalf("answered %+v, %q, %v", answer, h.text, err)
				}
				if diff := cmp.Diff(first.asked[0], second.asked[0]); diff != "" {
					t.Errorf("the fallback was asked something else: %s", diff)
				}
				if _, _, err := ask(t.Context(), c); err != nil || (first.count() == row.calls) != row.trips {
					t.Errorf("next call: %d more calls, %v", first.count()-row.calls, err)
				}
			})
		})
	}
	for class, p := range policies {
		if !tested[class] || p.tries < 1 || p.reason == "" {
			t.Errorf("%s: not tested, or a row without tries or words: %+v", class, p)
		}
	}
}

func wantClass(t *testing.T, err error, class modelcall.ErrorClass) {
	t.Helper()
	got := new(modelcall.Error)
	if !errors.As(err, &got) || got.Class != class {
		t.Errorf("got %v, want class %s", err, class)
	}
}

func TestRetry_Pause_IsWithinLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		class := rapid.SampledFrom(policyRows).Draw(t, "row").class
		p := policies[class]
		var waited time.Duration
		for n := 1; ; n++ {
			asked := time.Duration(rapid.Int64Range(0, int64(2*maxWait)).Draw(t, "asked"))
			wait, ok := p.retry(n, asked, waited, rapid.Float64Range(-1, 1).Draw(t, "at"))
			if !ok {
				break
			}
			if n >= p.tries || wait <= 0 || wait < asked {
				t.Fatalf("%s, after %d: waits %v, asked %v", class, n, wait, asked)
			}
			waited += wait
		}
		if waited > maxWait+maxWait/4 {
			t.Fatalf("waited %v", waited)
		}
	})
}
