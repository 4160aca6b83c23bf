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
	fresh    phase = "fresh"    // no hello yet: nothing is known of the person
	greeting phase = "greeting" // hello is being answered
	ready    phase = "ready"    // turns may be started
	stopping phase = "stopping" // turns are being ended; nothing new is taken
)

// after lists the phases that may follow one.
var after = map[phase][]phase{
	fresh:    {greeting, stopping},
	greeting: {ready, fresh, stopping},
	ready:    {stopping},
	stopping: {},
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
	idle    chan struct{} // holds a token when the last turn has ended
	greeted chan *chamber // holds the chamber once it is there, for keepCount

	mu    sync.Mutex // of state
	state state
}

// state is what changes in a server. Server.update alone reaches it.
type state struct {
	phase   phase
	chamber *chamber // from ready on
	turns   map[int64]context.CancelCauseFunc
}

func newServer(o Options) *server {
	if o.Tools == nil {
		o.Tools = standardTools
	}
	s := &server{options: o, stopped: make(chan struct{}), idle: make(chan struct{}, 1), greeted: make(chan *chamber, 1)}
	s.state = state{phase: fresh, turns: map[int64]context.CancelCauseFunc{}}
	return s
}

// close lets go of what a server holds when its connection has ended.
func (s *server) close() {
	s.update(func(state *state) {
		if state.chamber != nil {
			state.chamber.close(s.options.Report)
		}
	})
}

// update is the only way to state. change must not block.
func (s *server) update(change func(*state)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.state)
}

// transition moves to the next phase if it may follow the present one.
func (s *state) transition(next phase) error {
	for _, allowed := range after[s.phase] {
		if allowed == next {
			s.phase = next
			return nil
		}
	}
	return fmt.Errorf("a worker that is %s cannot become %s", s.phase, next)
}
