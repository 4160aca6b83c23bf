package telegram

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"mews/supervisor/internal/signals"
)

// Health is the state of the connection from Telegram. The zero value is ready. Its methods may be
// called from any goroutine.
type Health struct {
	// Alarm is called once if a failure lasts, with the problem, its start and the remedy.
	// Recovered is called once when updates come again after an Alarm. If failures come and go,
	// Alarm is not called until alarmInterval has passed since the last call of either function.
	// Both must neither block nor call a method of Health; nil means no call. Set them before the
	// first use.
	Alarm     func(text string)
	Recovered func(text string)
	// Reached is called when an attempt succeeds after a failed one. Like Alarm, it must neither
	// block nor call a method of Health.
	Reached func()

	moves signals.Broadcast // notified when the receiving loop moves

	mu     sync.Mutex // guards the fields below
	status HealthStatus
	// waitsUntil is when the receiving loop stops waiting for others; zero means that it works
	waitsUntil time.Time
	alarmed    bool      // whether Alarm was called, and Recovered was not called since
	toldAt     time.Time // time of the last call of Alarm or Recovered
	last       lastFailure
}

// lastFailure is the last failure, with the history of its class.
type lastFailure struct {
	class   *failureClass // class of the failure; nil means no failure yet
	at      time.Time
	count   int  // failures of the class; each came within class.remembered after the previous one
	lasting bool // whether the failure is more than a short interruption
}

// HealthStatus is the state as shown to users.
type HealthStatus struct {
	Mode      UpdateMode
	State     HealthState
	Since     time.Time // time of the change to State
	Completed time.Time // time of Telegram's last answer to a poll or call of the webhook; zero means none yet
	Failures  int       // number of failures in a row
	Stalls    int       // polls that ended by their deadline
	Pending   int       // updates that wait at Telegram; only known with ModeWebhook
	Error     string    // the problem in plain words; "" if there is none
	Username  string    // the bot's username, without @; "" if unknown
}

// UpdateMode is the way in which updates come.
type UpdateMode string

const (
	ModePolling UpdateMode = "polling"
	ModeWebhook UpdateMode = "webhook"
)

// HealthState is the state of the connection.
type HealthState string

const (
	HealthStarting HealthState = "starting" // no attempt has ended yet
	HealthOK       HealthState = "ok"
	HealthFailing  HealthState = "failing" // the last attempt failed
)

// healthTransitions are the allowed transitions from each state.
var healthTransitions = map[HealthState]map[HealthState]bool{
	"":             {HealthStarting: true},
	HealthStarting: {HealthOK: true, HealthFailing: true},
	HealthOK:       {HealthFailing: true},
	HealthFailing:  {HealthOK: true},
}

// Status returns the current status.
func (h *Health) Status() HealthStatus {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.status
}

// SetUsername stores the bot's username.
func (h *Health) SetUsername(username string) {
	h.update(func(s *HealthStatus) { s.Username = username })
}

// begin stores how updates come. It is called once, before the first attempt.
func (h *Health) begin(mode UpdateMode) {
	h.update(func(s *HealthStatus) { s.Mode = mode; s.transition(HealthStarting) })
}

// answered records an answer of Telegram.
func (h *Health) answered() {
	h.update(func(s *HealthStatus) { s.Completed = time.Now() })
}

func (h *Health) stalled() {
	h.update(func(s *HealthStatus) { s.Stalls++ })
}

func (h *Health) pending(n int64) {
	h.update(func(s *HealthStatus) { s.Pending = int(n) })
}

// succeeded records a success. A success ends the last failure, unless it comes within the time
// remembered of the failure's class.
func (h *Health) succeeded() {
	h.update(func(s *HealthStatus) {
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

// alarmInterval is the shortest time between the last Alarm or Recovered and the next Alarm. (Three
// failures may be over in some 7 s.)
const alarmInterval = 10 * time.Minute

// failed records a failure, and reports whether it is more than a short interruption.
func (h *Health) failed(class *failureClass, err error) (lasting bool) {
	h.update(func(s *HealthStatus) {
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

func (h *Health) update(change func(*HealthStatus)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(&h.status)
}

// tell calls who with a text, unless who is nil. The caller holds h.mu.
func (h *Health) tell(who func(string), text string) {
	h.toldAt = time.Now()
	if who != nil {
		who(text)
	}
}

// transition changes the state; all changes go through it. A transition to the current state
// changes nothing.
func (s *HealthStatus) transition(to HealthState) {
	if healthTransitions[s.State][to] {
		s.State, s.Since = to, time.Now()
	}
}
