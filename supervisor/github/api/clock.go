package api

import (
	"net/http"
	"sync"
	"time"
)

// clock is by how much this machine's clock is ahead of GitHub's.
type clock struct {
	mu    sync.Mutex // guards what follows
	ahead time.Duration
	known bool
}

// note takes the Date of an answer, which is cut to the second.
func (c *clock) note(date string, now time.Time) {
	at, err := http.ParseTime(date)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead, c.known = now.Sub(at), true
}

// Clock is by how much this machine's clock was ahead of GitHub's at the last answer, to a second
// or two. It is not known before the first.
func (c *Client) Clock() (ahead time.Duration, known bool) {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	return c.clock.ahead, c.clock.known
}
