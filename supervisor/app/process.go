package app

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"mews/supervisor/internal/signals"
)

// processTuner fits the process to its load. While few turns run, the service's goroutines share
// one processor. Otherwise each woken goroutine would wake a thread, too. When no turn has run for
// a while, the tuner returns memory to the system.
type processTuner struct {
	mu         sync.Mutex               // guards the fields below
	turns      int                      // number of turns that run now
	processors int                      // processors of the machine; below 2 the tuner changes no limit
	limit      func(n int) (before int) // changes the number of processors: runtime.GOMAXPROCS
	freeMemory func()                   // returns memory to the system: debug.FreeOSMemory
	idle       chan struct{}            // holds a token if the last turn has ended
}

// From manyTurns turns on, the process gets all processors. At fewTurns or fewer it gets one. In
// between, the limit stays, because each change stops the process for a moment.
const (
	manyTurns = 4
	fewTurns  = 1
)

// memoryAfter is how long no turn must have run before the tuner returns memory to the system.
// After the service's start the time is startMemoryAfter, because the start leaves much unused
// memory.
const (
	memoryAfter      = time.Minute
	startMemoryAfter = 3 * time.Second
)

// newProcessTuner returns a tuner. owned means that the process runs only the service. If the
// environment sets GOMAXPROCS, the tuner changes no limit.
func newProcessTuner(owned bool) *processTuner {
	p := &processTuner{limit: runtime.GOMAXPROCS, freeMemory: debug.FreeOSMemory, idle: make(chan struct{}, 1)}
	if owned && os.Getenv("GOMAXPROCS") == "" {
		p.processors = p.limit(0)
	}
	return p
}

// turnsChanged records how many more turns run, or fewer if change is negative.
func (p *processTuner) turnsChanged(change int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turns += change; p.turns == 0 {
		signals.SendToken(p.idle)
	}
	if p.processors < 2 {
		return
	}
	switch now := p.limit(0); {
	case p.turns >= manyTurns && now == 1:
		p.limit(p.processors)
	case p.turns <= fewTurns && now > 1:
		p.limit(1)
	}
}

func (p *processTuner) isIdle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.turns == 0
}

// run returns memory to the system after the start, and each time that no turn has run for
// memoryAfter, until ctx ends.
func (p *processTuner) run(ctx context.Context) error {
	p.turnsChanged(0) // the start, which uses all processors, is over
	timer := time.NewTimer(startMemoryAfter)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.idle:
			timer.Reset(memoryAfter)
		case <-timer.C:
			if p.isIdle() {
				p.freeMemory()
			}
		}
	}
}
