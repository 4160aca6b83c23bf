package shell

import (
	"context"
	"strings"
	"time"
)

// waitCondition is the condition for which a call waits before it returns the screen.
type waitCondition struct {
	most time.Duration
	text string // text to wait for; "" means wait for quiet
}

// waitStart is the moment after which text is new.
type waitStart struct {
	seen int // number of times that the screen showed the text when the wait began
}

// beginWait forgets earlier output, and counts how often the screen shows the text already.
func (t *terminal) beginWait(text string) waitStart {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen.fresh = t.screen.fresh[:0]
	if text == "" {
		return waitStart{}
	}
	return waitStart{seen: strings.Count(t.screen.shown(0), text)}
}

// quietAfterText is the wait for quiet after the text has appeared, because more output may
// follow.
const quietAfterText = 50 * time.Millisecond

// wait waits until the text has appeared since from, or the terminal is quiet. It also returns when
// the program has ended, and after p.most. The error is ctx's cause. The terminal goes on running.
func (t *terminal) wait(ctx context.Context, p waitCondition, from waitStart) (met bool, err error) {
	if p.text == "" {
		return t.waitUntil(ctx, p.most, t.quietFor(t.limits.quiet))
	}
	met, err = t.waitUntil(ctx, p.most, func() (bool, time.Duration) { return t.screen.appeared(p.text, from), p.most })
	if met {
		_, err = t.waitUntil(ctx, t.limits.quiet, t.quietFor(min(quietAfterText, t.limits.quiet)))
	}
	return met, err
}

// waitUntil waits until ready returns true, for at most the time most. It calls ready at every
// output, and again after the time that ready returns. ready may read fields that the terminal's
// mutex guards.
func (t *terminal) waitUntil(ctx context.Context, most time.Duration, ready func() (bool, time.Duration)) (bool, error) {
	end := time.After(most)
	done := t.done
	for {
		t.mu.Lock()
		met, again := ready()
		changed := t.changed
		t.mu.Unlock()
		if met || done == nil {
			return met, nil
		}
		select {
		case <-changed:
		case <-time.After(again):
		case <-done:
			done = nil // call ready once more, for the last output
		case <-end:
			return false, nil
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// quietFor returns a condition that holds once there was no output for that long, counted from now.
// A terminal whose program has ended is quiet.
func (t *terminal) quietFor(quiet time.Duration) func() (bool, time.Duration) {
	began := time.Now()
	return func() (bool, time.Duration) {
		since := began
		if t.output.After(began) {
			since = t.output
		}
		left := quiet - time.Since(since)
		return left <= 0 || t.state != stateRunning, left
	}
}

// appeared reports whether the text was written after the moment from. It also returns true if the
// screen shows the text more often than at that moment.
func (s *screen) appeared(text string, from waitStart) bool {
	return strings.Contains(string(s.fresh), text) || strings.Count(s.shown(0), text) > from.seen
}
