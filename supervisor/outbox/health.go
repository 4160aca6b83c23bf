package outbox

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"mews/supervisor"
)

// alarmAfter is how long nothing could be sent to any chat before that is told.
const alarmAfter = 10 * time.Minute

// health is how it stands with the channel, as all lanes together see it.
type health struct {
	*Options

	mu       sync.Mutex // guards what follows
	answered time.Time  // when the channel last answered any queue
	troubles map[string]Trouble
	failing  time.Time // since when nothing could be sent to any chat; the zero time where the last message went
	alarmed  bool      // Alarm was told, Recovered not yet
}

// Trouble is what does not go in one chat.
type Trouble struct {
	Chat  string
	Error string    // the last, in plain words
	Since time.Time // of the first in a row
	Until time.Time // nothing is tried before, as long as the channel answers nobody else
}

// statusTexts are what a failure is for a person, before what the channel says of it.
var statusTexts = map[supervisor.SendResult]string{
	supervisor.ResultUnsent:  "it was not taken",
	supervisor.ResultUnknown: "it is not known whether it was taken",
}

// explain says why a call did not go.
func explain(e *supervisor.SendError) string {
	return cmp.Or(statusTexts[e.Result], statusTexts[supervisor.ResultUnknown]) + ": " + e.Error()
}

// stuck notes that something in a chat does not go.
func (h *health) stuck(chat, why string, until time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.note(chat, why, until)
}

func (h *health) note(chat, why string, until time.Time) {
	t, ok := h.troubles[chat]
	if !ok {
		t.Since = h.Now()
	}
	t.Chat, t.Error, t.Until = chat, why, until
	h.troubles[chat] = t
}

// failed notes that the channel has not done what a queue asked of it.
func (h *health) failed(chat, why string, until time.Time) {
	if text := h.fail(chat, why, until); text != "" {
		tell(h.Alarm, text)
	}
}

// fail returns what is to be told of it; "" for nothing.
func (h *health) fail(chat, why string, until time.Time) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.note(chat, why, until)
	now := h.Now()
	if h.failing.IsZero() {
		h.failing = now
	}
	if h.alarmed || now.Sub(h.failing) < alarmAfter {
		return ""
	}
	h.alarmed = true
	return fmt.Sprintf("Since %s nothing could be sent to any chat of %s: %s. What people are to be told is kept, and tried "+
		"again for a day.", h.failing.Format("2006-01-02 15:04 MST"), h.Name, why)
}

// sent notes that something was sent to a chat.
func (h *health) sent(chat string) {
	if text := h.recover(chat); text != "" {
		tell(h.Recovered, text)
	}
}

// recover returns what is to be told of it; "" for nothing.
func (h *health) recover(chat string) (text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.Now()
	if h.alarmed {
		text = fmt.Sprintf("Messages can be sent to %s again, after %s.", h.Name, now.Sub(h.failing).Round(time.Second))
	}
	delete(h.troubles, chat)
	h.answered, h.failing, h.alarmed = now, time.Time{}, false
	return text
}

// heard notes a sign of life of the channel's.
func (h *health) heard() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answered = h.Now()
}

// heardSince says whether the channel has answered any queue after a time.
func (h *health) heardSince(at time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.answered.After(at)
}

// forget drops what is known of a chat that has nothing to do.
func (h *health) forget(chat string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.troubles, chat)
}

// inTrouble are the chats in which something does not go, sorted.
func (h *health) inTrouble() []Trouble {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.SortedFunc(maps.Values(h.troubles), func(a, b Trouble) int { return cmp.Compare(a.Chat, b.Chat) })
}

func tell(who func(string), text string) {
	if who != nil {
		who(text)
	}
}
