package telegramtest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// APICall is one complete request of the API.
type APICall struct {
	Method string // the method's name, as the client wrote it
	// Params are the parameters. Parameters of a JSON body keep their types, with whole numbers as
	// int64. All other parameters are strings. Tests must not change the map.
	Params map[string]any
	ChatID int64     // the chat of the request; 0 means none
	At     time.Time // time of arrival, by the server's clock
	// Code is the HTTP status; 0 means that there was no complete answer.
	Code      int
	Processed bool // whether the request was carried out; the answer may say otherwise
}

// WebhookDelivery is one attempt to deliver an update to the webhook.
type WebhookDelivery struct {
	Update int64
	At     time.Time // time of the attempt, by the server's clock
	Code   int       // the HTTP status; 0 if there was no answer
	Error  string    // the error text; "" if the update was accepted
}

// callLog records everything that has happened.
type callLog struct {
	calls      []APICall
	counts     map[string]int // number of calls, by method in lower case
	deliveries []WebhookDelivery
	violations []string
	acks       []PressAck
}

func (j *callLog) arrive(method string, r *request, now time.Time) int {
	j.calls = append(j.calls, APICall{Method: method, Params: r.params, ChatID: r.chat, At: now})
	j.counts[r.method]++
	return len(j.calls) - 1
}

func (j *callLog) answered(call, code int, processed bool) {
	j.calls[call].Code, j.calls[call].Processed = code, processed
}

func (j *callLog) violate(format string, args ...any) {
	j.violations = append(j.violations, fmt.Sprintf(format, args...))
}

// Inspector gives tests access to everything that a server has recorded.
type Inspector struct{ state *serverState }

// Messages returns the messages in a chat in order, the bot's and people's.
func (r Inspector) Messages(id int64) []Message {
	return r.messages(id, func(m *Message) bool { return !m.Deleted })
}

// BotMessages returns the bot's messages in a chat.
func (r Inspector) BotMessages(id int64) []Message {
	return r.messages(id, func(m *Message) bool { return m.FromBot && !m.Deleted })
}

// DeletedMessages returns the messages in a chat that the bot has deleted.
func (r Inspector) DeletedMessages(id int64) []Message {
	return r.messages(id, func(m *Message) bool { return m.Deleted })
}

func (r Inspector) messages(id int64, want func(*Message) bool) []Message {
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

// Calls returns all requests, or those of the given methods.
func (r Inspector) Calls(method ...string) []APICall {
	var found []APICall
	r.state.read(func() {
		for _, c := range r.state.log.calls {
			if c.is(method) {
				found = append(found, c)
			}
		}
	})
	return found
}

// CountCalls counts all requests, or only the requests with the given methods.
func (r Inspector) CountCalls(method ...string) int {
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

func (c APICall) is(methods []string) bool {
	return len(methods) == 0 || slices.ContainsFunc(methods, func(m string) bool { return strings.EqualFold(m, c.Method) })
}

// WebhookDeliveries returns every attempt to deliver an update to a webhook, old and new.
func (r Inspector) WebhookDeliveries() []WebhookDelivery {
	return readValue(r.state, func() []WebhookDelivery { return slices.Clone(r.state.log.deliveries) })
}

// Violations returns the client's breaches of Telegram's rules. Examples are a request within a
// retry_after, more sends than Options.Rates, two getUpdates at once, and invalid entities.
func (r Inspector) Violations() []string {
	return readValue(r.state, func() []string { return slices.Clone(r.state.log.violations) })
}

// CountPendingUpdates returns the number of unconfirmed updates.
func (r Inspector) CountPendingUpdates() int {
	return readValue(r.state, func() int { return r.state.queue.countPending(r.state.now()) })
}

// IsPolling reports whether a getUpdates is waiting for an update.
func (r Inspector) IsPolling() bool {
	return readValue(r.state, func() bool { return r.state.polls.waiting != nil })
}

// ExpiredUpdates returns the ids of updates that nobody confirmed within 24 hours.
func (r Inspector) ExpiredUpdates() []int64 {
	var ids []int64
	r.state.read(func() {
		r.state.queue.countPending(r.state.now())
		ids = slices.Clone(r.state.queue.expired)
	})
	return ids
}

// DumpState returns a server's state and last calls for a test's log, without texts.
func (r Inspector) DumpState() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the Bot API server: %d updates pending\n", r.CountPendingUpdates())
	calls := r.Calls()
	for _, c := range calls[max(0, len(calls)-20):] {
		fmt.Fprintf(&b, "  %s %s chat %d: %d\n", c.At.Format("15:04:05.000"), c.Method, c.ChatID, c.Code)
	}
	for _, v := range r.Violations() {
		fmt.Fprintf(&b, "  violation: %s\n", v)
	}
	return b.String()
}
