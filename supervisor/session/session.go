// Package session runs the turns of conversations: it takes what a person sent from the inbox, has
// a turn run for it, and puts the answer into the outbox. There is one goroutine for each
// conversation that has something to do, and one turn at a time in it. Nothing is kept in memory
// that is not on disk, so a session, or the whole process, may end at any moment.
//
// A turn passes three functions: session.runNext (session.go) finds it, tries it until it has ended
// and puts its answer into the outbox; turn.attempt (turn.go) is one try; Runner.Run, which is the
// caller's, has a worker do it.
package session

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/slots"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
)

// Inbox is where a conversation's work comes from.
type Inbox interface {
	Next(ctx context.Context, conversation int64) (supervisor.Inbound, bool, error)
	Supersedes(ctx context.Context, conversation int64) (bool, error)
	ListUnfinished(ctx context.Context) ([]supervisor.Conversation, error)
	Ahead(ctx context.Context, command int64) (sqlite.PrecedingText, error)
}

// Turns keeps how far the work has come.
type Turns interface {
	Start(ctx context.Context, inbound int64, c *supervisor.Claim) (turn supervisor.Turn, lease supervisor.Lease, err error)
	Take(ctx context.Context, turn int64, room int, least supervisor.Priority) (taken int, err error)
	Asked(ctx context.Context, turn int64) (message int64, err error)
	FindRunning(ctx context.Context, conversation int64) (sqlite.RunningTurn, bool, error)
	Died(ctx context.Context, turn int64) (deaths int, err error)
	Finish(ctx context.Context, end sqlite.FinishTurn) (supervisor.Delivery, error)
}

// Waiting keeps that turns wait for their persons.
type Waiting interface {
	// Suspend keeps for how long a turn has run, and says whether it still waits: the answer may
	// have come.
	Suspend(ctx context.Context, turn int64, ran time.Duration) (waits bool, err error)
}

// LastSteps keeps what a model said last in a turn, with the turn's end.
type LastSteps interface {
	CommitLast(ctx context.Context, last sqlite.LastStep) (sqlite.EndedStep, error)
}

// Advances are what turns have set aside as they start.
type Advances interface {
	// Claim is what is to be set aside for a conversation's next turn; nil for nothing.
	Claim(c supervisor.Conversation) *supervisor.Claim
	// Begin says that a turn has started with a lease.
	Begin(turn int64, lease supervisor.Lease, of supervisor.Claim)
	// End gives back what an attempt has not used.
	End(ctx context.Context, turn int64) error
}

// Voices have answers be said aloud.
type Voices interface {
	// ModeOf is how an answer of a conversation is said.
	ModeOf(c supervisor.Conversation, text string) supervisor.VoiceMode
	// Wake says that one was kept that is to be said. It never blocks.
	Wake()
}

// Worked lists what tools have done.
type Worked interface {
	ListWorked(ctx context.Context, turn int64, messages int) (tools []string, err error)
}

// Notices tells a person what no turn says.
type Notices interface {
	PutNotice(ctx context.Context, conversation int64, text string) (supervisor.Delivery, error)
}

// Options are what all sessions share.
type Options struct {
	Inbox     Inbox
	Turns     Turns
	Waiting   Waiting
	LastSteps LastSteps
	Notices   Notices
	Runner    Runner
	Feeds     *reply.Feeds
	Limits    protocol.TurnLimits
	Jobs      JobLimits // of the turns of jobs
	// turns that run at once, of all people together; 0 is 8
	AtOnce int
	Audit  func(user, action, detail string) // never blocks
	// whether its person is still to be served; nil: everybody is
	Serves func(supervisor.Conversation) bool
	// Busy is what a person wants with what they send while a turn runs; nil: BusyQueue. BusySteer
	// is done where a turn asks its model, and not here.
	Busy func(ctx context.Context, user string) supervisor.Busy
	// Claim takes the next call of a chat for an answer there that is about to be kept, where it
	// can be sent at once and is one message; nil: it never can.
	Claim  func(to supervisor.Conversation, turn supervisor.Turn, text string) (supervisor.SendClaim, bool)
	Voices Voices // nil: no answer is said aloud
	// a turn has ended, and may have left work for operations; never blocks; nil: nobody asks
	Ended    func()
	Worked   Worked   // nil: what answers claim to have done is not verified
	Advances Advances // nil: nothing is set aside before a turn's first call of a model
	Now      func() time.Time
	Log      hclog.Logger
}

// JobLimits hold for the turns of jobs.
type JobLimits struct {
	// of each; nil is that of every turn
	Turn func(context.Context, supervisor.Turn) protocol.TurnLimits
	// of all people together; 0 is 2
	AtOnce int
}

// session is one conversation's. runNext belongs to one goroutine.
type session struct {
	*Options
	conversation supervisor.Conversation
	log          hclog.Logger
	stops        *stopRequests // of all sessions
	userTurns    *userTurns    // of the person's sessions
	turns        *slots.Slots  // of its kind, of which a turn takes one
	behind       bool          // its turns begin when nobody's wait, and hold no slot of theirs
	allTurns     *slots.Slots  // of all sessions
	interrupted  chan struct{} // holds a token when stops may hold something new
	arrived      chan struct{} // holds a token when something new may wait in the conversation
}

