package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/modelcall"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
)

// Runner has a worker run an attempt. It waits for a worker, and when it returns nothing of the
// attempt runs any more.
//
// A nil error is an end that the worker reported and that passed the attempt's CheckEnd; with
// WhyError, Failure says what failed. A worker whose end does not pass is killed, and CheckEnd's
// error is returned. A *NoWorkerError says that there is no worker to be had for a while. Any other
// error, with ctx not ended, is the worker's death.
type Runner interface {
	Run(ctx context.Context, a Attempt) (End, error)
}

// Attempt is one try at a turn, with one worker.
type Attempt struct {
	Turn   supervisor.Turn
	First  int64 // the message with which began what the turn is to answer
	Start  protocol.TurnStart
	Stream *reply.Stream
	// says what is wrong with an end that the worker reports; it has been audited
	CheckEnd func(protocol.TurnEnd) error
	// CommitLast commits a step that asks for nothing more, and ends the turn with it where nothing
	// else is to be looked at: what the worker reports after that changes nothing.
	CommitLast func(ctx context.Context, step sqlite.Step, text string, replaced *modelcall.Replaced) (message int64, ended bool, err error)
}

// End is how an attempt ended.
type End struct {
	protocol.TurnEnd
	Failure error // of the last model call, with WhyError
	// the model that was to make the last step, where another one did
	Replaced *modelcall.Replaced
	Answered string // that other one
	// an operation was in the worker at the same time, or another turn
	Shared bool
}

// NoWorkerError is returned by a Runner when a person's worker keeps dying, or cannot be started,
// and is left alone for a while.
type NoWorkerError struct {
	Until time.Time
	Err   error
	Why   string // for the person, why it cannot be started; "" where it keeps dying
}

func (e *NoWorkerError) Error() string {
	return "no worker before " + e.Until.Format(time.RFC3339) + ": " + e.Err.Error()
}
func (e *NoWorkerError) Unwrap() error { return e.Err }

// maxDeaths is how many workers a turn that runs alone may end; then its inbound is parked.
const maxDeaths = 3

// offence is the audit log's word for a worker that broke a rule.
const offence = "worker.offence"

// What ends a turn before its own end: its person has asked for it, or has sent more and wants that
// to.
var (
	errStopped    = errors.New("stopped by the person")
	errSuperseded = errors.New("stopped by what the person sent next")
)

// turn is a session's running turn, read again after each attempt.
type turn struct {
	*session
	sqlite.RunningTurn
	stream   *reply.Stream
	alone    bool        // it wants the worker for itself: one has ended while it ran
	notified bool        // the person was told that there is no worker
	ended    atomic.Bool // it has ended with its last step
}

// outcome is what an attempt has come to. Without again and unfinished it is the turn's end.
type outcome struct {
	why        protocol.Why
	state      supervisor.InboundState // InboundParked; else it is answered
	end        End
	taken      int  // with InboundParked: how many messages the turn had taken in beside its first
	superseded bool // it was stopped for what was sent next
	again      bool // there is to be another attempt
	// for its person's answer: the turn stays open, and is gone on with when its question has ended
	waits bool
	// the process is ending: the turn stays open, and is gone on with after the start
	unfinished bool
}

// attempt runs the turn once, from where it is, when a worker is free for it. turnCtx ends when the
// turn is stopped, and ctx with the service.
func (t *turn) attempt(ctx, turnCtx context.Context) outcome {
	at := progressOf(t.RunningTurn)
	if at.answered {
		return outcome{why: protocol.WhyDone}
	}
	limits := t.remaining(ctx)
	// a worker can't go on for ever by saying that it waits
	if t.Turn.Ran > 0 && limits.Seconds <= 0 && stopCause(turnCtx) == nil {
		return outcome{why: protocol.WhyTime}
	}
	defer t.endAdvance(ctx)
	defer t.watchInbox(ctx)()
	a := Attempt{Turn: t.Turn, First: t.firstMessage(ctx, at), Start: at.start(t.Turn, limits), Stream: t.stream,
		CheckEnd: func(end protocol.TurnEnd) error { return t.checkEnd(ctx, turnCtx, end) }, CommitLast: t.commitLast}
	end, shared, began := End{}, false, time.Time{}
	use, err := t.userTurns.acquire(turnCtx, t.alone)
	if err == nil {
		began = t.Now()
		end, err = t.Runner.Run(turnCtx, a)
		shared = t.userTurns.release(use) || end.Shared
	}
	noWorker := new(NoWorkerError)
	switch stopped := stopCause(turnCtx); {
	case t.ended.Load():
		return outcome{why: protocol.WhyDone}
	case ctx.Err() != nil:
		return outcome{unfinished: true}
	case stopped != nil && (err != nil || end.Why != protocol.WhyDone): // else the stop came too late
		return outcome{why: protocol.WhyStopped, superseded: stopped == errSuperseded}
	case err == nil && end.Why == protocol.WhyWaits:
		return t.suspend(ctx, t.Now().Sub(began))
	case err == nil:
		return outcome{why: end.why(), end: end}
	case errors.As(err, &noWorker):
		t.waitForWorker(turnCtx, noWorker)
		return outcome{again: true}
	}
	return t.workerDied(ctx, shared, err)
}

