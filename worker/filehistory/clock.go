package filehistory

import "time"

// clock tells how old versions are. If the system's clock jumps ahead, the clock follows only after
// confirmAfter. So a wrong time for a short while deletes nothing.
type clock struct {
	now     func() time.Time     // the system's clock
	elapsed func() time.Duration // time since any fixed moment, which no clock change affects

	at     int64         // trusted time in ns; 0 means none
	since  time.Duration // elapsed time at that time
	ahead  int64         // ns by which the system's clock has jumped ahead
	jumped time.Duration // elapsed time when that jump was first seen
}

const (
	maxAhead     = 2 * time.Hour // a smaller difference is no jump
	confirmAfter = time.Hour     // time after which a jump counts as right
)

// elapsedFromNow returns a function that returns the time since now.
func elapsedFromNow() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// begin trusts a time, if none is trusted yet.
func (c *clock) begin(at int64) {
	if c.at == 0 {
		c.at, c.since = at, c.elapsed()
	}
}

// trusted returns the time in ns by which versions may be deleted.
func (c *clock) trusted() int64 {
	now, elapsed := c.now().UnixNano(), c.elapsed()
	trusted := c.at + int64(elapsed-c.since)
	switch ahead := now - trusted; {
	case c.at == 0 || ahead <= int64(maxAhead):
	case c.ahead == 0 || ahead-c.ahead > int64(maxAhead) || c.ahead-ahead > int64(maxAhead):
		c.ahead, c.jumped = ahead, elapsed
		return trusted
	case elapsed-c.jumped < confirmAfter:
		return trusted
	}
	c.at, c.since, c.ahead = now, elapsed, 0
	return now
}
