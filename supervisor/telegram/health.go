package telegram

import (
	"cmp"
	"fmt"
	"sync"
	"time"
)

// Health is how it stands with the way in from Telegram. The zero value is ready; its methods may
// be called from any goroutine.
type Health struct {
	// Alarm is called once when something stays broken, with what is wrong, since when, and what to
	// do. Recovered is called once when it works again, after Alarm was called. While it comes and
	// goes, Alarm is called again only some time after either was called last. They must neither
	// block nor call a method of this; nil is nobody; they are set before the first use.
	Alarm     func(text string)
	Recovered func(text string)
	// Reached is called when an attempt succeeds after one that failed. What holds for Alarm holds
	// for it.
	Reached func()

	mu      sync.Mutex // guards what follows
	status  Status
	alarmed bool      // Alarm was called, Recovered not yet
	toldAt  time.Time // when either was called last
	last    lastFailure
}

// lastFailure is the last failure, and what is known of those like it.
type lastFailure struct {
	class   *failureClass // nil: none yet
	at      time.Time
	count   int  // of the class, each remembered when the next came
	lasting bool // it was more than a short break
}

// Status is what a person is shown of it.
type Status struct {
	Mode      Mode
	State     HealthState
	Since     time.Time // when that state began
	Completed time.Time // when Telegram last answered a poll or brought something; zero: not yet
	Failures  int       // in a row
	Stalls    int       // polls that did not end by themselves
	Pending   int       // what waits at Telegram; known with ModeWebhook only
	Error     string    // what is wrong, in plain words; "" where nothing is
	Username  string    // the bot's, without @; "" while nobody has asked
}

// Mode is how updates come.
type Mode string

const (
	ModePolling Mode = "polling"
	ModeWebhook Mode = "webhook"
)

// HealthState is how it stands.
type HealthState string

const (
	HealthStarting HealthState = "starting" // nothing has worked or failed yet
	HealthOK       HealthState = "ok"
	HealthFailing  HealthState = "failing" // the last attempt failed
)

// healthTransitions are the states that may follow a state.
var healthTransitions = map[HealthState]map[HealthState]bool{
	"":             {HealthStarting: true},
	HealthStarting: {HealthOK: true, HealthFailing: true},
	HealthOK:       {HealthFailing: true},
	HealthFailing:  {HealthOK: true},
}

// Status is how it stands now.
func (h *Health) Status() Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.status
}

// Named notes who the bot is.
func (h *Health) Named(username string) {
	h.update(func(s *Status) { s.Username = username })
}

// begin is called once, before anything is tried.
func (h *Health) begin(mode Mode) {
	h.update(func(s *Status) { s.Mode = mode; s.transition(HealthStarting) })
}

// answered notes a sign of life of Telegram's.
func (h *Health) answered() {
	h.update(func(s *Status) { s.Completed = time.Now() })
}

func (h *Health) stalled() {
	h.update(func(s *Status) { s.Stalls++ })
}

func (h *Health) pending(n int64) {
	h.update(func(s *Status) { s.Pending = int(n) })
}

// succeeded notes a success: whatever has failed works again, unless a failure is remembered that
// lets attempts succeed in between.
func (h *Health) succeeded() {
	h.update(func(s *Status) {
		if h.last.lasting && time.Since(h.last.at) < h.last.class.remembered {
			return
		}
		if h.alarmed {
			h.alarmed = false
			h.tell(h.Recovered, h.last.class.recovery(time.Since(s.Since)))
		}
		if s.Failures > 0 && h.Reached != nil {
			h.Reached()
		}
		s.transition(HealthOK)
		s.Failures, s.Error = 0, ""
	})
}

// alarmInterval is how long no alarm is told of after the last one or its end. (Three failures may
// be over in some 7 s.)
const alarmInterval = 10 * time.Minute

// failed notes a failure, and says whether it is more than a short break.
func (h *Health) failed(class *failureClass, err error) (lasting bool) {
	h.update(func(s *Status) {
		s.transition(HealthFailing)
		s.Failures++
		s.Error = class.explain(err)
		if h.last.class != class || time.Since(h.last.at) >= class.remembered {
			h.last.count = 0
		}
		h.last.count++
		lasting = max(s.Failures, h.last.count) >= cmp.Or(class.alarmAfter, 3)
		h.last.class, h.last.at, h.last.lasting = class, time.Now(), lasting
		if lasting && !h.alarmed && (h.toldAt.IsZero() || time.Since(h.toldAt) >= alarmInterval) {
			h.alarmed = true
			h.tell(h.Alarm, fmt.Sprintf(textAlarm, s.Since.Format("2006-01-02 15:04 MST"), s.Error, class.advice))
		}
	})
	return lasting
}

func (h *Health) update(change func(*Status)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(&h.status)
}

// tell tells somebody, if there is one. The caller has h.mu.
func (h *Health) tell(who func(string), text string) {
	h.toldAt = time.Now()
	if who != nil {
		who(text)
	}
}

// transition is the only way to a state. To be in it already is no change.
func (s *Status) transition(to HealthState) {
	if healthTransitions[s.State][to] {
		s.State, s.Since = to, time.Now()
	}
}