// suspend has the turn wait for its person, who was asked. What it has run counts when it goes on;
// what it waits does not.
func (t *turn) suspend(ctx context.Context, ran time.Duration) outcome {
	waits, ok := retry.Persist(ctx, t.log, "keep that a turn waits", func() (bool, error) { return t.Waiting.Suspend(ctx, t.Turn.ID, ran) })
	if waits || !ok {
		return outcome{waits: waits, unfinished: !ok}
	}
	running, ok := t.reopen(ctx, t.Turn.ID) // the answer has come already
	t.RunningTurn = running
	return outcome{again: ok, unfinished: !ok}
}

// why is why the turn ends: what its worker says, and where the model declined to answer, that.
func (e End) why() protocol.Why {
	failed := new(modelcall.Error)
	if e.Why == protocol.WhyError && errors.As(e.Failure, &failed) && failed.Class == modelcall.Filtered {
		return protocol.WhyRefused
	}
	return e.Why
}

// remaining are the turn's limits, less the time that it ran before it waited for its person.
func (t *turn) remaining(ctx context.Context) protocol.TurnLimits {
	limits := t.limits(ctx)
	limits.Seconds -= int64(t.Turn.Ran.Seconds())
	return limits
}

// limits are those of the turn's kind.
func (t *turn) limits(ctx context.Context) protocol.TurnLimits {
	if t.Turn.Kind == supervisor.TurnJob && t.Jobs.Turn != nil {
		return t.Jobs.Turn(ctx, t.Turn)
	}
	return t.Limits
}

// stopCause is why the turn is to be stopped; nil where it is not.
func stopCause(turnCtx context.Context) error {
	if why := context.Cause(turnCtx); why == errStopped || why == errSuperseded {
		return why
	}
	return nil
}

// checkEnd says what is wrong with an end of the turn that a worker reports, and has that audited.
func (t *turn) checkEnd(ctx, turnCtx context.Context, end protocol.TurnEnd) error {
	if ctx.Err() != nil {
		// at the service's end every turn is stopped, and goes on after the start
		return context.Cause(ctx)
	}
	err := checkWhy(end.Why, stopCause(turnCtx) != nil)
	if err == nil && (end.Why == protocol.WhyDone && !t.ended.Load() || end.Why == protocol.WhyWaits) {
		switch now, ok := t.reopen(ctx, t.Turn.ID); {
		case ok && end.Why == protocol.WhyDone && !progressOf(now).answered:
			err = errors.New("the worker ended the turn as done, and the model's last word is not there")
		case ok && end.Why == protocol.WhyWaits && !now.Asked:
			err = errors.New("the worker ended the turn as waiting for its person, and nobody was asked")
		}
	}
	if err != nil {
		t.Audit(t.conversation.User, offence, fmt.Sprintf("turn %d: %v", t.Turn.ID, err))
	}
	return err
}

// checkWhy says what is wrong with the reason for an end that a worker reports. The worker is not
// trusted to make sense.
func checkWhy(why protocol.Why, stopped bool) error {
	switch _, known := endTexts[why]; {
	case !known && why != protocol.WhyWaits || why == protocol.WhyRefused:
		return fmt.Errorf("the worker ended the turn as %.40q, which means nothing", why)
	case why == protocol.WhyStopped && !stopped:
		return errors.New("the worker ended the turn as stopped, and nobody had asked for it")
	}
	return nil
}

// waitForWorker waits until a worker may be asked for again, or the turn is stopped. The person is
// told once.
func (t *turn) waitForWorker(turnCtx context.Context, e *NoWorkerError) {
	if !t.notified {
		t.notified = t.notice(turnCtx, t.Turn.AnswersIn().ID, e.notice())
	}
	retry.Wait(turnCtx, e.Until.Sub(t.Now())+time.Millisecond)
}

