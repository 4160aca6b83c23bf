package telegramtest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Call is one request of the API that came whole, in the order in which they came.
type Call struct {
	Method string // as the client wrote it
	// a JSON body's own types, whole numbers as int64; else strings. Not to be changed
	Params map[string]any
	ChatID int64     // 0 for none
	At     time.Time // when it came, by the server's clock
	// the HTTP status that was answered; 0 while there is none and where the client got none, or
	// half
	Code      int
	Processed bool // it has done what it asked for, whatever the client was told
}

// Delivery is one attempt to bring an update to the webhook.
type Delivery struct {
	Update int64
	At     time.Time // by the server's clock
	Code   int       // 0 where there was no answer
	Error  string    // "" where it was taken
}

// callLog is what has happened.
type callLog struct {
	calls      []Call
	counts     map[string]int // of calls, by method in lower case
	deliveries []Delivery
	violations []string
	acks       []Ack
}

func (j *callLog) arrive(method string, r *request, now time.Time) int {
	j.calls = append(j.calls, Call{Method: method, Params: r.params, ChatID: r.chat, At: now})
	j.counts[r.method]++
	return len(j.calls) - 1
}

func (j *callLog) answered(call, code int, processed bool) {
	j.calls[call].Code, j.calls[call].Processed = code, processed
}

func (j *callLog) violate(format string, args ...any) {
	j.violations = append(j.violations, fmt.Sprintf(format, args...))
}

// Record is what a server has seen.
type Record struct{ state *serverState }

// Chat is what stands in a chat now, in order: the bot's messages and people's.
func (r Record) Chat(id int64) []Message {
	return r.messages(id, func(m *Message) bool { return !m.Deleted })
}

// Sent is the bot's part of what stands in a chat.
func (r Record) Sent(id int64) []Message {
	return r.messages(id, func(m *Message) bool { return m.FromBot && !m.Deleted })
}

// Deleted is what the bot has deleted in a chat.
func (r Record) Deleted(id int64) []Message {
	return r.messages(id, func(m *Message) bool { return m.Deleted })
}

func (r Record) messages(id int64, want func(*Message) bool) []Message {
	var found []Message
	r.state.read(func() {
		c := r.state.chats.byID[id]
		if c == nil {
			return
		}
		for _, m := range c.messages {
			if want(m) {
				found = append(found, *m)
			}
		}
	})
	return found
}

// Calls is every request, or every one of some methods.
func (r Record) Calls(method ...string) []Call {
	var found []Call
	r.state.read(func() {
		for _, c := range r.state.log.calls {
			if c.is(method) {
				found = append(found, c)
			}
		}
	})
	return found
}

// Count is how many Calls there are.
func (r Record) Count(method ...string) int {
	n := 0
	r.state.read(func() {
		for _, m := range method {
			n += r.state.log.counts[strings.ToLower(m)]
		}
		if len(method) == 0 {
			n = len(r.state.log.calls)
		}
	})
	return n
}

func (c Call) is(methods []string) bool {
	return len(methods) == 0 || slices.ContainsFunc(methods, func(m string) bool { return strings.EqualFold(m, c.Method) })
}

// Deliveries is every attempt at the webhook, those of setWebhook's url and of earlier ones.
func (r Record) Deliveries() []Delivery {
	return look(r.state, func() []Delivery { return slices.Clone(r.state.log.deliveries) })
}

// Violations is what no good client does: requests within a retry_after, more than Options.Rates,
// two getUpdates at once, entities that are out of the rules.
func (r Record) Violations() []string {
	return look(r.state, func() []string { return slices.Clone(r.state.log.violations) })
}

// Pending is how many updates are not confirmed.
func (r Record) Pending() int {
	return look(r.state, func() int { return r.state.queue.pending(r.state.now()) })
}

// Polling says whether a getUpdates waits for something to come.
func (r Record) Polling() bool {
	return look(r.state, func() bool { return r.state.polls.waiting != nil })
}

// Expired is which updates nobody confirmed within their 24 hours.
func (r Record) Expired() []int64 {
	var ids []int64
	r.state.read(func() {
		r.state.queue.pending(r.state.now())
		ids = slices.Clone(r.state.queue.expired)
	})
	return ids
}

// Dump is how a server is, for whoever reads a test's log: no texts, the last of the calls.
func (r Record) Dump() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the Bot API server: %d updates pending\n", r.Pending())
	calls := r.Calls()
	for _, c := range calls[max(0, len(calls)-20):] {
		fmt.Fprintf(&b, "  %s %s chat %d: %d\n", c.At.Format("15:04:05.000"), c.Method, c.ChatID, c.Code)
	}
	for _, v := range r.Violations() {
		fmt.Fprintf(&b, "  violation: %s\n", v)
	}
	return b.String()
}
