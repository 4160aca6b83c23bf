package pool

import (
	"slices"
	"time"
)

// WorkerState is the state of the worker of a key.
type WorkerState string

const (
	StateAbsent   WorkerState = "absent"   // no process runs; a process may be started
	StateStarting WorkerState = "starting" // a process was requested, but has not shaken hands
	StateIdle     WorkerState = "idle"     // the worker is ready, but not lent
	StateBusy     WorkerState = "busy"     // the worker is lent
	StateStopping WorkerState = "stopping" // the process is ending, or being cleaned up
	StateBackoff  WorkerState = "backoff"  // the worker died, and the next start must wait
	StateBroken   WorkerState = "broken"   // the worker died too often, so it is not started for a while
)

// transitions lists the states that may follow each state.
var transitions = map[WorkerState][]WorkerState{
	StateAbsent:   {StateStarting},
	StateStarting: {StateIdle, StateStopping},
	StateIdle:     {StateBusy, StateStopping},
	StateBusy:     {StateIdle, StateStopping},
	StateStopping: {StateAbsent, StateBackoff, StateBroken},
	StateBackoff:  {StateAbsent},
	StateBroken:   {StateAbsent},
}

// transition sets a managedWorker's state; nothing else may set it. It stops the timer, because a
// timer belongs to one state.
func (m *managedWorker[H]) transition(to WorkerState) {
	if !slices.Contains(transitions[m.state], to) {
		// this is a bug in managed_worker.go
		panic("pool: no transition from " + string(m.state) + " to " + string(to))
	}
	m.log.Debug("worker state", "from", m.state, "to", to)
	m.state, m.since = to, m.options.Now()
	m.timer.Stop()
	m.due = nil
}

// arm sets the timer to call f after d, unless the state changes first.
func (m *managedWorker[H]) arm(d time.Duration, f func()) {
	m.timer.Reset(d)
	m.due = f
}
