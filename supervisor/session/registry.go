package session

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
	"mews/supervisor/internal/slots"
	"mews/supervisor/sqlite"
)

// defaultAtOnce is how many turns of all users run at once.
const defaultAtOnce = 8

// turnsAtOnce is how many conversations of one user run at once.
const turnsAtOnce = 2

// jobsAtOnce is how many jobs of one user run at once, besides the user's conversations.
const jobsAtOnce = 1

// defaultJobs is how many jobs of all users run at once.
const defaultJobs = 2

// readsAtOnce is how many turns in one-shot workers run at once, of all users together.
const readsAtOnce = 2

// Registry runs a session for each conversation with work.
type Registry struct {
	o        Options
	pings    signals.Pings
	stops    *stopRequests
	allTurns *slots.Slots // slots of all users' turns
	chats    *slots.Slots // slots of turns in chats
	jobs     *slots.Slots // slots of jobs' turns
	reads    *slots.Slots // slots of turns with one-shot workers

	mu       sync.Mutex // guards the fields below
	sessions map[int64]*session
	woken    map[int64]supervisor.Conversation // conversations woken since their sessions last read the inbox
	users    map[string]*userTurns             // turns by user
	changed  chan struct{}                     // holds a token if woken may have entries
	reserved reservations
}

// New returns a registry; call Run to start it.
func New(o Options) *Registry {
	return &Registry{
		o:        o,
		pings:    signals.NewPings(),
		stops:    newStopRequests(),
		allTurns: slots.New(cmp.Or(o.AtOnce, defaultAtOnce)),
		chats:    slots.NewWithUserLimit(0, turnsAtOnce),
		jobs:     slots.NewWithUserLimit(cmp.Or(o.Jobs.AtOnce, defaultJobs), jobsAtOnce),
		reads:    slots.New(readsAtOnce),
		sessions: map[int64]*session{},
		woken:    map[int64]supervisor.Conversation{},
		users:    map[string]*userTurns{},
		changed:  make(chan struct{}, 1),
		reserved: newReservations(),
	}
}

// WakeSession makes a conversation's session read the inbox, even during a turn. It never blocks.
func (r *Registry) WakeSession(c supervisor.Conversation) {
	r.mu.Lock()
	r.woken[c.ID] = c
	if s := r.sessions[c.ID]; s != nil {
		signals.SendToken(s.arrived)
	}
	r.mu.Unlock()
	signals.SendToken(r.changed)
}

// StopTurn ends the turn that a command is about. The turn may be running, waiting for a slot, or
// about to begin; an earlier process may have begun it. Later messages are not affected. A command
// that is repeated after a crash ends the same turn as before.
//
// StopTurn returns when the turn's answer is in the outbox. If ctx ends first, StopTurn returns the
// cause, and the turn still ends. In the result, Inbound is 0 if no turn ran, or if its text was
// dropped meanwhile. Why differs from TurnEndStopped if the turn ended by itself.
func (r *Registry) StopTurn(ctx context.Context, c supervisor.Conversation, command int64) (sqlite.PrecedingText,
	error) {
	for {
		ahead, err := r.o.Inbox.PrecedingText(ctx, command)
		if err != nil || ahead.Inbound == 0 || ahead.Why != "" {
			return ahead, err
		}
		ended, joined, err := r.stopTurnOf(ctx, c, command, ahead)
		if err != nil || !joined {
			return ended, err
		}
		// the command is now about the turn that has taken the text in
	}
}

// stopTurnOf ends the turn of a text that a command is about. joined reports whether the text was
// taken into another turn meanwhile.
func (r *Registry) stopTurnOf(ctx context.Context, c supervisor.Conversation, command int64,
	ahead sqlite.PrecedingText) (
	ended sqlite.PrecedingText, joined bool, err error) {
	request := r.stops.request(c.ID, ahead.Inbound)
	defer request.readers.Done()
	r.interrupt(c)
	// If the turn ended before the request, its session does not know the request and will not
	// answer it.
	// After an error here, the session ends the request.
	if again, err := r.o.Inbox.PrecedingText(ctx, command); err == nil && again.Why != "" {
		r.stops.turnEnded(ahead.Inbound, again.Why)
	} else if err == nil && again.Inbound != ahead.Inbound {
		_, _ = r.endUselessStop(ctx, ahead.Inbound)
	}
	select {
	case <-request.ended:
	case <-ctx.Done():
		return ahead, false, context.Cause(ctx)
	}
	now, err := r.o.Inbox.PrecedingText(ctx, command)
	ended = sqlite.PrecedingText{Inbound: ahead.Inbound, Why: request.why, Waiting: now.Waiting}
	if ended.Why == "" && now.Inbound == ahead.Inbound {
		ended.Why = now.Why
	}
	if ended.Why == "" {
		ended.Inbound = 0 // the text was dropped
	}
	return ended, request.joined, err
}

// endUselessStop ends the stop request for a text that will get no turn of its own: the text was
// dropped, or was taken into the turn of another text.
func (r *Registry) endUselessStop(ctx context.Context, inbound int64) (*stopRequest, error) {
	own, joined, err := r.o.Inbox.TextTurnState(ctx, inbound)
	if err != nil || own {
		return nil, err
	}
	return r.stops.textGone(inbound, joined), nil
}

