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

// Runner runs attempts in workers. Run waits for a worker. When it returns, nothing of the attempt
// is running.
//
// A nil error means that the worker reported an end, and CheckEnd accepted it. If that end is
// TurnEndError, Failure is the cause. If CheckEnd refuses the end, Run kills the worker and returns
// CheckEnd's error. A *NoWorkerError means that no worker is available for a while. Any other error
// means that the worker died, unless ctx has ended.
type Runner interface {
	Run(ctx context.Context, a Attempt) (AttemptEnd, error)
}

// Attempt is one try at a turn, with one worker.
type Attempt struct {
	Turn   supervisor.Turn
	First  int64 // the first message that the turn must answer
	Start  protocol.TurnStart
	Stream *reply.Stream
	// checks the end that a worker reports; an invalid end is audited
	CheckEnd func(protocol.TurnEnd) error
	// CommitLast commits a step without further calls. If no message waits, the turn ends with the
	// step. Later reports of the worker then do not change the turn.
	CommitLast func(ctx context.Context, step sqlite.Step, text string,
		replaced *modelcall.ReplacedModel) (message int64, ended bool, err error)
}

// AttemptEnd is the end of an attempt.
type AttemptEnd struct {
	protocol.TurnEnd
	Failure error // error of the last model call, if Why is TurnEndError
	// the model that should have made the last step, if another model made it
	Replaced   *modelcall.ReplacedModel
	AnsweredBy string // the model that answered instead of the model in Replaced
	Tokens     int64  // input and output tokens of the attempt's model calls
	Cost       int64  // known cost of the attempt's model calls, in millionths of a dollar
	// whether an operation or another turn was in the worker at the same time
	Shared bool
	// whether the worker ended because mews-spawner did, which is not the worker's fault
	Lost bool
}

// NoWorkerError means that a user's worker keeps dying or can't be started, and is paused.
type NoWorkerError struct {
	Until time.Time
	Err   error
	Why   string // for the user: why the worker can't be started; "" if it keeps dying
}

func (e *NoWorkerError) Error() string {
	return "no worker before " + e.Until.Format(time.RFC3339) + ": " + e.Err.Error()
}
func (e *NoWorkerError) Unwrap() error { return e.Err }

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

