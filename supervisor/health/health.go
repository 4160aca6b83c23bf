// Package health finds loops of the service that have stopped moving. A Monitor pings each loop. A
// loop that answers in time is alive, even if its work fails or waits for others.
package health

import (
	"context"
	"errors"
	"sync"
	"time"
)

// AnswerLimit is how long a loop may take to answer a ping, by the monotonic clock.
const AnswerLimit = 45 * time.Second

// Loop is a loop that runs as long as the service.
type Loop struct {
	Name string // the loop's name in logs and metrics, such as "writer"
	// Ping returns once the loop has answered. A returned error is an answer, too: it says what
	// fails, such as a write to a full disk. A loop that waits for others, such as Telegram,
	// answers at once. Ping should return when ctx ends, which is no answer.
	Ping func(ctx context.Context) error
}

// State tells about a loop after its last ping.
type State struct {
	Name  string
	Moved time.Time // time of the last answer; zero means none yet
	Err   error     // error of the last answer; nil means that the loop's work succeeds
	Stuck bool      // the last ping was not answered within AnswerLimit
}

// Monitor pings loops. Its methods may be called from any goroutine.
type Monitor struct {
	mu    sync.Mutex // guards the fields below, and those of the watched loops
	loops []*watched
}

// watched is a loop with its state.
type watched struct {
	Loop
	state State
	ping  *ping // the ping that is under way; nil between pings
}

// ping is one call of Loop.Ping, which several callers may wait for.
type ping struct{ ended chan struct{} }

// New returns a monitor of loops.
func New(loops ...Loop) *Monitor {
	m := new(Monitor)
	for _, l := range loops {
		m.loops = append(m.loops, &watched{Loop: l, state: State{Name: l.Name}})
	}
	return m
}

// Ping pings all loops at once, and returns their states in the loops' order. It waits until each
// has answered, for AnswerLimit at most, or until ctx ends. If ctx ends first, the loops without an
// answer keep the states of their last pings.
//
// A ping without an answer is not repeated: the next call waits for the same ping.
func (m *Monitor) Ping(ctx context.Context) []State {
	limit := time.NewTimer(AnswerLimit)
	defer limit.Stop()
	pings := make([]*ping, len(m.loops))
	for i, w := range m.loops {
		pings[i] = m.begin(ctx, w)
	}
	for i, p := range pings {
		select {
		case <-p.ended:
		case <-limit.C:
			m.markStuck(pings[i:])
			return m.States()
		case <-ctx.Done():
			return m.States()
		}
	}
	return m.States()
}

// States returns the states of all loops since their last pings.
func (m *Monitor) States() []State {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]State, len(m.loops))
	for i, w := range m.loops {
		list[i] = w.state
	}
	return list
}

// begin pings a loop until caller ends, or returns the ping that is under way.
func (m *Monitor) begin(caller context.Context, w *watched) *ping {
	m.mu.Lock()
	defer m.mu.Unlock()
	if w.ping != nil {
		return w.ping
	}
	p := &ping{ended: make(chan struct{})}
	w.ping = p
	go func() { // Ping waits for this goroutine; that of a stuck loop stays until the loop moves
		ctx, cancel := context.WithTimeoutCause(caller, AnswerLimit, errUnanswered)
		defer cancel()
		err := w.Ping(ctx)
		m.mu.Lock()
		defer m.mu.Unlock()
		w.ping = nil
		defer close(p.ended)
		if caller.Err() != nil && err != nil { // the loop was not given its time
			return
		}
		w.state.Stuck = errors.Is(err, errUnanswered) || ctx.Err() != nil && errors.Is(err, ctx.Err())
		if !w.state.Stuck {
			w.state.Moved, w.state.Err = time.Now(), err
		}
	}()
	return p
}

// errUnanswered ends a ping that was not answered within AnswerLimit.
var errUnanswered = errors.New("the ping was not answered")

// markStuck marks the loops whose pings are among the given ones and still under way.
func (m *Monitor) markStuck(pings []*ping) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, w := range m.loops {
		for _, p := range pings {
			if w.ping != nil && w.ping == p {
				w.state.Stuck = true
			}
		}
	}
}
