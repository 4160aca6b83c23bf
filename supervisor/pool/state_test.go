package pool

import (
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
)

func TestWorkerStates_AllAreReachedAndLeft(t *testing.T) {
	reached := map[WorkerState]bool{StateAbsent: true}
	for from, steps := range transitions {
		if len(steps) == 0 {
			t.Errorf("%s is a dead end", from)
		}
		for _, to := range steps {
			reached[to] = true
			if _, ok := transitions[to]; !ok {
				t.Errorf("%s leads to %s, which has no entry", from, to)
			}
		}
	}
	for s := range transitions {
		if !reached[s] {
			t.Errorf("nothing leads to %s", s)
		}
	}
}

func TestStateTransition_Unknown_Panics(t *testing.T) {
	s := newManagedWorker(WorkerSpec{Key: "alice"}, &Options[*testHost]{Log: hclog.NewNullLogger(), Now: time.Now})
	defer func() {
		if recover() == nil {
			t.Error("from absent to busy, and nobody minded")
		}
	}()
	s.transition(StateBusy)
}

func TestStateTransition_StopsTimer(t *testing.T) {
	s := newManagedWorker(WorkerSpec{Key: "alice"}, &Options[*testHost]{Log: hclog.NewNullLogger(), Now: time.Now})
	s.arm(0, func() { t.Error("called in a state that it was not meant for") })
	s.transition(StateStarting)
	if s.due != nil {
		t.Error("the timer still means something")
	}
	select {
	case <-s.timer.C:
		t.Error("the timer still fires")
	default:
	}
}
