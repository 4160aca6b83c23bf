package model

import (
	"sync"
	"time"
)

const (
	slowAfter   = 15 * time.Second // wait for the notice that a model is slow or has fallen silent
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

// silenceWatch tells the user if a model falls silent within its answer. It tells the user once for
// each silence.
type silenceWatch struct {
	tell func() // tells the user; nil means that nobody is told

	mu    sync.Mutex // guards the fields below
	timer *time.Timer
	until time.Time // when the model's allowed silence ends
	ended bool
}

// watchSilence returns a watch that does not run yet.
func (c *call) watchSilence(text string) *silenceWatch {
	w := &silenceWatch{}
	if c.req.OnWait != nil {
		w.tell = func() { c.req.OnWait(text) }
	}
	return w
}

// begin starts the watch, or restarts it if it already runs.
func (w *silenceWatch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tell != nil && w.timer == nil && !w.ended {
		w.timer = time.AfterFunc(slowAfter, w.fire)
	}
	w.extend()
}

// restart restarts the watch if it runs. It is called after an event without text, such as a piece
// of a tool call.
func (w *silenceWatch) restart() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.extend()
}

// extend allows the model another full time of silence from now on. The caller holds the mutex.
func (w *silenceWatch) extend() {
	if w.timer != nil && !w.ended {
		w.until = time.Now().Add(slowAfter)
		w.timer.Reset(slowAfter)
	}
}

// fire tells the user, unless the model has sent something meanwhile.
func (w *silenceWatch) fire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended && !time.Now().Before(w.until) {
		w.tell()
	}
}

// end stops the watch. When it has returned, no notice is sent.
func (w *silenceWatch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.timer != nil {
		w.timer.Stop()
	}
}
