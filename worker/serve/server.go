package serve

import (
	"context"
	"fmt"
	"sync"

	"mews/protocol"
	"mews/worker/host"
)

// phase is how far a worker's life has come.
type phase string

const (
	phaseNew      phase = "fresh"    // no hello yet: nothing is known of the person
	phaseHello    phase = "greeting" // hello is being answered
	phaseReady    phase = "ready"    // turns may be started
	phaseStopping phase = "stopping" // turns are being ended; nothing new is taken
)

// nextPhases lists the phases that may follow one.
var nextPhases = map[phase][]phase{
	phaseNew:      {phaseHello, phaseStopping},
	phaseHello:    {phaseReady, phaseNew, phaseStopping},
	phaseReady:    {phaseStopping},
	phaseStopping: {},
}

const (
	maxTurns = 4  // a person has at most two conversations and a job under way, and one turn may be ending
	maxCalls = 16 // calls of the supervisor's that are answered at once: its turns, and some to spare for stop
)

// server is one worker's side of the connection. Conn and host are set before the first call and not changed.
type server struct {
	options Options
	conn    *protocol.Conn
	host    *host.Host
	stopped chan struct{} // closed when stop has been answered
	running sync.WaitGroup
	idle    chan struct{}   // holds a token when the last turn has ended
	opened  chan *userTools // holds the userTools once it is there, for runQuota

	mu    sync.Mutex // of state
	state serverState
}

// serverState is what changes in a server. Server.update alone reaches it.
type serverState struct {
	phase phase
	tools *userTools // from ready on
	turns map[int64]context.CancelCauseFunc
}

func newServer(o Options) *server {
	if o.Tools == nil {
		o.Tools = standardTools
	}
	s := &server{options: o, stopped: make(chan struct{}), idle: make(chan struct{}, 1), opened: make(chan *userTools, 1)}
	s.state = serverState{phase: phaseNew, turns: map[int64]context.CancelCauseFunc{}}
	return s
}

// close lets go of what a server holds when its connection has ended.
func (s *server) close() {
	s.update(func(state *serverState) {
		if state.tools != nil {
			state.tools.close(s.options.Report)
		}
	})
}

// update is the only way to state. change must not block.
func (s *server) update(change func(*serverState)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.state)
}

// transition moves to the next phase if it may follow the present one.
func (s *serverState) transition(next phase) error {
	for _, allowed := range nextPhases[s.phase] {
		if allowed == next {
			s.phase = next
			return nil
		}
	}
	return fmt.Errorf("a worker that is %s cannot become %s", s.phase, next)
}
