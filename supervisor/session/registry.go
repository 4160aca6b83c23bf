package session

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
	"mews/supervisor/internal/slots"
	"mews/supervisor/sqlite"
)

// defaultAtOnce is how many turns run at the same time, of all people together.
const defaultAtOnce = 8

// turnsAtOnce is how many conversations of one person run at the same time.
const turnsAtOnce = 2

// jobsAtOnce is how many jobs of one person run at the same time, besides those.
const jobsAtOnce = 1

// defaultJobs is how many jobs run at the same time, of all people together.
const defaultJobs = 2

// readsAtOnce is how many turns with a worker of their own run at the same time, of all people
// together.
const readsAtOnce = 2

// Registry has a session running for each conversation that has something to do.
type Registry struct {
	o        Options
	stops    *stopRequests
	allTurns *slots.Slots // of everybody
	chats    *slots.Slots // of turns that run for what people say
	jobs     *slots.Slots // of jobs' turns
	reads    *slots.Slots // of turns with a worker of their own

	mu       sync.Mutex // guards what follows
	sessions map[int64]*session
	woken    map[int64]supervisor.Conversation // since their sessions last looked
	users    map[string]*userTurns             // by user
	changed  chan struct{}                     // holds a token when woken may hold something
}

// New makes a registry; Run works it.
func New(o Options) *Registry {
	return &Registry{
		o:        o,
		stops:    newStopRequests(),
		allTurns: slots.New(cmp.Or(o.AtOnce, defaultAtOnce)),
		chats:    slots.NewEach(0, turnsAtOnce),
		jobs:     slots.NewEach(cmp.Or(o.Jobs.AtOnce, defaultJobs), jobsAtOnce),
		reads:    slots.New(readsAtOnce),
		sessions: map[int64]*session{},
		woken:    map[int64]supervisor.Conversation{},
		users:    map[string]*userTurns{},
		changed:  make(chan struct{}, 1),
	}
}

// Wake has a conversation's session look for work, also the one whose turn runs. It never blocks.
func (r *Registry) Wake(c supervisor.Conversation) {
	r.mu.Lock()
	r.woken[c.ID] = c
	if s := r.sessions[c.ID]; s != nil {
		signals.Send(s.arrived)
	}
	r.mu.Unlock()
	signals.Send(r.changed)
}

// Stop ends the turn that a command is about: the one that runs in its conversation, waits for its
// place, or is about to begin, also when an earlier life of the service began it. What was sent
// after that text goes on. A command that is run again after a crash ends no other turn than the
// first time.
//
// It returns when the turn's answer is in the outbox, or with ctx's cause when ctx ends first; the
// turn is ended all the same. Of the result, Inbound is 0 where there was nothing to stop, and Why
// is not WhyStopped where the turn had ended by itself.
func (r *Registry) Stop(ctx context.Context, c supervisor.Conversation, command int64) (sqlite.PrecedingText, error) {
	ahead, err := r.o.Inbox.Ahead(ctx, command)
	if err != nil || ahead.Inbound == 0 || ahead.Why != "" {
		return ahead, err
	}
	request := r.stops.request(c.ID, ahead.Inbound)
	defer request.readers.Done()
	r.interrupt(c)
	// If the turn ended before the request, its session does not know of it, and does not answer
	// it.
	again, err := r.o.Inbox.Ahead(ctx, command)
	if err == nil && (again.Inbound != ahead.Inbound || again.Why != "") {
		r.stops.turnEnded(ahead.Inbound, again.Why)
	}
	select {
	case <-request.ended:
	case <-ctx.Done():
		return ahead, context.Cause(ctx)
	}
	now, err := r.o.Inbox.Ahead(ctx, command)
	return sqlite.PrecedingText{Inbound: ahead.Inbound, Why: request.why, Waiting: now.Waiting}, err
}

// interrupt has a conversation's session see that a turn is to be stopped, also while it waits for
// a place.
func (r *Registry) interrupt(c supervisor.Conversation) {
	r.Wake(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.sessions[c.ID]; s != nil {
		signals.Send(s.interrupted)
	}
}

// StopNow ends the turn that runs in a conversation without anything on disk, for when the disk is
// full. It says whether there was one.
func (r *Registry) StopNow(conversation int64) (stopped bool) {
	return r.stops.stopRunning(conversation)
}

// Tell tells a person something in each of their conversations that is being worked for.
func (r *Registry) Tell(ctx context.Context, user, text string) {
	r.mu.Lock()
	var active []*session
	for _, s := range r.sessions {
		if s.conversation.User == user {
			active = append(active, s)
		}
	}
	r.mu.Unlock()
	for _, s := range active {
		s.notice(ctx, s.conversation.ID, text)
	}
}

// Run goes on with what an earlier life of the service left, and then runs a session for each
// conversation that is woken, until ctx ends. It returns when every session has ended.
func (r *Registry) Run(ctx context.Context) error {
	unfinished, err := r.o.Inbox.ListUnfinished(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find unfinished conversations: %w", err)
	}
	for _, c := range unfinished {
		if r.o.Serves == nil || r.o.Serves(c) {
			r.Wake(c)
			continue
		}
		r.o.Log.Warn("what is unfinished is left: its person is not there any more", "user", c.User, "conversation", c.ID)
	}
	var running sync.WaitGroup
	defer running.Wait()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.changed:
		}
		for _, s := range r.startWoken() {
			running.Go(func() { r.serve(ctx, s) })
		}
	}
}

// startWoken makes sessions for the woken conversations that have none. A conversation with a
// session stays woken, and its session sees that before it leaves.
func (r *Registry) startWoken() []*session {
	r.mu.Lock()
	defer r.mu.Unlock()
	var started []*session
	for id, c := range r.woken {
		if r.sessions[id] != nil {
			continue
		}
		delete(r.woken, id)
		log := r.o.Log.With("user", c.User, "conversation", c.ID)
		turns, kind := r.userTurns(c)
		s := &session{Options: &r.o, conversation: c, log: log, stops: r.stops, userTurns: turns, turns: kind, allTurns: r.allTurns, behind: !talks(c),
			interrupted: make(chan struct{}, 1), arrived: make(chan struct{}, 1)}
		r.sessions[id] = s
		started = append(started, s)
	}
	return started
}

// serve runs a session's turns as often as it is woken. It waits for a place before each of them,
// so that a conversation where much waits does not keep the others waiting until its end.
func (r *Registry) serve(ctx context.Context, s *session) {
	for {
		leave, ok := s.waitForSlots(ctx)
		if !ok {
			return
		}
		more := s.runNext(ctx)
		leave()
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

// ownWorkers says whether the turns of a conversation have workers of their own. Nobody talks
// there.
func ownWorkers(c supervisor.Conversation) bool { return c.Channel == supervisor.ChannelGitHub }

// talks says whether somebody talks in a conversation, and waits for an answer there.
func talks(c supervisor.Conversation) bool { return c.Channel.Can() != supervisor.Capabilities{} }

// userTurns are what a conversation's turns share with others of its person, and the slots of which
// each takes one. Those with workers of their own share nothing with their person's. The caller has
// the mutex.
func (r *Registry) userTurns(c supervisor.Conversation) (*userTurns, *slots.Slots) {
	if ownWorkers(c) {
		return newUserTurns(), r.reads
	}
	if r.users[c.User] == nil {
		r.users[c.User] = newUserTurns()
	}
	turns := r.users[c.User]
	if c.Channel == supervisor.ChannelJob {
		return turns, r.jobs
	}
	return turns, r.chats
}
