package api

import (
	"net/http"
	"sync"
	"time"
)

// clock has the difference between this machine's clock and GitHub's.
type clock struct {
	mu    sync.Mutex // guards the fields below
	ahead time.Duration
	known bool
}

// note reads the Date of an answer, which has whole seconds.
func (c *clock) note(date string, now time.Time) {
	at, err := http.ParseTime(date)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead, c.known = now.Sub(at), true
}

// Clock returns how far this machine's clock is ahead of GitHub's. It compares the clocks at the
// last answer, to a second or two. The difference is unknown before the first answer.
func (c *Client) Clock() (ahead time.Duration, known bool) {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	return c.clock.ahead, c.clock.known
}