// endUselessStops calls endUselessStop for each stop request of a session's conversation, and waits
// until the goroutines that wait for these requests have read the inbox.
func (r *Registry) endUselessStops(ctx context.Context, s *session) {
	for _, inbound := range r.stops.list(s.conversation.ID) {
		request, _ := retry.StoreUntilDone(ctx, s.log, "find the text of a stop request", func() (*stopRequest, error) {
			return r.endUselessStop(ctx, inbound)
		})
		if request != nil {
			request.readers.Wait()
		}
	}
}

// interrupt makes a conversation's session check for stop requests, even during its wait for a
// slot.
func (r *Registry) interrupt(c supervisor.Conversation) {
	r.WakeSession(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.sessions[c.ID]; s != nil {
		signals.SendToken(s.interrupted)
	}
}

// StopTurnWithoutStoring ends the turn of a conversation without a write to the disk. The disk may
// be full. It returns whether a turn ran.
func (r *Registry) StopTurnWithoutStoring(conversation int64) (stopped bool) {
	return r.stops.stopRunning(conversation)
}

// SendNotice sends a notice to a user, in each conversation with a session. While the disk is full
// it waits, until ctx ends.
func (r *Registry) SendNotice(ctx context.Context, user, text string) {
	r.mu.Lock()
	var active []*session
	for _, s := range r.sessions {
		if s.conversation.User == user {
			active = append(active, s)
		}
	}
	r.mu.Unlock()
	for _, s := range active {
		_, stored := retry.StoreUntilDone(ctx, s.log, "store a notice", func() (supervisor.Delivery, error) {
			return s.Notices.PutTextNotice(ctx, s.conversation.ID, text)
		})
		if stored {
			s.Feeds.NotifyDelivery(s.conversation.ID)
		}
	}
}

// Ping returns once the loop of Run has answered, or with the cause of ctx's end.
func (r *Registry) Ping(ctx context.Context) error { return r.pings.Ping(ctx) }

// Run runs a session for each woken conversation until ctx ends. It first continues the work of an
// earlier process. It returns when every session has ended.
func (r *Registry) Run(ctx context.Context) error {
	unfinished, err := r.o.Inbox.ListUnfinishedConversations(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find unfinished conversations: %w", err)
	}
	for _, c := range unfinished {
		if r.o.Serves == nil || r.o.Serves(c) {
			r.WakeSession(c)
			continue
		}
		r.o.Log.Warn("what is unfinished is left: its person is not there any more", "user", c.User, "conversation", c.ID)
	}
	var running sync.WaitGroup
	defer r.refuseReservations(ctx)
	defer running.Wait()
	r.acceptReservations()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.pings:
			continue
		case <-r.changed:
		}
		for _, s := range r.startWoken() {
			running.Go(func() { r.serve(ctx, s) })
		}
	}
}

// startWoken makes sessions for woken conversations without a session. If a conversation has a
// session, it stays woken until the session reads the inbox.
func (r *Registry) startWoken() []*session {
	r.mu.Lock()
	defer r.mu.Unlock()
	var started []*session
	for id, c := range r.woken {
		if r.sessions[id] != nil || r.reserved.held[id] {
			continue
		}
		delete(r.woken, id)
		log := r.o.Log.With("user", c.User, "conversation", c.ID)
		turns, kind := r.userTurns(c)
		s := &session{Options: &r.o, conversation: c, log: log, stops: r.stops, userTurns: turns, turns: kind, allTurns: r.allTurns, behind: !talks(c),
			interrupted: make(chan struct{}, 1), arrived: make(chan struct{}, 1), begun: r.reserved.take(c)}
		r.sessions[id] = s
		started = append(started, s)
	}
	return started
}

// serve runs a session's turns until no message waits. It waits for a slot before each turn, so
// that a busy conversation does not hold back other conversations.
func (r *Registry) serve(ctx context.Context, s *session) {
	for {
		leave, ok := s.waitForSlots(ctx)
		if !ok {
			if s.begun != nil {
				s.endAdvance(ctx, s.begun.Turn.ID)
			}
			return
		}
		r.endUselessStops(ctx, s)
		more := s.runCounted(ctx)
		r.endUselessStops(ctx, s)
		leave()
		if ctx.Err() != nil || !more && r.leave(s) {
			return
		}
	}
}

// leave removes a session, unless the conversation was woken meanwhile.
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

// ownWorkers reports whether a conversation's turns run in one-shot workers. No user talks in such
// a conversation.
func ownWorkers(c supervisor.Conversation) bool { return c.Channel == supervisor.ChannelGitHub }

// talks reports whether a user talks in the conversation and waits for an answer.
func talks(c supervisor.Conversation) bool {
	return c.Channel.Capabilities() != supervisor.Capabilities{}
}

// userTurns returns the turns that share the conversation's worker, and the slots of the
// conversation's kind. Turns in one-shot workers share no worker. The caller holds r.mu.
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
