// Package session runs the turns of conversations. It takes a user's messages from the inbox, runs
// a turn for them, and puts the answer into the outbox. Each conversation with work has one
// goroutine and one turn at a time. All state is on disk, so the process may end at any moment.
//
// Three functions handle a turn. session.runNext (session.go) finds the turn, tries it until it has
// ended, and puts its answer into the outbox. turn.attempt (turn.go) is one try. Runner.Run, which
// is the caller's, gives the turn to a worker.
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

// Inbox is the store of a conversation's waiting messages.
type Inbox interface {
	NextInbound(ctx context.Context, conversation int64) (supervisor.Inbound, bool, error)
	ShouldRestartTurn(ctx context.Context, conversation int64) (bool, error)
	ListUnfinishedConversations(ctx context.Context) ([]supervisor.Conversation, error)
	PrecedingText(ctx context.Context, command int64) (sqlite.PrecedingText, error)
	TextTurnState(ctx context.Context, inbound int64) (own, joined bool, err error)
}

// Turns stores the progress of turns.
type Turns interface {
	Start(ctx context.Context, inbound int64, c *supervisor.LeaseRequest) (turn supervisor.Turn, lease supervisor.Lease,
		err error)
	AddWaitingTexts(ctx context.Context, turn int64, room int, least supervisor.InboundPriority) (taken int, err error)
	FindFirstMessage(ctx context.Context, turn int64) (message int64, err error)
	FindRunning(ctx context.Context, conversation int64) (sqlite.RunningTurn, bool, error)
	CountWorkerDeath(ctx context.Context, turn int64) (deaths int, err error)
	Finish(ctx context.Context, end sqlite.TurnEnding) (supervisor.Delivery, error)
}

// SuspendedTurns stores which turns are suspended until their users answer.
type SuspendedTurns interface {
	// Suspend stores how long a turn has run. It returns false if the user's answer has come
	// meanwhile.
	Suspend(ctx context.Context, turn int64, ran time.Duration) (waits bool, err error)
}

// LastStepStore stores a turn's last step together with the turn's end.
type LastStepStore interface {
	CommitLastStep(ctx context.Context, last sqlite.LastStep) (sqlite.LastStepResult, error)
}

// TurnLeases holds money that is set aside at the start of a turn.
type TurnLeases interface {
	// NextTurnLease returns the money to set aside for a conversation's next turn; nil means no
	// money.
	NextTurnLease(c supervisor.Conversation) *supervisor.LeaseRequest
	// BeginTurn records that a turn has started with a lease.
	BeginTurn(turn int64, lease supervisor.Lease, of supervisor.LeaseRequest)
	// EndAttempt returns the money that an attempt at a turn has not used.
	EndAttempt(ctx context.Context, turn int64) error
}

// AnswerSpeaker speaks answers.
type AnswerSpeaker interface {
	// AnswerMode returns whether and how an answer is spoken. written is a text for a user who
	// wants only speech, if the answer comes in writing.
	AnswerMode(c supervisor.Conversation, text string) (mode supervisor.VoiceMode, written string)
	// Wake starts the speaking of a stored answer. It never blocks.
	Wake()
}

// SuccessfulTools lists the tools that have worked in a turn.
type SuccessfulTools interface {
	ListSuccessfulTools(ctx context.Context, turn int64, turns int) (calls []sqlite.SuccessfulCall, err error)
}

// Notices sends messages outside turns.
type Notices interface {
	PutTextNotice(ctx context.Context, conversation int64, text string) (supervisor.Delivery, error)
}

// Options configures all sessions.
type Options struct {
	Inbox     Inbox
	Turns     Turns
	Waiting   SuspendedTurns
	LastSteps LastStepStore
	Notices   Notices
	Runner    Runner
	Feeds     *reply.Feeds
	Limits    protocol.TurnLimits
	Jobs      JobLimits // limits of the turns of jobs
	// maximum of turns that run at once, for all users together; 0 means 8
	AtOnce int
	Audit  func(user, action, detail string) // stores an entry in the audit log; never blocks
	// reports whether a conversation's user is still served; nil means that every user is served
	Serves func(supervisor.Conversation) bool
	// Busy returns a user's setting for messages that come while a turn runs; nil means BusyQueue.
	// For BusySteer, package hostcall adds the messages to the model's requests.
	Busy func(ctx context.Context, user string) supervisor.BusyMode
	// Claim reserves the next call of a chat, for an answer that is about to be stored. Claim
	// succeeds if the answer is one message that can be sent immediately. A nil Claim never
	// succeeds.
	Claim func(to supervisor.Conversation, turn supervisor.Turn, text string) (supervisor.SendReservation, bool)
	// PrivateFirst returns how a turn's answer goes to its user before the group reads it; nil
	// means that the group reads it at once. A nil PrivateFirst hides nothing.
	PrivateFirst func(ctx context.Context, turn supervisor.Turn) (*sqlite.PrivateAnswer, error)
	Voices       AnswerSpeaker // speaks answers aloud; nil means that no answer is spoken
	// called when a turn has ended; may create operations; never blocks. nil means no call
	Ended func()
	// called when a turn begins (1) or ends (-1); never blocks. nil means no call
	Running  func(change int)
	Worked   SuccessfulTools // verifies claims in answers; nil means that no claim is verified
	Advances TurnLeases      // sets money aside at a turn's start; nil means that no money is set aside
	Now      func() time.Time
	Log      hclog.Logger
}

