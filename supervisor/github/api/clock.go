package api

import (
	"net/http"
	"sync"
	"time"
)

// clock has the difference between the clocks of this machine and of GitHub.
type clock struct {
	mu    sync.Mutex // guards the fields below
	ahead time.Duration
	known bool
}

// note reads GitHub's time, in whole seconds, from the header Date of an answer.
func (c *clock) note(date string, now time.Time) {
	at, err := http.ParseTime(date)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead, c.known = now.Sub(at), true
}

// ClockOffset returns how far this machine's clock is ahead of GitHub's. It uses the last answer,
// and may be wrong by a second or two. known is false before the first answer.
func (c *Client) ClockOffset() (ahead time.Duration, known bool) {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	return c.clock.ahead, c.clock.known
}
