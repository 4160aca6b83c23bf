package signals

import "context"

// Pings asks a loop whether it still moves. The loop receives from Pings beside its other work.
type Pings chan struct{}

// NewPings returns the pings of one loop.
func NewPings() Pings { return make(Pings) }

// Ping returns nil once the loop has received. If ctx ends first, it returns the cause.
func (p Pings) Ping(ctx context.Context) error {
	select {
	case p <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
