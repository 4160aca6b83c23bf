package app

import (
	"sync"
	"time"

	"mews/supervisor"
)

// confirmations are effects that wait for their person to show with a fresh code that it is they. They wait in memory: an
// effect that was cut off by a crash asks for a code anew when it is tried again.
type confirmations struct {
	now func() time.Time

	mu      sync.Mutex // guards what follows
	waiting map[supervisor.Conversation]*waiter
	vain    map[supervisor.Conversation]vainly
}

// waiter is an effect that waits.
type waiter struct {
	at    supervisor.Conversation
	asked time.Time
	right bool // a code was, as far as its transaction has come
	come  chan struct{}
}

// vainly is what a code was awaited for in vain, and until when one that comes late is for nothing else.
type vainly struct {
	turn    int64
	subject string
	until   time.Time
}

// is says whether a question is the one that was asked in vain: its turn has lost its worker, and asks again.
func (v vainly) is(q supervisor.Question) bool {
	return q.Turn != 0 && q.Turn == v.turn && q.Subject == v.subject
}

// late is how long after an effect waited in vain no other waits in the same chat: a code that is sent for the one must not
// confirm the other.
const late = time.Minute

func newConfirmations(now func() time.Time) *confirmations {
	return &confirmations{now: now, waiting: map[supervisor.Conversation]*waiter{}, vain: map[supervisor.Conversation]vainly{}}
}

// spot is where a person's codes are taken, as a key.
func spot(c supervisor.Conversation) supervisor.Conversation {
	return supervisor.Conversation{User: c.User, Channel: c.Channel, Chat: c.Chat}
}

// takes says whether a code that comes with an inbound is for an effect, one that waits or one that did. hold is how it is to
// be held against the factor then: as decide does, and fresh. What it confirms goes on once the code is kept.
func (c *confirmations) takes(in supervisor.Inbound) (hold func(decide supervisor.Decide) supervisor.Decide, ok bool) {
	if in.Kind != supervisor.KindText {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := spot(in.Conversation)
	w := c.waiting[at]
	switch _, was := c.cooling(at); {
	case w == nil && !was:
		return nil, false
	case w != nil && w.at.Thread != in.Conversation.Thread:
		return elsewhere, true
	}
	return func(decide supervisor.Decide) supervisor.Decide { return c.confirms(at, w, decide) }, true
}

// elsewhere answers a code that was sent in another topic of the chat than that in which it was asked for. It may be meant for
// something else, so it is not held against anything, and is not used up.
func elsewhere(supervisor.Decide) supervisor.Decide {
	return func(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.Verdict) {
		return f, supervisor.Verdict{Action: "stepup.elsewhere", Text: "That code was not looked at: I have asked for one in another " +
			"topic of this chat. Send it there."}
	}
}

// confirms holds a code for an effect against a factor; w is nil where it does not wait any more.
func (c *confirmations) confirms(at supervisor.Conversation, w *waiter, decide supervisor.Decide) supervisor.Decide {
	if w != nil {
		decide = fresh(decide, w.asked)
	}
	return func(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
		f, v := decide(f, now)
		c.mu.Lock()
		defer c.mu.Unlock()
		switch waits := w != nil && c.waiting[at] == w; {
		case waits:
			w.right = v.Right
		case v.Right:
			v = supervisor.Verdict{Action: v.Action + ".late", Text: "That code came too late: what it was for was not done, and " +
				"the code is used up. Ask again for what you wanted."}
		}
		return f, v
	}
}

// showing is for how long an app shows a code (RFC 6238, section 5.2).
const showing = 30 * time.Second

// fresh holds a code against a factor as decide does, but takes none that apps had ceased to show when it was asked for: who
// saw an older one over somebody's shoulder may still have it.
func fresh(decide supervisor.Decide, asked time.Time) supervisor.Decide {
	stale := asked.Unix()/int64(showing.Seconds()) - 1
	return func(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
		least := f
		least.LastStep = max(f.LastStep, stale)
		after, v := decide(least, now)
		if after.LastStep == least.LastStep {
			after.LastStep = f.LastStep // no code of an app was taken
		}
		if !v.Right {
			if _, usual := decide(f, now); usual.Right {
				v.Text = "That code is from before I asked. Send me the one that your app shows now."
			}
		}
		return after, v
	}
}

// kept is called when something in a conversation is on disk: the code, too, that was right.
func (c *confirmations) kept(conversation int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.waiting {
		if w.at.ID == conversation && w.right {
			select {
			case w.come <- struct{}{}:
			default:
			}
		}
	}
}

// begin has a code be awaited for a question where it is asked; false is that one is already, or was a moment ago, for
// something else.
func (c *confirmations) begin(q supervisor.Question) (come <-chan struct{}, end func(confirmed bool), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := spot(q.Conversation)
	if v, was := c.cooling(at); c.waiting[at] != nil || was && !v.is(q) {
		return nil, nil, false
	}
	w := &waiter{at: q.Conversation, asked: c.now(), come: make(chan struct{}, 1)}
	c.waiting[at] = w
	return w.come, func(confirmed bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, at)
		delete(c.vain, at)
		if !confirmed {
			c.vain[at] = vainly{turn: q.Turn, subject: q.Subject, until: c.now().Add(late)}
		}
	}, true
}

// cooling is what a code may still come for that was asked for in vain. The caller has c.mu.
func (c *confirmations) cooling(at supervisor.Conversation) (v vainly, was bool) {
	v, was = c.vain[at]
	if was && !c.now().Before(v.until) {
		delete(c.vain, at)
		return vainly{}, false
	}
	return v, was
}
