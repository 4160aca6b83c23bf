package shell

import (
	"context"
	"strings"
	"time"
)

// waitCondition says what a call waits for before it tells what the terminal shows.
type waitCondition struct {
	most time.Duration
	text string // to appear; "": for quiet
}

// waitStart is a moment from which on text is new.
type waitStart struct {
	seen int // how often the text was to be seen then
}

// beginWait forgets what was written before, and notes what is to be seen already.
func (t *terminal) beginWait(text string) waitStart {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen.out.fresh = t.screen.out.fresh[:0]
	if text == "" {
		return waitStart{}
	}
	return waitStart{seen: strings.Count(t.screen.shown(0), text)}
}

// quietAfterText is how long a terminal must be quiet when the text has appeared: more may belong to it.
const quietAfterText = 50 * time.Millisecond

// wait waits until the text has appeared since the mark or the terminal is quiet, until its program has ended, or for as
// long as it may. The error is ctx's cause; the terminal goes on in any case.
func (t *terminal) wait(ctx context.Context, p waitCondition, from waitStart) (met bool, err error) {
	if p.text == "" {
		return t.until(ctx, p.most, t.quietFor(t.limits.Quiet))
	}
	met, err = t.until(ctx, p.most, func() (bool, time.Duration) { return t.screen.appeared(p.text, from), p.most })
	if met {
		_, err = t.until(ctx, t.limits.Quiet, t.quietFor(min(quietAfterText, t.limits.Quiet)))
	}
	return met, err
}

// until waits until ready says so, for at most so long. Ready is asked at every output, and again after the time that it
// gives; it may look at what the terminal's mutex guards.
func (t *terminal) until(ctx context.Context, most time.Duration, ready func() (bool, time.Duration)) (bool, error) {
	end := time.NewTimer(most)
	defer end.Stop()
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
			done = nil // what came last is looked at once more
		case <-end.C:
			return false, nil
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// quietFor asks for no output for a time, from now on. A program that has ended is quiet.
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

// appeared tells whether a text was written or is to be seen that was not at the mark.
func (s *screen) appeared(text string, from waitStart) bool {
	return strings.Contains(string(s.out.fresh), text) || strings.Count(s.shown(0), text) > from.seen
}
