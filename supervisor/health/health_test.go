package health_test

import (
	"context"
	"errors"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor/health"
)

// TestPing_EachAnswer_IsMovement: success and errors are answers. A loop that does not answer is
// stuck, and moves again with its next answer.
func TestPing_EachAnswer_IsMovement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		m := health.New(
			health.Loop{Name: "writer", Ping: func(context.Context) error { return syscall.ENOSPC }},
			health.Loop{Name: "outbox", Ping: func(ctx context.Context) error {
				select {
				case <-free:
					return nil
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}},
			health.Loop{Name: "poller", Ping: func(context.Context) error { return nil }},
		)
		began := time.Now()
		m.Ping(t.Context())
		if took := time.Since(began); took != health.AnswerLimit {
			t.Errorf("took %v", took)
		}
		synctest.Wait()
		got := m.States()
		if got[0].Stuck || !errors.Is(got[0].Err, syscall.ENOSPC) || !got[0].Moved.Equal(began) {
			t.Errorf("%+v", got[0])
		}
		if !got[1].Stuck || !got[1].Moved.IsZero() {
			t.Errorf("%+v", got[1])
		}
		if got[2].Stuck || got[2].Err != nil {
			t.Errorf("%+v", got[2])
		}
		close(free)
		if got = m.Ping(t.Context()); got[1].Stuck || !got[1].Moved.Equal(time.Now()) {
			t.Errorf("after its answer: %+v", got[1])
		}
	})
}

// TestPing_DeafLoop_IsPingedOnce: a ping that ignores its context stays the only one of its loop.
func TestPing_DeafLoop_IsPingedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		free := make(chan struct{})
		m := health.New(health.Loop{Name: "writer", Ping: func(context.Context) error {
			calls.Add(1)
			<-free
			return nil
		}})
		for range 3 {
			if got := m.Ping(t.Context()); !got[0].Stuck {
				t.Errorf("%+v", got[0])
			}
		}
		if n := calls.Load(); n != 1 {
			t.Errorf("pinged %d times", n)
		}
		close(free)
		synctest.Wait()
		if got := m.States(); got[0].Stuck || got[0].Moved.IsZero() {
			t.Errorf("after its late answer: %+v", got[0])
		}
	})
}

// TestPing_CallerLeaves_KeepsStates: a caller that waits no longer does not make a loop stuck. Its
// ping ends with it.
func TestPing_CallerLeaves_KeepsStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		m := health.New(health.Loop{Name: "writer", Ping: func(ctx context.Context) error {
			<-ctx.Done()
			ended = true
			return context.Cause(ctx)
		}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got := m.Ping(ctx); got[0].Stuck {
			t.Errorf("%+v", got[0])
		}
		synctest.Wait()
		if !ended || m.States()[0].Stuck {
			t.Errorf("the ping goes on after its caller, or its loop is stuck: %+v", m.States()[0])
		}
	})
}