// workerDied counts a worker's death in the turn, unless it may have been that of what else was in
// the worker. The turn is parked after its last death; else it goes on alone from what is
// committed.
func (t *turn) workerDied(ctx context.Context, shared bool, cause error) outcome {
	log := t.log.With("turn", t.Turn.ID, "error", cause)
	deaths := 0
	if shared {
		log.Warn("worker ended in a turn and in something else; each goes on alone")
	} else {
		deaths, _ = retry.Persist(ctx, t.log, "count a worker's death", func() (int, error) { return t.Turns.Died(ctx, t.Turn.ID) })
		log.Warn("worker ended in a turn", "deaths", deaths)
	}
	parked := deaths >= maxDeaths
	running, ok := t.reopen(ctx, t.Turn.ID)
	if parked {
		return outcome{why: protocol.WhyError, state: supervisor.InboundParked, taken: progressOf(running).taken}
	}
	t.RunningTurn, t.alone = running, true
	t.stream.Reset()
	return outcome{again: ok, unfinished: !ok}
}

// commitLast is an Attempt's CommitLast.
func (t *turn) commitLast(ctx context.Context, step sqlite.Step, text string, replaced *modelcall.Replaced) (message int64, ended bool,
	err error) {
	o := outcome{why: protocol.WhyDone, end: End{Replaced: replaced, Answered: step.Spec}}
	last := sqlite.LastStep{Step: step, End: t.finishTurn(ctx, o, t.stream.With(text), "")}
	claim, claimed := supervisor.SendClaim{}, false
	if t.Claim != nil && t.Turn.Kind != supervisor.TurnJob && last.End.Voice != supervisor.VoiceOnly {
		claim, claimed = t.Claim(t.Turn.AnswersIn(), t.Turn, last.End.Text)
	}
	if claimed {
		last.Post = &claim.Content
	}
	e, err := t.LastSteps.CommitLast(ctx, last)
	if e.Ended {
		t.ended.Store(true)
		t.wakeVoices(last.End.Voice)
	}
	if claimed {
		claim.End(e.Delivery, e.Post)
	}
	return e.Message, e.Ended, err
}

// finish puts the answer into the outbox, unless it is there. Until that is on disk, the turn is
// open.
func (t *turn) finish(ctx context.Context, o outcome) (done bool) {
	var end sqlite.FinishTurn
	if done = t.ended.Load(); !done {
		text, partial := t.stream.Text()
		end = t.finishTurn(ctx, o, text, partial)
		_, done = retry.Persist(ctx, t.log, "finish a turn", func() (supervisor.Delivery, error) { return t.Turns.Finish(ctx, end) })
	}
	if done {
		t.wakeVoices(end.Voice)
		if t.Ended != nil {
			t.Ended()
		}
		if r := t.stops.turnEnded(t.Turn.Inbound, o.why); r != nil {
			r.readers.Wait() // for one look into the store, or until its caller leaves
		}
		t.log.Debug("turn ended", "turn", t.Turn.ID, "why", o.why)
	}
	return done
}

// finishTurn is the turn's end with that outcome, once it has said text; partial is what no step
// has committed of it.
func (t *turn) finishTurn(ctx context.Context, o outcome, text, partial string) sqlite.FinishTurn {
	end := sqlite.FinishTurn{
		Turn:       t.Turn.ID,
		Why:        o.why,
		State:      cmp.Or(o.state, supervisor.InboundAnswered),
		Text:       reply.Join(finalText(o, text, t.limits(ctx)), t.unverified(ctx, text)),
		Partial:    partial,
		Unanswered: unanswered(o.why),
		Passing:    t.Turn.Kind == supervisor.TurnJob && passes(o),
		Short:      short(o),
	}
	if end.Text == textNothingSaid {
		end.Wordless = textOnlyEffects
	}
	// others are cards, to be read
	if t.Voices != nil && t.Turn.Kind == supervisor.TurnChat && o.why == protocol.WhyDone {
		end.Voice = t.Voices.ModeOf(t.Turn.AnswersIn(), end.Text)
	}
	return end
}

// passing are the failures of a model that may not be there a few minutes later.
var passing = map[modelcall.Class]bool{
	modelcall.RateLimited: true, modelcall.Overloaded: true, modelcall.Server: true, modelcall.Network: true,
	modelcall.Stalled: true, modelcall.Cut: true, modelcall.Malformed: true, modelcall.Empty: true,
}

// passes says whether a turn failed for what may pass.
func passes(o outcome) bool {
	failed := new(modelcall.Error)
	return o.why == protocol.WhyError && errors.As(o.end.Failure, &failed) && passing[failed.Class]
}

// short says whether a turn failed for want of room in a budget.
func short(o outcome) bool {
	failed := new(modelcall.Error)
	return o.why == protocol.WhyError && errors.As(o.end.Failure, &failed) && failed.Class == modelcall.OverBudget
}

// wakeVoices has an answer be said that was kept to be said.
func (t *turn) wakeVoices(mode supervisor.VoiceMode) {
	if mode == supervisor.VoiceOn || mode == supervisor.VoiceOnly {
		t.Voices.Wake()
	}
}
