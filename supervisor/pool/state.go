package pool

import (
	"slices"
	"time"
)

// State is the state of a worker.
type State string

const (
	StateAbsent   State = "absent"   // there is no process, and one may be started
	StateStarting State = "starting" // a process was asked for, and has not shaken hands
	StateIdle     State = "idle"     // it is ready, and lent to nobody
	StateBusy     State = "busy"     // it is lent out
	StateStopping State = "stopping" // it is being ended, or has ended and is being cleared away
	StateBackoff  State = "backoff"  // it died, and the next start has to wait
	StateBroken   State = "broken"   // it died too often: nothing is started for a while
)

// transitions lists the states that may follow each state.
var transitions = map[State][]State{
	StateAbsent:   {StateStarting},
	StateStarting: {StateIdle, StateStopping},
	StateIdle:     {StateBusy, StateStopping},
	StateBusy:     {StateIdle, StateStopping},
	StateStopping: {StateAbsent, StateBackoff, StateBroken},
	StateBackoff:  {StateAbsent},
	StateBroken:   {StateAbsent},
}

// transition is the only writer of a managedWorker's state. It stops the timer, because a timer
// belongs to a state.
func (m *managedWorker[H]) transition(to State) {
	if !slices.Contains(transitions[m.state], to) {
		// a defect in managed_worker.go
		panic("pool: no transition from " + string(m.state) + " to " + string(to))
	}
	m.log.Debug("worker state", "from", m.state, "to", to)
	m.state, m.since = to, m.options.Now()
	m.timer.Stop()
	m.due = nil
}

// arm calls f after d, unless the state changes before.
func (m *managedWorker[H]) arm(d time.Duration, f func()) {
	m.timer.Reset(d)
	m.due = f
}
