package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/modelcall"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
)

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
