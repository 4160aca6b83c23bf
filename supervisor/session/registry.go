package session

import (
	"context"
	"fmt"
	"sync"

	"mews/supervisor"
)

// turnsAtOnce is how many conversations of one person run at the same time.
const turnsAtOnce = 2

// Registry has a session running for each conversation that has something to do.
type Registry struct {
	o Options

	mu       sync.Mutex // guards what follows
	sessions map[int64]*session
	woken    map[int64]supervisor.Conversation // asked for since they last looked
	lanes    map[string]chan struct{}          // by user: a token for each turn that runs
	changed  chan struct{}                     // holds a token when woken may hold something
}

// New makes a registry; Run works it.
func New(o Options) *Registry {
	return &Registry{
		o:        o,
		sessions: map[int64]*session{},
		woken:    map[int64]supervisor.Conversation{},
		lanes:    map[string]chan struct{}{},
		changed:  make(chan struct{}, 1),
	}
}

// Wake has a conversation's session look for work. It never blocks.
func (r *Registry) Wake(c supervisor.Conversation) {
	r.mu.Lock()
	r.woken[c.ID] = c
	r.mu.Unlock()
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// Stop ends the turn that runs in a conversation, if what it answers came before an inbound: who asks for it a second
// time, after a crash, does not end what came later. over is closed once the turn's answer is in the outbox; it is nil
// when no such turn runs.
func (r *Registry) Stop(conversation, before int64) (over <-chan struct{}) {
	r.mu.Lock()
	s := r.sessions[conversation]
	r.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.turn.stop(before)
}

// Run goes on with what an earlier life left, then works what is woken until ctx ends. It returns when every session has
// ended.
func (r *Registry) Run(ctx context.Context) error {
	unfinished, err := r.o.Inbox.Unfinished(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find unfinished conversations: %w", err)
	}
	for _, c := range unfinished {
		r.Wake(c)
	}
	var running sync.WaitGroup
	defer running.Wait()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.changed:
		}
		for _, s := range r.start() {
			running.Go(func() { r.serve(ctx, s) })
		}
	}
}

// start makes sessions for the woken conversations that have none. One that has a session keeps its mark, and the session
// sees it before it leaves.
func (r *Registry) start() []*session {
	r.mu.Lock()
	defer r.mu.Unlock()
	var started []*session
	for id, c := range r.woken {
		if r.sessions[id] != nil {
			continue
		}
		delete(r.woken, id)
		s := &session{Options: &r.o, conversation: c}
		r.sessions[id] = s
		started = append(started, s)
	}
	return started
}

// serve runs a session's turns as often as it is woken. It queues for its person's lane before each of them, so that a
// conversation where much waits does not keep the others waiting until its end.
func (r *Registry) serve(ctx context.Context, s *session) {
	lane := r.lane(s.conversation.User)
	for {
		select {
		case lane <- struct{}{}:
		case <-ctx.Done():
			return
		}
		more := s.step(ctx)
		<-lane
		if ctx.Err() != nil || !more && r.leave(s) {
			return
		}
	}
}

// leave takes a session out, unless it was woken since it last looked.
func (r *Registry) leave(s *session) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := s.conversation.ID
	if _, again := r.woken[id]; again {
		delete(r.woken, id)
		return false
	}
	delete(r.sessions, id)
	return true
}

func (r *Registry) lane(user string) chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lanes[user] == nil {
		r.lanes[user] = make(chan struct{}, turnsAtOnce)
	}
	return r.lanes[user]
}
