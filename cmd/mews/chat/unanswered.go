package chat

import "time"

// stopRepeatWindow is the time after a Ctrl-C in which a second Ctrl-C is ignored.
const stopRepeatWindow = time.Second

// unanswered has the sent lines without an answer, by key. The zero value is empty.
type unanswered struct {
	lines     map[string]bool
	stopKey   string    // key of the /stop without an answer; "" means none
	stoppedAt time.Time // when the newest /stop for these lines was sent; zero means never
}

// add notes a sent line. An earlier /stop does not stop this line.
func (a *unanswered) add(key string) {
	if a.lines == nil {
		a.lines = map[string]bool{}
	}
	a.lines[key] = true
	a.stopKey, a.stoppedAt = "", time.Time{}
}

// answered notes an answer or a refusal. It ignores unknown keys.
func (a *unanswered) answered(key string) {
	delete(a.lines, key)
	if key == a.stopKey {
		a.stopKey = ""
	}
}

// hasLines reports whether a line waits for its answer.
func (a *unanswered) hasLines() bool { return len(a.lines) > 0 }

// shouldStop reports whether Ctrl-C should send a /stop with the given key. One /stop is enough for
// all lines before it.
func (a *unanswered) shouldStop(key string, now time.Time) bool {
	if a.stopKey != "" || now.Sub(a.stoppedAt) < stopRepeatWindow {
		return false
	}
	a.stopKey, a.stoppedAt = key, now
	return true
}
