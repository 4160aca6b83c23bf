package chat

import "time"

// stopRepeatWindow is how soon after a Ctrl-C another one means the same.
const stopRepeatWindow = time.Second

// unanswered is what a screen has sent and not seen answered, by key. The zero value is nothing.
type unanswered struct {
	lines   map[string]bool
	stopKey string    // of the /stop that is not answered; "" for none
	stopped time.Time // when the newest /stop was sent for these lines; zero for none
}

// said notes a line that is sent. A stop that was sent before does not count for it.
func (a *unanswered) said(key string) {
	if a.lines == nil {
		a.lines = map[string]bool{}
	}
	a.lines[key] = true
	a.stopKey, a.stopped = "", time.Time{}
}

// answered notes an answer or a refusal. A key of somebody else's changes nothing.
func (a *unanswered) answered(key string) {
	delete(a.lines, key)
	if key == a.stopKey {
		a.stopKey = ""
	}
}

// any tells whether a line waits for its answer.
func (a *unanswered) any() bool { return len(a.lines) > 0 }

// stop says whether a Ctrl-C is to send a /stop, under that key: one is enough for all lines before
// it.
func (a *unanswered) stop(key string, now time.Time) bool {
	if a.stopKey != "" || now.Sub(a.stopped) < stopRepeatWindow {
		return false
	}
	a.stopKey, a.stopped = key, now
	return true
}
