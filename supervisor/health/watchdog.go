package health

import (
	"context"
	"runtime"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/internal/retry"
)

// pingInterval is the pause between two pings of a Watchdog.
const pingInterval = 15 * time.Second

// Watchdog ends a service whose loops have stopped moving. It pings them until its context ends.
// After the first missed ping it logs all goroutines.
type Watchdog struct {
	Monitor *Monitor
	Log     hclog.Logger
	// End ends the service after the second ping in a row that some loop has missed. The loops
	// cannot be stopped in order, so End should end the process.
	End func(stuck []string)
}

// Run pings until ctx ends, or until it has called End.
func (w Watchdog) Run(ctx context.Context) error {
	for missed := 0; ; {
		stuck := listStuck(w.Monitor.Ping(ctx))
		switch {
		case ctx.Err() != nil:
			return nil
		case len(stuck) == 0:
			missed = 0
		case missed == 0:
			missed++
			w.Log.Error("a part of the service has stopped moving", "parts", stuck, "goroutines", "\n"+allGoroutines())
		default:
			w.Log.Error("a part of the service still does not move: the service ends", "parts", stuck)
			w.End(stuck)
			return nil
		}
		if !retry.Sleep(ctx, pingInterval) {
			return nil
		}
	}
}

// listStuck returns the names of the loops that missed their last ping.
func listStuck(states []State) (names []string) {
	for _, s := range states {
		if s.Stuck {
			names = append(names, s.Name)
		}
	}
	return names
}

// maxStacks is the most bytes of a text about all goroutines.
const maxStacks = 4 << 20

// allGoroutines returns the stacks of all goroutines, as a panic prints them.
func allGoroutines() string {
	for size := 64 << 10; ; size *= 4 {
		text := make([]byte, min(size, maxStacks))
		if n := runtime.Stack(text, true); n < len(text) || size >= maxStacks {
			return string(text[:n])
		}
	}
}
