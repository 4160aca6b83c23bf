package model

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/supervisor/modelcall"
)

func TestBreaker_FailedProbe_StaysOpenLonger(t *testing.T) {
	now := time.Unix(0, 0)
	b := &breaker{state: BreakerClosed}
	for _, want := range []time.Duration{30, 60, 120, 240, 480, 600, 600} {
		b.fail(now, modelcall.ServerError, 0)
		if got := b.openUntil.Sub(now); got != want*time.Second || b.admit(b.openUntil.Add(-1)) != permitNone {
			t.Fatalf("left alone for %v, want %ds", got, want)
		}
		now = b.openUntil
		if b.admit(now) != permitProbe || b.admit(now) != permitNone || b.state != BreakerHalfOpen {
			t.Fatal("not exactly one probe")
		}
	}
	b.succeed()
	if b.state != BreakerClosed || b.admit(now) != permitCall {
		t.Fatalf("after a good probe: %s", b.state)
	}
	b.fail(now, modelcall.RateLimited, 5*time.Minute)
	if got := b.openUntil.Sub(now); got != 5*time.Minute {
		t.Errorf("a provider that wants five minutes gets %v", got)
	}
	b.admit(b.openUntil)
	b.release()
	if b.admit(b.openUntil) != permitProbe {
		t.Error("a probe of which nothing was learnt is not there for the next call")
	}
}

// TestBreaker_AnyEvents_FollowTransitions draws events in random order. It also checks that the
// breaker never gets stuck.
func TestBreaker_AnyEvents_FollowTransitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now, b := time.Unix(0, 0), &breaker{state: BreakerClosed}
		t.Repeat(map[string]func(*rapid.T){
			"time":    func(t *rapid.T) { now = now.Add(time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "pass"))) },
			"admit":   func(*rapid.T) { b.admit(now) },
			"succeed": func(*rapid.T) { b.succeed() },
			"fail":    func(*rapid.T) { b.fail(now, modelcall.StreamCut, 0) },
			"release": func(*rapid.T) { b.release() },
			"": func(t *rapid.T) {
				if b.state == BreakerOpen && b.openUntil.Sub(now) > openMax {
					t.Fatalf("left alone for %v", b.openUntil.Sub(now))
				}
			},
		})
	})
}

func TestBreaker_HalfOpen_OtherCallsUseFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		well := make(chan struct{})
		first := failsWith(modelcall.ServerError)
		second := answers("instead")
		c := catalogueOf(t, first, second)
		if _, _, err := ask(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		first.play = func(_ context.Context, _ int, say func(string)) (modelcall.Answer, error) {
			<-well
			return said("back", say), nil
		}
		before := first.count()
		time.Sleep(openMin)
		var calls sync.WaitGroup
		answers := make(chan modelcall.Answer, 20)
		for range cap(answers) {
			calls.Go(func() {
				answer, _, err := ask(t.Context(), c)
				if err != nil {
					t.Error(err)
				}
				answers <- answer
			})
		}
		synctest.Wait()
		if got := first.count() - before; got != 1 || len(answers) != cap(answers)-1 {
			t.Errorf("%d calls probe, and %d have their answer", got, len(answers))
		}
		close(well)
		calls.Wait()
		close(answers)
		var own int
		for answer := range answers {
			if answer.Replaced == nil {
				own++
			} else if answer.Replaced.Reason != "has an internal error" {
				t.Errorf("why: %q", answer.Replaced.Reason)
			}
		}
		if answer, _, _ := ask(t.Context(), c); own != 1 || answer.Spec != "a/m" {
			t.Errorf("%d answers of the probe; after it answers %s", own, answer.Spec)
		}
	})
}

func TestProbe_Stopped_NextCallMayProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := failsWith(modelcall.ServerError)
		c := catalogueOf(t, first, answers("instead"))
		for range 3 { // the first round tries the model twice, and each later round probes it once
			if _, h, err := ask(t.Context(), c); err != nil || h.text != "instead" {
				t.Fatalf("%q, %v", h.text, err)
			}
			time.Sleep(time.Minute)
		}
		if first.count() != 4 {
			t.Errorf("%d calls", first.count())
		}
		first.play = func(ctx context.Context, _ int, _ func(string)) (modelcall.Answer, error) {
			<-ctx.Done()
			return modelcall.Answer{}, context.Cause(ctx)
		}
		time.Sleep(openMax)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := ask(ctx, c); err != context.DeadlineExceeded {
			t.Fatal(err)
		}
		first.play = answers("back").play
		if answer, _, err := ask(t.Context(), c); err != nil || answer.Spec != "a/m" {
			t.Errorf("after a stopped probe: %s, %v", answer.Spec, err)
		}
	})
}

func TestBreakers_Unused_AreForgotten(t *testing.T) {
	s, now := newBreakers(hclog.NewNullLogger()), time.Unix(0, 0)
	for i := range 100 {
		s.fail("a/typo"+string(rune('0'+i)), now, modelcall.ModelMissing, 0)
		now = now.Add(time.Hour)
	}
	if len(s.bySpec) != 1 {
		t.Errorf("%d are kept", len(s.bySpec))
	}
}

func TestProbe_Refused_ClosesBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := failsWith(modelcall.AuthFailed, modelcall.RequestTooLong, "")
		c := catalogueOf(t, first, answers("instead"))
		if _, h, err := ask(t.Context(), c); err != nil || h.text != "instead" {
			t.Fatal(err)
		}
		time.Sleep(openMin)
		_, _, err := ask(t.Context(), c)
		wantClass(t, err, modelcall.RequestTooLong)
		if answer, _, err := ask(t.Context(), c); err != nil || answer.Spec != "a/m" {
			t.Errorf("the next call is answered by %s, %v", answer.Spec, err)
		}
	})
}
