package approval

import (
	"context"
	"sync"
	"time"

	"mews/supervisor"
)

// ConfirmationsOptions are what Confirmations need. All of them are required.
type ConfirmationsOptions struct {
	Conversations Conversations
	Factors       Factors
	Outbox        Outbox
	Queued        func(conversation int64) // something was put into the conversation's outbox; never blocks
	Now           func() time.Time
}

// Conversations finds a conversation by its id.
type Conversations interface {
	FindByID(ctx context.Context, id int64) (c supervisor.Conversation, found bool, err error)
}

// Factors finds a person's second factor.
type Factors interface {
	Find(ctx context.Context, user string) (f supervisor.Factor, known bool, err error)
}

// Outbox takes what is said to a person.
type Outbox interface {
	Say(ctx context.Context, d supervisor.Delivery) (supervisor.Delivery, error)
}

// Confirmations ask people for a fresh code before an effect, and take it. What waits for a code waits in memory: an effect that
// a crash cut off asks for a code anew when it is tried again. They may be used from several goroutines.
type Confirmations struct {
	o ConfirmationsOptions

	mu      sync.Mutex                                  // guards what follows
	pending map[supervisor.Conversation]*pendingRequest // by chatOf
	expired map[supervisor.Conversation]expiredRequest  // likewise
}

// pendingRequest is an effect that waits for a code.
type pendingRequest struct {
	conversation supervisor.Conversation
	askedAt      time.Time
	right        bool          // a code was right in its transaction, which may not be on disk yet
	confirmed    chan struct{} // gets a token once such a code is on disk
	reminded     bool          // the person was told that it waits
}

// expiredRequest is an effect for which no right code came. A code that comes before until was meant for it.
type expiredRequest struct {
	turn    int64
	subject string
	until   time.Time
}

// isOf says whether a question asks for the same as the request did. The turn has lost its worker then, and asks again.
func (e expiredRequest) isOf(q supervisor.Question) bool {
	return q.Turn != 0 && q.Turn == e.turn && q.Subject == e.subject
}

// lateWindow is how long after a request expired no other waits in the same chat: a code that is sent for the one must not
// confirm the other.
const lateWindow = time.Minute

// NewConfirmations makes Confirmations for which nothing waits.
func NewConfirmations(o ConfirmationsOptions) *Confirmations {
	return &Confirmations{o: o, pending: map[supervisor.Conversation]*pendingRequest{},
		expired: map[supervisor.Conversation]expiredRequest{}}
}

// now is the time on the wall clock: a machine that sleeps stops the monotonic one.
func (c *Confirmations) now() time.Time { return c.o.Now().Round(0) }

// chatOf is the chat in which a person's codes are taken, as a key.
func chatOf(c supervisor.Conversation) supervisor.Conversation {
	return supervisor.Conversation{User: c.User, Channel: c.Channel, Chat: c.Chat}
}

// expects says whether a code that comes with an inbound is for an effect: one that waits, or one for which no code comes any
// more. wrap makes of how the code is held against the factor how it is to be held against it for that effect.
func (c *Confirmations) expects(in supervisor.Inbound) (wrap func(supervisor.Decide) supervisor.Decide, ok bool) {
	if in.Kind != supervisor.KindText {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	chat := chatOf(in.Conversation)
	request := c.pending[chat]
	switch _, late := c.expiredIn(chat); {
	case request == nil && !late:
		return nil, false
	case request != nil && request.conversation.Thread != in.Conversation.Thread:
		return decideElsewhere, true
	}
	return func(decide supervisor.Decide) supervisor.Decide { return c.decide(chat, request, decide) }, true
}

// Waits says whether a code is waited for in a conversation.
func (c *Confirmations) Waits(conversation int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, request := range c.pending {
		if request.conversation.ID == conversation {
			return true
		}
	}
	return false
}

// remind is what a person is told, once, who writes something else than the code that is waited for.
func (c *Confirmations) remind(in supervisor.Inbound) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	request := c.pending[chatOf(in.Conversation)]
	if request == nil || request.reminded {
		return ""
	}
	request.reminded = true
	return textCodeWaits
}

// decideElsewhere answers a code that was sent in another topic of the chat than the one in which it was asked for. It may be
// meant for something else, so it is not held against anything and is not used up.
func decideElsewhere(supervisor.Decide) supervisor.Decide {
	return func(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.Verdict) {
		return f, supervisor.Verdict{Action: "stepup.elsewhere", Text: textCodeElsewhere}
	}
}

// decide holds a code for a request against a factor. request is nil where it has expired.
func (c *Confirmations) decide(chat supervisor.Conversation, request *pendingRequest, decide supervisor.Decide) supervisor.Decide {
	if request != nil {
		decide = decideFresh(decide, request.askedAt)
	}
	return func(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
		f, v := decide(f, now)
		c.mu.Lock()
		defer c.mu.Unlock()
		switch waits := request != nil && c.pending[chat] == request; {
		case waits:
			request.right = v.Right
		case v.Right:
			v = supervisor.Verdict{Action: v.Action + ".late", Text: textCodeLate}
		}
		return f, v
	}
}

// codePeriod is how long an app shows a code (RFC 6238, section 5.2).
const codePeriod = 30 * time.Second

// decideFresh holds a code against a factor as decide does, but takes none that apps had ceased to show when it was asked for:
// who saw an older one over somebody's shoulder may still have it.
func decideFresh(decide supervisor.Decide, askedAt time.Time) supervisor.Decide {
	stale := askedAt.Unix()/int64(codePeriod.Seconds()) - 1
	return func(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
		least := f
		least.LastPeriod = max(f.LastPeriod, stale)
		after, v := decide(least, now)
		if after.LastPeriod == least.LastPeriod {
			after.LastPeriod = f.LastPeriod // no code of an app was taken
		}
		if !v.Right {
			if _, usual := decide(f, now); usual.Right {
				v.Text = textCodeStale
			}
		}
		return after, v
	}
}

// Stored is called when something in a conversation is on disk. A right code among it confirms what waits for it.
func (c *Confirmations) Stored(conversation int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, request := range c.pending {
		if request.conversation.ID == conversation && request.right {
			supervisor.Signal(request.confirmed)
		}
	}
}

// begin has a question wait for a code in its chat; the caller calls end when it waits no longer. It is false where another
// question waits there, or did a moment ago.
func (c *Confirmations) begin(q supervisor.Question) (confirmed <-chan struct{}, end func(confirmed bool), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	chat := chatOf(q.Conversation)
	if e, late := c.expiredIn(chat); c.pending[chat] != nil || late && !e.isOf(q) {
		return nil, nil, false
	}
	request := &pendingRequest{conversation: q.Conversation, askedAt: c.now(), confirmed: make(chan struct{}, 1)}
	c.pending[chat] = request
	return request.confirmed, func(confirmed bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.pending, chat)
		delete(c.expired, chat)
		if !confirmed {
			c.expired[chat] = expiredRequest{turn: q.Turn, subject: q.Subject, until: c.now().Add(lateWindow)}
		}
	}, true
}

// expiredIn is the request that expired in a chat and for which a code may still come. The caller has c.mu.
func (c *Confirmations) expiredIn(chat supervisor.Conversation) (e expiredRequest, late bool) {
	e, late = c.expired[chat]
	if late && !c.now().Before(e.until) {
		delete(c.expired, chat)
		return expiredRequest{}, false
	}
	return e, late
}