// waitForSlots waits for a slot among the turns of its kind and then among everybody's. release
// gives both back. A turn that is to be stopped needs none. It is not ok where ctx has ended.
func (s *session) waitForSlots(ctx context.Context) (release func(), ok bool) {
	for ctx.Err() == nil && !s.stops.wanted(s.conversation.ID) {
		slot, ok := s.waitFor(ctx, s.turns, s.conversation.User)
		if !ok {
			continue
		}
		if leave, ok := s.waitForTurn(ctx); ok {
			return func() { leave(); slot.Release() }, true
		}
		slot.Release()
	}
	return func() {}, ctx.Err() == nil
}

// waitFor waits for a slot. It is not ok where a turn is to be stopped, or ctx has ended.
func (s *session) waitFor(ctx context.Context, of *slots.Slots, person string) (slot *slots.Slot, ok bool) {
	slot = of.Request(person)
	select {
	case <-slot.Granted():
		return slot, true
	case <-s.interrupted:
	case <-ctx.Done():
	}
	slot.Release()
	return nil, false
}

// waitForTurn waits until it is the session's turn among everybody's.
func (s *session) waitForTurn(ctx context.Context) (leave func(), ok bool) {
	whose := s.conversation.User
	if s.behind {
		whose = ""
	}
	slot, ok := s.waitFor(ctx, s.allTurns, whose)
	if ok && s.behind {
		slot.Release()
		return func() {}, true
	}
	if !ok {
		return nil, false
	}
	return slot.Release, true
}

// runNext runs the conversation's next turn until it has ended, with as many attempts as that
// takes, and puts its answer into the outbox. It says whether there may be another turn.
func (s *session) runNext(ctx context.Context) (more bool) {
	running, ok := s.nextTurn(ctx)
	if !ok || running.Waits && !s.stops.wanted(s.conversation.ID) {
		return false
	}
	t := &turn{session: s, RunningTurn: running, alone: running.Turn.Deaths > 0}
	t.stream = s.Feeds.Open(running.Turn, progressOf(running).said)
	defer s.stops.turnLeft(t.Turn.Inbound)
	defer t.stream.Close()
	turnCtx := s.stops.turnBegun(ctx, t.Turn)
	t.takeWaiting(ctx)
	for {
		o := t.attempt(ctx, turnCtx)
		switch {
		case o.unfinished || o.waits:
			return false
		case o.again:
		case o.superseded && t.restart(ctx):
			turnCtx = s.stops.turnBegun(ctx, t.Turn)
		default:
			return t.finish(ctx, o)
		}
	}
}

// nextTurn is the turn to work on: the one that an earlier life left open, or a new one for the
// next inbound. It is retried while the store is not available.
func (s *session) nextTurn(ctx context.Context) (running sqlite.RunningTurn, ok bool) {
	running, kept := retry.Persist(ctx, s.log, "find the next turn", func() (sqlite.RunningTurn, error) {
		running, found, err := s.Turns.FindRunning(ctx, s.conversation.ID)
		if err != nil || found {
			return running, err
		}
		in, found, err := s.Inbox.Next(ctx, s.conversation.ID)
		if err != nil || !found || !s.served() {
			return running, err
		}
		if err = s.start(ctx, in.ID); err == nil {
			running, _, err = s.Turns.FindRunning(ctx, s.conversation.ID)
		}
		return running, err
	})
	return running, kept && running.Turn.ID != 0
}

// start starts the turn of an inbound, with what its first call of a model is likely to need.
func (s *session) start(ctx context.Context, inbound int64) error {
	var claim *supervisor.Claim
	if s.Advances != nil {
		claim = s.Advances.Claim(s.conversation)
	}
	turn, lease, err := s.Turns.Start(ctx, inbound, claim)
	if err == nil && lease.ID != 0 {
		s.Advances.Begin(turn.ID, lease, *claim)
	}
	return err
}

// endAdvance gives back what a turn has set aside and not used.
func (t *turn) endAdvance(ctx context.Context) {
	if t.Advances == nil {
		return
	}
	// it is given up at the service's next start
	if err := t.Advances.End(ctx, t.Turn.ID); err != nil {
		t.log.Error("give back what a turn has not used", "turn", t.Turn.ID, "error", err)
	}
}

// served says whether the person is still served. Where not, what waits stays as it is, until they
// are back and the service starts again or they send something.
func (s *session) served() bool { return s.Serves == nil || s.Serves(s.conversation) }

// reopen reads how far the conversation's turn has come.
func (s *session) reopen(ctx context.Context, turn int64) (running sqlite.RunningTurn, ok bool) {
	return retry.Persist(ctx, s.log, "read an open turn", func() (sqlite.RunningTurn, error) {
		running, _, err := s.Turns.FindRunning(ctx, s.conversation.ID)
		if err == nil && running.Turn.ID != turn {
			err = &supervisor.Error{Code: supervisor.CodeNotFound, Message: fmt.Sprintf("turn %d is not open any more", turn)}
		}
		return running, err
	})
}

// notice tells the person in a conversation something that no turn says. It says whether that was
// possible.
func (s *session) notice(ctx context.Context, conversation int64, text string) bool {
	if _, err := s.Notices.PutNotice(ctx, conversation, text); err != nil {
		s.log.Error("put a notice", "error", err)
		return false
	}
	s.Feeds.Delivery(conversation)
	return true
}
