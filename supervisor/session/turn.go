package session

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
)

// maxDeaths is how many workers may die in a turn that runs alone. After that its inbound is
// parked.
const maxDeaths = 3

// offence is the audit log's word for a worker that broke a rule.
const offence = "worker.offence"

// Reasons to end a turn early: its user stopped it, or sent a newer message.
var (
	errStopped    = errors.New("stopped by the person")
	errSuperseded = errors.New("stopped by what the person sent next")
)

// turn is a session's running turn, read again after each attempt.
type turn struct {
	*session
	sqlite.RunningTurn
	stream   *reply.Stream
	alone    bool        // whether no other turn may use the worker, because a worker has died during this turn
	notified bool        // whether the user was told that no worker is available
	ended    atomic.Bool // whether the turn has ended with its last step
	used     turnUse     // resources that the attempts have used, for the log
}

// turnUse counts the resources that a turn has used in this process.
type turnUse struct {
	steps  int
	tokens int64
	cost   int64 // cost of the model calls, in millionths of a dollar
}

// add adds an attempt. The attempt's number of steps includes the steps of earlier attempts.
func (u *turnUse) add(end AttemptEnd) {
	u.steps, u.tokens, u.cost = max(u.steps, end.Steps), u.tokens+end.Tokens, u.cost+end.Cost
}

// outcome is the result of an attempt. It ends the turn, unless again, waits or unfinished is set.
type outcome struct {
	why        protocol.TurnEndReason
	state      supervisor.InboundState // state of the inbound: InboundParked, or else "answered"
	end        AttemptEnd
	taken      int  // with InboundParked: number of messages that joined the turn after the first
	superseded bool // whether the turn was stopped for a newer message
	again      bool // whether another attempt must follow
	// whether the turn waits for its user's answer, and resumes when the question has ended
	waits bool
	// whether the process is ending; the turn stays open until the next start
	unfinished bool
}

// attempt runs the turn once, from its current step, when a worker is free. turnCtx ends when the
// turn is stopped, and ctx when the service ends.
func (t *turn) attempt(ctx, turnCtx context.Context) outcome {
	at := progressOf(t.RunningTurn)
	if at.answered {
		return outcome{why: protocol.TurnEndDone}
	}
	limits := t.remaining(ctx)
	// a worker that keeps waiting must not run longer than the turn's limit
	if t.Turn.RunTime > 0 && limits.Seconds <= 0 && stopCause(turnCtx) == nil {
		return outcome{why: protocol.TurnEndTimeLimit}
	}
	defer t.endAdvance(ctx, t.Turn.ID)
	defer t.watchInbox(ctx)()
	a := Attempt{Turn: t.Turn, First: t.firstMessage(ctx, at), Start: at.start(t.Turn, limits), Stream: t.stream,
		CheckEnd: func(end protocol.TurnEnd) error { return t.checkEnd(ctx, turnCtx, end) }, CommitLast: t.commitLast}
	end, shared, began := AttemptEnd{}, false, time.Time{}
	use, err := t.userTurns.acquire(turnCtx, t.alone)
	if err == nil {
		began = t.Now()
		end, err = t.Runner.Run(turnCtx, a)
		shared = t.userTurns.release(use) || end.Shared
		t.used.add(end)
	}
	noWorker := new(NoWorkerError)
	switch stopped := stopCause(turnCtx); {
	case t.ended.Load():
		return outcome{why: protocol.TurnEndDone}
	case ctx.Err() != nil:
		return outcome{unfinished: true}
	// the turn was stopped before it finished
	case stopped != nil && (err != nil || end.Why != protocol.TurnEndDone):
		return outcome{why: protocol.TurnEndStopped, superseded: stopped == errSuperseded}
	case err == nil && end.Why == protocol.TurnEndWaitsForUser:
		return t.suspend(ctx, t.Now().Sub(began))
	case err == nil:
		return outcome{why: end.why(), end: end}
	case errors.As(err, &noWorker):
		t.waitForWorker(turnCtx, noWorker)
		return outcome{again: true}
	}
	return t.workerDied(ctx, shared, end.Lost, err)
}

// suspend makes the turn wait for its user's answer. It stores how long the turn ran; the wait does
// not count.
func (t *turn) suspend(ctx context.Context, ran time.Duration) outcome {
	waits, ok := retry.StoreUntilDone(ctx, t.log, "keep that a turn waits", func() (bool,
		error) {
		return t.Waiting.Suspend(ctx, t.Turn.ID, ran)
	})
	if waits || !ok {
		return outcome{waits: waits, unfinished: !ok}
	}
	running, ok := t.reopen(ctx, t.Turn.ID) // the user's answer has come already
	t.RunningTurn = running
	return outcome{again: ok, unfinished: !ok}
}

// remaining returns the limits of the turn. The time that it ran before it was suspended is
// subtracted.
func (t *turn) remaining(ctx context.Context) protocol.TurnLimits {
	limits := t.limits(ctx)
	limits.Seconds -= int64(t.Turn.RunTime.Seconds())
	return limits
}

// limits returns the limits of the turn's kind.
func (t *turn) limits(ctx context.Context) protocol.TurnLimits {
	if t.Turn.Kind == supervisor.TurnJob && t.Jobs.Turn != nil {
		return t.Jobs.Turn(ctx, t.Turn)
	}
	return t.Limits
}

// stopCause returns why the turn is to be stopped, or nil.
func stopCause(turnCtx context.Context) error {
	if why := context.Cause(turnCtx); why == errStopped || why == errSuperseded {
		return why
	}
	return nil
}

// waitForWorker waits until a worker may be tried again, or the turn is stopped. It tells the user
// once that no worker is available.
func (t *turn) waitForWorker(turnCtx context.Context, e *NoWorkerError) {
	if !t.notified {
		t.notified = t.notice(turnCtx, t.Turn.AnswerConversation().ID, e.notice())
	}
	retry.Sleep(turnCtx, e.Until.Sub(t.Now())+time.Millisecond)
}
