package main

import (
	"context"
	"sync"
	"time"

	"mews/supervisor"
)

// confirmations are effects that wait for their person to show with a fresh code that it is they. They wait in memory: an
// effect that was cut off by a crash is asked for anew.
type confirmations struct {
	now func() time.Time

	mu      sync.Mutex // guards what follows
	waiting map[supervisor.Conversation]*waiter
	vain    map[supervisor.Conversation]time.Time // where a code was waited for in vain, and until when one that comes late is for nothing else
}

// waiter is an effect that waits.
type waiter struct {
	conversation int64
	right        bool // a code was, as far as its transaction has come
	come         chan struct{}
}

// late is how long after an effect waited in vain no other waits in the same chat: a code that is sent for the one must not
// confirm the other.
const late = time.Minute

func newConfirmations(now func() time.Time) *confirmations {
	return &confirmations{now: now, waiting: map[supervisor.Conversation]*waiter{}, vain: map[supervisor.Conversation]time.Time{}}
}

// spot is where a person's codes are taken, as a key.
func spot(c supervisor.Conversation) supervisor.Conversation {
	return supervisor.Conversation{User: c.User, Channel: c.Channel, Chat: c.Chat}
}

// takes says whether a code that comes with an inbound is for an effect, one that waits or one that did. right is to be
// called with what the code was; it counts once kept is.
func (c *confirmations) takes(in supervisor.Inbound) (right func(bool), ok bool) {
	if in.Kind != supervisor.KindText {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.waiting[spot(in.Conversation)]
	if w == nil {
		return func(bool) {}, c.cooling(in.Conversation)
	}
	return func(was bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		w.right = was
	}, true
}

// kept is called when something in a conversation is on disk: the code, too, that was right.
func (c *confirmations) kept(conversation int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.waiting {
		if w.conversation == conversation && w.right {
			select {
			case w.come <- struct{}{}:
			default:
			}
		}
	}
}

// begin has a code be waited for in a conversation; false is that one is already, or was a moment ago, for something else.
func (c *confirmations) begin(at supervisor.Conversation) (come <-chan struct{}, end func(confirmed bool), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[spot(at)] != nil || c.cooling(at) {
		return nil, nil, false
	}
	w := &waiter{conversation: at.ID, come: make(chan struct{}, 1)}
	c.waiting[spot(at)] = w
	return w.come, func(confirmed bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, spot(at))
		if !confirmed {
			c.vain[spot(at)] = c.now().Add(late)
		}
	}, true
}

// cooling says whether a code may still come that was asked for in vain. The caller has c.mu.
func (c *confirmations) cooling(at supervisor.Conversation) bool {
	until, ok := c.vain[spot(at)]
	if ok && !c.now().Before(until) {
		delete(c.vain, spot(at))
		ok = false
	}
	return ok
}

// confirming is how long a person has to send a code.
const confirming = 5 * time.Minute

// stepUp is approval's StepUp.
type stepUp struct{ *service }

// Confirm asks for a code in the conversation, and waits for a right one.
func (s stepUp) Confirm(ctx context.Context, q supervisor.Question) (supervisor.Answer, error) {
	f, known, err := s.db.Access().Factors.Find(ctx, q.Conversation.User)
	if err != nil {
		return supervisor.AnswerNone, err
	}
	c, found, err := s.db.Conversations().Get(ctx, q.Conversation.ID)
	if err != nil || !found {
		return supervisor.AnswerNone, err
	}
	if !known || !f.Confirmed || inGroup(c) {
		return supervisor.AnswerNone, nil // no code can be had: as if none had come
	}
	come, end, ok := s.codes.begin(c)
	if !ok {
		return supervisor.AnswerNone, nil
	}
	confirmed := false
	defer func() { end(confirmed) }()
	text := q.Text + "\n\nThis needs a fresh code: send me the six digits that your authenticator app shows within five minutes. " +
		"Send nothing, and it is not done."
	if _, err := s.db.Outbox().Say(ctx, supervisor.Delivery{Conversation: c, Kind: supervisor.DeliveryNotice, Text: text}); err != nil {
		return supervisor.AnswerNone, err
	}
	s.feeds.Delivery(c.ID)
	patience := time.NewTimer(confirming)
	defer patience.Stop()
	select {
	case <-come:
		confirmed = true
		return supervisor.AnswerOnce, nil
	case <-patience.C:
		return supervisor.AnswerNone, nil
	case <-ctx.Done():
		return supervisor.AnswerNone, context.Cause(ctx)
	}
}
