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

// defaultAtOnce is how many turns run at the same time, of all users together.
const defaultAtOnce = 8

// turnsAtOnce is how many conversations of one user run at the same time.
const turnsAtOnce = 2

// jobsAtOnce is how many jobs of one user run at the same time, besides the conversations.
const jobsAtOnce = 1

// defaultJobs is how many jobs run at the same time, of all users together.
const defaultJobs = 2

// readsAtOnce is how many turns of one-shot workers run at the same time, of all users together.
const readsAtOnce = 2

// Registry runs a session for each conversation with work.
type Registry struct {
	o        Options
	stops    *stopRequests
	allTurns *slots.Slots // slots of all users' turns
	chats    *slots.Slots // slots of turns that answer users
	jobs     *slots.Slots // slots of jobs' turns
	reads    *slots.Slots // slots of turns with one-shot workers

	mu       sync.Mutex // guards the fields below
	sessions map[int64]*session
	woken    map[int64]supervisor.Conversation // conversations woken since their sessions last read the inbox
	users    map[string]*userTurns             // turns by user
	changed  chan struct{}                     // holds a token if woken may hold something
}

// New returns a registry; call Run to start it.
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

// Wake makes a conversation's session read the inbox, even during a turn. It never blocks.
func (r *Registry) Wake(c supervisor.Conversation) {
	r.mu.Lock()
	r.woken[c.ID] = c
	if s := r.sessions[c.ID]; s != nil {
		signals.Send(s.arrived)
	}
	r.mu.Unlock()
	signals.Send(r.changed)
}

// Stop ends the turn that a command is about. The turn is running, waits for a slot, or is about to
// begin; an earlier process may have begun it. Messages sent after the turn's text are not
// affected. A command that is repeated after a crash ends the same turn as the first time.
//
// Stop returns when the turn's answer is in the outbox. If ctx ends first, it returns the cause,
// and the turn ends all the same. In the result, Inbound is 0 if there was no turn to stop. Why is
// not WhyStopped if the turn had ended by itself.
func (r *Registry) Stop(ctx context.Context, c supervisor.Conversation, command int64) (sqlite.PrecedingText, error) {
	ahead, err := r.o.Inbox.PrecedingText(ctx, command)
	if err != nil || ahead.Inbound == 0 || ahead.Why != "" {
		return ahead, err
	}
	request := r.stops.request(c.ID, ahead.Inbound)
	defer request.readers.Done()
	r.interrupt(c)
	// If the turn ended before the request, its session does not know the request and will not
	// answer it.
	again, err := r.o.Inbox.PrecedingText(ctx, command)
	if err == nil && (again.Inbound != ahead.Inbound || again.Why != "") {
		r.stops.turnEnded(ahead.Inbound, again.Why)
	}
	select {
	case <-request.ended:
	case <-ctx.Done():
		return ahead, context.Cause(ctx)
	}
	now, err := r.o.Inbox.PrecedingText(ctx, command)
	return sqlite.PrecedingText{Inbound: ahead.Inbound, Why: request.why, Waiting: now.Waiting}, err
}

// interrupt makes a conversation's session check for stop requests, even during its wait for a
// slot.
func (r *Registry) interrupt(c supervisor.Conversation) {
	r.Wake(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.sessions[c.ID]; s != nil {
		signals.Send(s.interrupted)
	}
}

// StopNow ends the turn of a conversation without a write to the disk, which may be full. It
// returns whether there was a turn.
func (r *Registry) StopNow(conversation int64) (stopped bool) {
	return r.stops.stopRunning(conversation)
}

// Tell sends a notice to each of a user's conversations with a session.
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

// Run runs a session for each woken conversation until ctx ends. It first continues the work of an
// earlier process. It returns when every session has ended.
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

// startWoken makes sessions for the woken conversations that have none. A conversation that has a
// session stays woken, and the session notices that before it leaves.
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

// serve runs a session's turns as long as the session is woken. It waits for a slot before each
// turn, so that a busy conversation does not delay the others until its end.
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

// leave removes a session, unless it was woken meanwhile.
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

// ownWorkers reports whether the turns of a conversation have one-shot workers. No user talks in
// such a conversation.
func ownWorkers(c supervisor.Conversation) bool { return c.Channel == supervisor.ChannelGitHub }

// talks reports whether a user talks in a conversation, and waits for an answer there.
func talks(c supervisor.Conversation) bool {
	return c.Channel.Capabilities() != supervisor.Capabilities{}
}

// userTurns returns the turns that share a worker with a conversation's turns, and the slots of the
// conversation's kind. Turns with one-shot workers share nothing. The caller holds r.mu.
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
