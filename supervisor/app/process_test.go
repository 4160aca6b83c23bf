package app

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// While many turns run, the process gets all processors. While few turns run, it gets one. A minute
// after the last turn the tuner returns memory, once.
func TestProcessTuner_ManyTurns_GetAllProcessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits, freed := []int{8}, 0
		p := newProcessTuner(false)
		p.processors = 8
		p.limit = func(n int) int {
			before := limits[len(limits)-1]
			if n > 0 {
				limits = append(limits, n)
			}
			return before
		}
		p.freeMemory = func() { freed++ }
		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan error, 1)
		go func() { ran <- p.run(ctx) }()
		synctest.Wait()
		for _, change := range []int{1, 1, 1, 1, -1, 1, -1, -1, -1, -1} {
			p.turnsChanged(change)
		}
		if want := []int{8, 1, 8, 1}; !slices.Equal(limits, want) {
			t.Errorf("processors %v, want %v", limits, want)
		}
		time.Sleep(memoryAfter - time.Second)
		synctest.Wait()
		p.turnsChanged(1)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if freed != 0 {
			t.Errorf("memory was returned %d times during a turn", freed)
		}
		p.turnsChanged(-1)
		time.Sleep(time.Hour)
		synctest.Wait()
		cancel()
		if err := <-ran; err != nil || freed != 1 {
			t.Errorf("memory was returned %d times, %v", freed, err)
		}
	})
}
