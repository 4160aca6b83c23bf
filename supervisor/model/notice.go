package model

import (
	"sync"
	"time"
)

const (
	slowAfter   = 15 * time.Second // silence of a call before its notice, if no text has come yet
	tryingAfter = 5 * time.Second  // wait for the notice after a model's first failure
)

// tellAfter sends the user a notice after wait, unless end is called before. After end has
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
