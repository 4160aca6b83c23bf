package model

import (
	"sync"
	"time"
)

const (
	slowAfter   = 15 * time.Second // of a call in which nothing was said
	tryingAfter = 5 * time.Second  // after a model's first failure
)

// tellAfter tells the person something some time from now, unless end is called before. Once end
// has returned, they are told nothing more. It may be called several times.
func (c *call) tellAfter(wait time.Duration, text string) (end func()) {
	if c.req.OnWait == nil {
		return func() {}
	}
	told := make(chan struct{})
	timer := time.AfterFunc(wait, func() {
		defer close(told)
		c.req.OnWait(text)
	})
	return sync.OnceFunc(func() {
		if !timer.Stop() {
			<-told
		}
	})
}
