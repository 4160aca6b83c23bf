package quota

import (
	"context"
	"time"
)

// Bounds of a slow count: it works for workSlice, and then rests for restFactor times as long. So
// it uses at most 5 % of a core.
const (
	workSlice  = 2 * time.Millisecond
	restFactor = 19
)

// pacer slows a count down. One goroutine uses it.
type pacer struct {
	fast  int             // number of steps before the first rest
	yield <-chan struct{} // gives a token that ends the rest and the count; nil means that no token comes
	put   chan<- struct{} // takes back the token that yield has given
	since time.Time       // start of the work since the last rest
	steps int
}

// step is called before each file. It returns false if the count has to end.
func (p *pacer) step(ctx context.Context) bool {
	if p.fast > 0 {
		p.fast--
		return true
	}
	if p.steps++; p.since.IsZero() {
		p.since = time.Now()
	}
	if p.steps%16 != 0 { // read the clock only at each 16th step
		return true
	}
	worked := time.Since(p.since)
	if worked < workSlice {
		return true
	}
	rest := time.NewTimer(worked * restFactor)
	defer rest.Stop()
	select {
	case <-rest.C:
		p.since = time.Now()
		return true
	case <-p.yield:
		select {
		case p.put <- struct{}{}:
		default: // a later request has already put a token there
		}
	case <-ctx.Done():
	}
	return false
}
