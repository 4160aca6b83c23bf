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

// alarmAfter is how long sending to all chats must fail before Alarm is called.
const alarmAfter = 10 * time.Minute

// health is the state of the channel, as seen by all queues together.
type health struct {
	Options

	mu       sync.Mutex // guards the fields below
	answered time.Time  // time of the channel's last answer to any queue
	troubles map[string]ChatTrouble
	// failing is the start of an unbroken series of failed sends; zero if the last send succeeded.
	failing time.Time
	alarmed bool   // whether Alarm was called after the last Recovered
	why     string // why the last send failed
}

// ChatTrouble describes why messages to one chat fail.
type ChatTrouble struct {
	Chat  string
	Error string    // the last error, in plain words
	Since time.Time // time of the first error in the current series
	Until time.Time // the queue tries nothing before this time, unless the channel answers another queue
}

// explain returns the reason of a failed call in plain words.
func explain(e *supervisor.SendError) string {
	return cmp.Or(resultTexts[e.Result], resultTexts[supervisor.SendResultUnknown]) + ": " + e.Error()
}

// recordFailure records that work for a chat failed. unsent is true if a call of the channel failed
// and nothing was sent.
func (h *health) recordFailure(chat, why string, until time.Time, unsent bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.Now()
	t, ok := h.troubles[chat]
	if !ok {
		t.Since = now
	}
	t.Chat, t.Error, t.Until = chat, why, until
	h.troubles[chat] = t
	if unsent {
		h.why = why
	}
	if unsent && h.failing.IsZero() {
		h.failing = now
	}
	if unsent && !h.alarmed && now.Sub(h.failing) >= alarmAfter {
		h.alarmed = true
		h.Alarm(fmt.Sprintf(textAlarm, h.failing.Format("2006-01-02 15:04 MST"), h.Name, why))
	}
}

// recordSent records that a message to a chat was sent.
func (h *health) recordSent(chat string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.Now()
	if h.alarmed {
		h.Recovered(fmt.Sprintf(textRecovered, h.Name, now.Sub(h.failing).Round(time.Second)))
	}
	delete(h.troubles, chat)
	h.answered, h.failing, h.alarmed = now, time.Time{}, false
}

// noteAnswer records that the channel has answered.
func (h *health) noteAnswer() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answered = h.Now()
}

// answeredSince reports whether the channel has answered any queue after at.
func (h *health) answeredSince(at time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.answered.After(at)
}

// forget drops the trouble of a chat that has no work left.
func (h *health) forget(chat string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.troubles, chat)
}

// alarm returns why sending fails, if Alarm was called after the last Recovered.
func (h *health) alarm() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.alarmed {
		return ""
	}
	return h.why
}

// listTroubles returns the chats in trouble, sorted.
func (h *health) listTroubles() []ChatTrouble {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.SortedFunc(maps.Values(h.troubles), func(a, b ChatTrouble) int { return cmp.Compare(a.Chat, b.Chat) })
}