// JobLimits limits the turns of jobs.
type JobLimits struct {
	// returns the limits of a job's turn; nil means the limits of every turn
	Turn func(context.Context, supervisor.Turn) protocol.TurnLimits
	// maximum of jobs' turns that run at once, for all users together; 0 means 2
	AtOnce int
}

// session serves one conversation. One goroutine calls runNext.
type session struct {
	*Options
	conversation supervisor.Conversation
	log          hclog.Logger
	stops        *stopRequests // stop requests of all sessions
	userTurns    *userTurns    // turns of the user's sessions
	turns        *slots.Slots  // slots of the conversation's kind; each turn takes one
	// whether the session's turns begin after all other turns, and hold no slot of allTurns
	behind      bool
	allTurns    *slots.Slots  // slots of all sessions
	interrupted chan struct{} // holds a token if stops may have a new request
	arrived     chan struct{} // holds a token if a new message may wait in the conversation
	// the turn that was started when its message was stored; nil after the session has begun it
	begun *supervisor.StartedTurn
}

// waitForSlots waits for a slot of the conversation's kind, and then for a slot of all turns.
// release frees both. A turn that is to be stopped needs no slot. ok is false if ctx has ended.
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

// waitFor waits for a slot. ok is false if a turn is to be stopped or ctx has ended.
func (s *session) waitFor(ctx context.Context, of *slots.Slots, person string) (slot *slots.Slot, ok bool) {
	slot = of.RequestSlot(person)
	select {
	case <-slot.Granted():
		return slot, true
	case <-s.interrupted:
	case <-ctx.Done():
	}
	slot.Release()
	return nil, false
}

// waitForTurn waits for a slot of all turns. A session that lets other sessions begin first
// (behind) frees the slot at once.
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

// runNext runs the conversation's next turn to its end, in one or more attempts. It puts the answer
// into the outbox, and returns whether another turn may follow.
func (s *session) runNext(ctx context.Context) (more bool) {
	running, ok := s.nextTurn(ctx)
	if !ok || running.WaitsForUser && !s.stops.wanted(s.conversation.ID) {
		return false
	}
	t := &turn{session: s, RunningTurn: running, alone: running.Turn.Deaths > 0}
	t.stream = s.openReply(ctx, running)
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

// runCounted calls runNext between two calls of Options.Running.
func (s *session) runCounted(ctx context.Context) (more bool) {
	if s.Running != nil {
		s.Running(1)
		defer s.Running(-1)
	}
	return s.runNext(ctx)
}

// nextTurn returns the turn to work on: an open turn of an earlier process, or a new one for the
// next inbound. It retries while the store fails.
func (s *session) nextTurn(ctx context.Context) (running sqlite.RunningTurn, ok bool) {
	if begun := s.begun; begun != nil {
		s.begun = nil
		return sqlite.RunningTurn{Turn: begun.Turn, Messages: begun.Messages}, true
	}
	running, kept := retry.StoreUntilDone(ctx, s.log, "find the next turn", func() (sqlite.RunningTurn, error) {
		running, found, err := s.Turns.FindRunning(ctx, s.conversation.ID)
		if err != nil || found {
			return running, err
		}
		in, found, err := s.Inbox.NextInbound(ctx, s.conversation.ID)
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

// start starts the turn of an inbound, and sets money aside for its first call of a model.
func (s *session) start(ctx context.Context, inbound int64) error {
	var claim *supervisor.LeaseRequest
	if s.Advances != nil {
		claim = s.Advances.NextTurnLease(s.conversation)
	}
	turn, lease, err := s.Turns.Start(ctx, inbound, claim)
	if err == nil && lease.ID != 0 {
		s.Advances.BeginTurn(turn.ID, lease, *claim)
	}
	return err
}

// endAdvance returns the unused money that a turn has set aside.
func (s *session) endAdvance(ctx context.Context, turn int64) {
	if s.Advances == nil {
		return
	}
	// the money is returned at the next start of the service
	if err := s.Advances.EndAttempt(ctx, turn); err != nil {
		s.log.Error("give back what a turn has not used", "turn", turn, "error", err)
	}
}

// served reports whether the user is still served. If not, messages wait. They continue once the
// user is served again and the service restarts, or the user sends a message.
func (s *session) served() bool { return s.Serves == nil || s.Serves(s.conversation) }

// reopen reads how far the conversation's turn has come.
func (s *session) reopen(ctx context.Context, turn int64) (running sqlite.RunningTurn, ok bool) {
	return retry.StoreUntilDone(ctx, s.log, "read an open turn", func() (sqlite.RunningTurn, error) {
		running, _, err := s.Turns.FindRunning(ctx, s.conversation.ID)
		if err == nil && running.Turn.ID != turn {
			err = &supervisor.Error{Code: supervisor.CodeNotFound, Message: fmt.Sprintf("turn %d is not open any more", turn)}
		}
		return running, err
	})
}

// notice sends the user a message outside turns. It returns whether that succeeded.
func (s *session) notice(ctx context.Context, conversation int64, text string) bool {
	if _, err := s.Notices.PutTextNotice(ctx, conversation, text); err != nil {
		s.log.Error("put a notice", "error", err)
		return false
	}
	s.Feeds.NotifyDelivery(conversation)
	return true
}
