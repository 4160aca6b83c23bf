package model

import (
	"sync"
	"time"
)

const (
	slowAfter   = 15 * time.Second // wait for the notice that a model is slow, if no text has come yet
	tryingAfter = 5 * time.Second  // wait for the notice that a failed model is tried again
)

// tellAfter sends the user a notice after a wait, unless end is called before. When end has
// returned, no notice is sent. end may be called several times.
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
