package serve

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
)

// phase is a stage in the life of a worker.
type phase string

const (
	phaseNew   phase = "fresh"    // no hello yet, and no user
	phaseHello phase = "greeting" // hello is being answered
	phaseReady phase = "ready"    // turns and operations may be started
	// turns and operations are being ended, and no further work may be started
	phaseStopping phase = "stopping"
)

// nextPhases lists the phases that may follow each phase.
var nextPhases = map[phase][]phase{
	phaseNew:      {phaseHello, phaseStopping},
	phaseHello:    {phaseReady, phaseNew, phaseStopping},
	phaseReady:    {phaseStopping},
	phaseStopping: {},
}

const (
	// maxCalls bounds the supervisor's calls that are handled at the same time. It leaves room for
	// a stop beside all running work.
	maxCalls = 16
	// at most two conversations and a job of a user run at once, and one turn may be ending
	maxTurns      = 4
	maxOperations = 3 // at most two operations for which the user waits, and one operation in the background
)

// server is the worker's side of one connection. conn and host are set before the first call and
// never change.
type server struct {
	options Options
	conn    *protocol.Conn
	host    *host.Host
	stopped chan struct{} // closed once stop is answered
	running sync.WaitGroup
	idle    chan struct{}   // holds a token when the last turn or operation has ended
	ended   chan struct{}   // holds a token when a turn or operation has ended, for reportReminders
	opened  chan *userTools // gives the userTools to runHome once they are ready
	working chan struct{}   // closed when the first turn or operation begins

	mu    sync.Mutex // guards state
	state serverState
}

// serverState is the changing part of a server. Only server.update may use it.
type serverState struct {
	phase   phase
	tools   *userTools    // tools of the user; nil before phaseReady
	more    []worker.Tool // newest list of Options.MoreTools that the supervisor has
	worked  bool          // a turn or operation has begun
	running map[work]context.CancelCauseFunc
}

// work identifies a turn or an operation by the call that started it.
type work struct {
	method string
	id     int64
}

// noun returns "turn" or "operation".
func (w work) noun() string { return strings.TrimSuffix(w.method, ".start") }

// maxRunning bounds the turns and operations that run at once.
var maxRunning = map[string]int{protocol.MethodTurnStart: maxTurns, protocol.MethodOperationStart: maxOperations}

func newServer(o Options) *server {
	s := &server{options: o, stopped: make(chan struct{}), idle: make(chan struct{}, 1),
		ended: make(chan struct{}, 1), opened: make(chan *userTools, 1),
		working: make(chan struct{})}
	s.state = serverState{phase: phaseNew, running: map[work]context.CancelCauseFunc{}}
	return s
}

// close releases the tools of the user, and the folder of the file history, after the connection
// has ended.
func (s *server) close() {
	s.update(func(state *serverState) {
		if state.tools != nil {
			state.tools.close()
		}
	})
	if s.options.History != nil {
		_ = s.options.History.Close() // an open file history has already closed it
	}
}

// runWork runs a turn or operation with the user's tools. It can be stopped.
func (s *server) runWork(ctx context.Context, w work, run func(context.Context, *userTools) (any, error)) (any, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	u, err := s.beginWork(w, cancel)
	if err != nil {
		return nil, err
	}
	defer s.endWork(w)
	return run(ctx, u)
}

// beginWork admits a turn or operation and returns its tools. The function cancel stops this work.
func (s *server) beginWork(w work, cancel context.CancelCauseFunc) (u *userTools, err error) {
	s.update(func(state *serverState) {
		same := 0
		for other := range state.running {
			if other.method == w.method {
				same++
			}
		}
		switch {
		case state.phase != phaseReady:
			err = outOfPhase(w.method, state.phase)
		case state.running[w] != nil:
			err = &protocol.Error{Code: protocol.CodeInvalidRequest, Message: fmt.Sprintf("%s %d is running", w.noun(), w.id)}
		case same >= maxRunning[w.method]:
			err = &protocol.Error{Code: protocol.CodeBusy, Message: fmt.Sprintf("%d %ss are running", same, w.noun())}
		default:
			state.running[w] = cancel
			if !state.worked {
				state.worked = true
				close(s.working)
			}
			s.running.Add(1)
			u = state.tools
		}
	})
	return u, err
}

// endWork removes a turn or operation that has ended.
func (s *server) endWork(w work) {
	s.update(func(state *serverState) {
		delete(state.running, w)
		select {
		case s.ended <- struct{}{}:
		default:
		}
		if len(state.running) > 0 {
			return
		}
		select {
		case s.idle <- struct{}{}:
		default:
		}
	})
	s.running.Done()
}

// update is the only access to state. change must not block.
func (s *server) update(change func(*serverState)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.state)
}

// userTools returns the user's tools; nil means that there is no user yet.
func (s *server) userTools() (u *userTools) {
	s.update(func(state *serverState) { u = state.tools })
	return u
}

// moveTo moves to the next phase, if that may follow the present phase. It reports whether it has
// moved.
func (s *serverState) moveTo(next phase) bool {
	if !slices.Contains(nextPhases[s.phase], next) {
		return false
	}
	s.phase = next
	return true
}
