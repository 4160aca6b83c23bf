package model

import (
	"sync"
	"time"
)

const (
	slowAfter   = 15 * time.Second // in a call without any text so far
	tryingAfter = 5 * time.Second  // after a model's first failure
)

// tellAfter sends the user a notice after wait, unless end is called before. Once end has returned,
// no notice is sent. end may be called several times.
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
