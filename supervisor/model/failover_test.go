package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
)

func TestRetry_ModelAnswers_Ends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := failsWith(modelcall.ServerError, ""), answers("never")
		c := catalogueOf(t, first, second)
		answer, h, err := ask(t.Context(), c)
		time.Sleep(time.Hour)
		if err != nil || h.text != "fine" || answer.Spec != "a/m" || answer.Replaced != nil ||
			first.count() != 2 || second.count() != 0 {
			t.Fatalf("%+v, %q, %v; %d and %d calls", answer, h.text, err, first.count(), second.count())
		}
	})
}

// TestRetry_CutAnswer_CountsAsAttempt checks that a cut answer is tried again only if it is the
// first failure.
func TestRetry_CutAnswer_CountsAsAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := failsWith(modelcall.Overloaded, modelcall.StreamCut, "")
		answer, h, err := ask(t.Context(), catalogueOf(t, first, answers("instead")))
		if err != nil || h.text != "instead" || answer.Replaced.Reason != "broke off its answer" || first.count() != 2 {
			t.Fatalf("%+v, %q, %v", answer, h.text, err)
		}
	})
}

func TestFallback_AfterText_RestartsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		half := func(_ context.Context, _ int, say func(string)) (modelcall.Answer, error) {
			say("The answer is ")
			return modelcall.Answer{}, failed(modelcall.StreamCut)
		}
		_, h, err := ask(t.Context(), catalogueOf(t, &scriptedProvider{play: half}, answers("42")))
		if err != nil || *h != (receivedText{"42", 2}) {
			t.Fatalf("heard %+v, %v", h, err)
		}
		_, h, err = ask(t.Context(), catalogueOf(t, failsWith(modelcall.Overloaded, "")))
		if err != nil || *h != (receivedText{"fine", 0}) {
			t.Fatalf("of one that failed before it spoke: heard %+v, %v", h, err)
		}
	})
}

// TestStream_DeltasEqualAnswer draws failures at any point of the answer.
func TestStream_DeltasEqualAnswer(t *testing.T) {
	classes := make([]modelcall.ErrorClass, 0, len(policyRows)+1)
	for _, row := range policyRows {
		classes = append(classes, row.class)
	}
	rapid.Check(t, func(rt *rapid.T) {
		play := func(name string) *scriptedProvider {
			turns := rapid.SliceOfN(rapid.SampledFrom(append(classes, "")), 1, 5).Draw(rt, name)
			return &scriptedProvider{play: func(_ context.Context, n int, say func(string)) (modelcall.Answer, error) {
				class := turns[min(n, len(turns))-1]
				whole := fmt.Sprintf("%s %d speaks", name, n)
				if class == "" {
					say(whole[:3])
					answer := said(whole[3:], say)
					answer.Message.Parts[0].Text = whole
					return answer, nil
				}
				say(whole[:n%len(whole)])
				return modelcall.Answer{}, failed(class)
			}}
		}
		models := []*scriptedProvider{play("a"), play("b"), play("c")}
		calls := rapid.IntRange(1, 4).Draw(rt, "calls")
		synctest.Test(t, func(t *testing.T) {
			c := catalogueOf(t, models...)
			for range calls {
				answer, h, err := ask(t.Context(), c)
				if err == nil && (h.text != answer.Message.Text() ||
					(answer.Replaced == nil) != (answer.Spec == "a/m")) {
					t.Fatalf("heard %q, answered %+v", h.text, answer)
				}
				if failed := new(modelcall.Error); err != nil && !errors.As(err, &failed) {
					t.Fatalf("got %v", err)
				}
				time.Sleep(20 * time.Second)
			}
		})
	})
}

func TestAllModelsFail_ErrorNamesEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := catalogueOf(t, failsWith(modelcall.Overloaded), failsWith(modelcall.ModelMissing),
			failsWith(modelcall.RequestTooLong))
		_, _, err := ask(t.Context(), c)
		wantClass(t, err, modelcall.Overloaded)
		const want = "It failed: overloaded. And the fallback b/m: It failed: missing. " +
			"And the fallback c/m: It failed: too_long."
		if got := problem.UserText(err); got != want || supervisor.ErrorCodeOf(err) != supervisor.CodeUnavailable {
			t.Errorf("told %q", got)
		}
		if !strings.Contains(err.Error(), "raw overloaded") || !strings.Contains(err.Error(), "raw too_long") {
			t.Errorf("the log gets %q", err)
		}
	})
}

func TestAllBreakersOpen_ModelsAreStillTried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alone := failsWith(modelcall.NetworkError, modelcall.NetworkError, modelcall.NetworkError, "")
		c := catalogueOf(t, alone)
		if _, _, err := ask(t.Context(), c); err == nil {
			t.Fatal("it answered")
		}
		if _, h, err := ask(t.Context(), c); err != nil || h.text != "fine" || alone.count() != 4 {
			t.Fatalf("the only model was left alone: %v, %d calls", err, alone.count())
		}
		first, second := failsWith(modelcall.AuthFailed), failsWith(modelcall.AuthFailed, "")
		c = catalogueOf(t, first, second)
		if _, _, err := ask(t.Context(), c); err == nil {
			t.Fatal("it answered")
		}
		answer, _, err := ask(t.Context(), c)
		if err != nil || answer.Spec != "b/m" || first.count() != 2 || c.breakers.bySpec["b/m"] != nil {
			t.Fatalf("with all left alone: %+v, %v", answer, err)
		}
	})
}

func TestStop_RunningCall_IsNoModelFailure(t *testing.T) {
	stopped := errors.New("the person said stop")
	hang := func(ctx context.Context, _ int, _ func(string)) (modelcall.Answer, error) {
		<-ctx.Done()
		// a provider may return any error after a stop
		return modelcall.Answer{}, failed(modelcall.AuthFailed)
	}
	for name, first := range map[string]*scriptedProvider{
		"in a call": {play: hang}, "in back-off": failsWith(modelcall.RateLimited),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				second := answers("never")
				c := catalogueOf(t, first, second)
				ctx, cancel := context.WithCancelCause(t.Context())
				start := time.Now()
				time.AfterFunc(time.Second, func() { cancel(stopped) })
				_, _, err := ask(ctx, c)
				if err != stopped || time.Since(start) != time.Second || second.count() != 0 || len(c.breakers.bySpec) != 0 {
					t.Errorf("ended with %v after %v; left alone: %v", err, time.Since(start), c.breakers.bySpec)
				}
			})
		})
	}
}

func TestOnFailure_FailedAttempt_GetsUsage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		costly := failed(modelcall.StreamCut)
		costly.Usage, costly.Request = protocol.Usage{Input: 70, Output: 2}, "req_1"
		first := &scriptedProvider{play: func(context.Context, int, func(string)) (modelcall.Answer, error) {
			return modelcall.Answer{}, costly
		}}
		var got []modelcall.FailedAttempt
		req := modelcall.Request{OnFailure: func(f modelcall.FailedAttempt) { f.Again = 0; got = append(got, f) }}
		if _, err := catalogueOf(t, first, answers("fine")).Stream(t.Context(), "", req, func(modelcall.Delta) {}); err != nil {
			t.Fatal(err)
		}
		one := modelcall.FailedAttempt{Spec: "a/m", Class: modelcall.StreamCut, Request: "req_1", Usage: costly.Usage}
		last := one
		last.Last = true
		if diff := cmp.Diff([]modelcall.FailedAttempt{one, last}, got); diff != "" {
			t.Error(diff)
		}
	})
}
