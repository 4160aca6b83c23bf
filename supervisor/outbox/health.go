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

// alarmAfter is how long nothing can be sent to any chat before that is told.
const alarmAfter = 10 * time.Minute

// health is how it stands with the channel, as all queues together see it.
type health struct {
	Options

	mu       sync.Mutex // guards what follows
	answered time.Time  // when the channel last answered any queue
	troubles map[string]Trouble
	// since when nothing could be sent to any chat; the zero time where the last message went
	failing time.Time
	alarmed bool // Alarm was called, Recovered not yet
}

// Trouble is what does not go in one chat.
type Trouble struct {
	Chat  string
	Error string    // the last, in plain words
	Since time.Time // of the first in a row
	Until time.Time // nothing is tried before, as long as the channel answers nobody else
}

// explain says why a call did not go.
func explain(e *supervisor.SendError) string {
	return cmp.Or(resultTexts[e.Result], resultTexts[supervisor.ResultUnknown]) + ": " + e.Error()
}

// failed notes that something in a chat does not go. unsent says that it was a call of the channel.
func (h *health) failed(chat, why string, until time.Time, unsent bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.Now()
	t, ok := h.troubles[chat]
	if !ok {
		t.Since = now
	}
	t.Chat, t.Error, t.Until = chat, why, until
	h.troubles[chat] = t
	if unsent && h.failing.IsZero() {
		h.failing = now
	}
	if unsent && !h.alarmed && now.Sub(h.failing) >= alarmAfter {
		h.alarmed = true
		h.Alarm(fmt.Sprintf(textAlarm, h.failing.Format("2006-01-02 15:04 MST"), h.Name, why))
	}
}

// sent notes that something was sent to a chat.
func (h *health) sent(chat string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.Now()
	if h.alarmed {
		h.Recovered(fmt.Sprintf(textRecovered, h.Name, now.Sub(h.failing).Round(time.Second)))
	}
	delete(h.troubles, chat)
	h.answered, h.failing, h.alarmed = now, time.Time{}, false
}

// noteAnswer notes that the channel has answered.
func (h *health) noteAnswer() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answered = h.Now()
}

// answeredSince says whether the channel has answered any queue after a time.
func (h *health) answeredSince(at time.Time) bool {
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