// why returns the reason of the turn's end: TurnEndRefused if the model declined to answer,
// otherwise the worker's reason.
func (e AttemptEnd) why() protocol.TurnEndReason {
	failed := new(modelcall.Error)
	if e.Why == protocol.TurnEndError && errors.As(e.Failure, &failed) && failed.Class == modelcall.ContentFiltered {
		return protocol.TurnEndRefused
	}
	return e.Why
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

// checkEnd checks the turn's end as a worker reports it. It audits an invalid end.
func (t *turn) checkEnd(ctx, turnCtx context.Context, end protocol.TurnEnd) error {
	if ctx.Err() != nil {
		// at the service's end every turn is stopped; it continues after the next start
		return context.Cause(ctx)
	}
	err := checkWhy(end.Why, stopCause(turnCtx) != nil)
	if err == nil && (end.Why == protocol.TurnEndDone && !t.ended.Load() || end.Why == protocol.TurnEndWaitsForUser) {
		switch now, ok := t.reopen(ctx, t.Turn.ID); {
		case ok && end.Why == protocol.TurnEndDone && !progressOf(now).answered:
			err = errors.New("the worker ended the turn as done, and the model's last word is not there")
		case ok && end.Why == protocol.TurnEndWaitsForUser && !now.Asked:
			err = errors.New("the worker ended the turn as waiting for its person, and nobody was asked")
		}
	}
	if err != nil {
		t.Audit(t.conversation.User, offence, fmt.Sprintf("turn %d: %v", t.Turn.ID, err))
	}
	return err
}

// checkWhy returns an error if the worker's reason for a turn's end is impossible.
func checkWhy(why protocol.TurnEndReason, stopped bool) error {
	switch _, known := endTexts[why]; {
	case !known && why != protocol.TurnEndWaitsForUser || why == protocol.TurnEndRefused:
		return fmt.Errorf("the worker ended the turn as %.40q, which means nothing", why)
	case why == protocol.TurnEndStopped && !stopped:
		return errors.New("the worker ended the turn as stopped, and nobody had asked for it")
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

// workerDied counts a worker's death in the turn. The death does not count if another turn or an
// operation may have caused it, or if mews-spawner has died (lost). After maxDeaths the turn is
// parked. Before that it continues alone, from the committed steps.
func (t *turn) workerDied(ctx context.Context, shared, lost bool, cause error) outcome {
	log := t.log.With("turn", t.Turn.ID, "error", cause)
	deaths := 0
	switch {
	case lost:
		log.Warn("worker ended with mews-spawner in a turn; the turn goes on")
	case shared:
		log.Warn("worker ended in a turn and in something else; each goes on alone")
	default:
		deaths, _ = retry.StoreUntilDone(ctx, t.log, "count a worker's death", func() (int,
			error) {
			return t.Turns.CountWorkerDeath(ctx, t.Turn.ID)
		})
		log.Warn("worker ended in a turn", "deaths", deaths)
	}
	parked := deaths >= maxDeaths
	running, ok := t.reopen(ctx, t.Turn.ID)
	if parked {
		return outcome{why: protocol.TurnEndError, state: supervisor.InboundParked, taken: progressOf(running).taken}
	}
	t.RunningTurn, t.alone = running, t.alone || !lost
	t.stream.ResetStep()
	return outcome{again: ok, unfinished: !ok}
}

// commitLast is an Attempt's CommitLast.
func (t *turn) commitLast(ctx context.Context, step sqlite.Step, text string,
	replaced *modelcall.ReplacedModel) (message int64, ended bool,
	err error) {
	o := outcome{why: protocol.TurnEndDone, end: AttemptEnd{Replaced: replaced, AnsweredBy: step.Spec}}
	last := sqlite.LastStep{Step: step, End: t.finishTurn(ctx, o, t.stream.TextWithStep(text), "")}
	claim, claimed := supervisor.SendReservation{}, false
	if t.Claim != nil && last.End.Private == nil && t.Turn.Kind != supervisor.TurnJob &&
		last.End.Voice != supervisor.VoiceOnly {
		claim, claimed = t.Claim(t.Turn.AnswerConversation(), t.Turn, last.End.Text)
	}
	if claimed {
		last.Post = &claim.Content
	}
	e, err := t.LastSteps.CommitLastStep(ctx, last)
	if e.Ended {
		t.ended.Store(true)
		t.notifyPrivate(e.Delivery)
		t.wakeVoices(last.End.Voice)
	}
	if claimed {
		claim.End(e.Delivery, e.Post)
	}
	return e.Message, e.Ended, err
}

// finish puts the answer into the outbox, unless the answer is there already. The turn stays open
// until the answer is on disk.
func (t *turn) finish(ctx context.Context, o outcome) (done bool) {
	var end sqlite.TurnEnding
	if done = t.ended.Load(); !done {
		text, partial := t.stream.Text()
		end = t.finishTurn(ctx, o, text, partial)
		var d supervisor.Delivery
		d, done = retry.StoreUntilDone(ctx, t.log, "finish a turn", func() (supervisor.Delivery,
			error) {
			return t.Turns.Finish(ctx, end)
		})
		t.notifyPrivate(d)
	}
	if done {
		t.wakeVoices(end.Voice)
		if t.Ended != nil {
			t.Ended()
		}
		if r := t.stops.turnEnded(t.Turn.Inbound, o.why); r != nil {
			r.readers.Wait() // waits for a read of the store by each stop request
		}
		t.log.Info("turn ended", "turn", t.Turn.ID, "kind", t.Turn.Kind, "why", o.why,
			"ms", t.Now().Sub(t.Turn.StartedAt).Milliseconds(), "steps", t.used.steps, "tokens", t.used.tokens,
			"micro_dollars", t.used.cost)
	}
	return done
}

// finishTurn returns the stored end of the turn. text is the answer, and partial its uncommitted
// part.
func (t *turn) finishTurn(ctx context.Context, o outcome, text, partial string) sqlite.TurnEnding {
	end := sqlite.TurnEnding{
		Turn:       t.Turn.ID,
		Why:        o.why,
		State:      cmp.Or(o.state, supervisor.InboundAnswered),
		Text:       reply.JoinSteps(finalText(o, text, t.limits(ctx)), t.unverified(ctx, text)),
		Partial:    partial,
		Unanswered: unanswered(o.why),
		Temporary:  t.Turn.Kind == supervisor.TurnJob && passes(o),
		OverBudget: short(o),
	}
	if end.Text == textNothingSaid {
		end.TextWithEffects = textOnlyEffects
	}
	if end.Private = t.privateFirst(ctx); end.Private != nil {
		return end // its chat reads it, and nobody hears it
	}
	// only answers in chats are spoken; the answers of other turns are cards to read
	if t.Voices != nil && t.Turn.Kind == supervisor.TurnChat && o.why == protocol.TurnEndDone {
		end.Voice, end.Written = t.Voices.AnswerMode(t.Turn.AnswerConversation(), end.Text)
	}
	return end
}

// passing are the classes of model failures that may be over in a few minutes.
var passing = map[modelcall.ErrorClass]bool{
	modelcall.RateLimited: true, modelcall.Overloaded: true, modelcall.ServerError: true, modelcall.NetworkError: true,
	modelcall.StreamStalled: true, modelcall.StreamCut: true, modelcall.MalformedAnswer: true,
	modelcall.EmptyAnswer: true,
}

// passes reports whether a turn failed for a reason that may be over soon.
func passes(o outcome) bool {
	failed := new(modelcall.Error)
	return o.why == protocol.TurnEndError && errors.As(o.end.Failure, &failed) && passing[failed.Class]
}

// short reports whether a turn failed because a budget was used up.
func short(o outcome) bool {
	failed := new(modelcall.Error)
	return o.why == protocol.TurnEndError && errors.As(o.end.Failure, &failed) && failed.Class == modelcall.OverBudget
}

// wakeVoices starts the speaking of a stored answer.
func (t *turn) wakeVoices(mode supervisor.VoiceMode) {
	if mode == supervisor.VoiceOn || mode == supervisor.VoiceOnly {
		t.Voices.Wake()
	}
}
