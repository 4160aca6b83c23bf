package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
)

// outcome is what a turn has come to.
type outcome struct {
	turn       supervisor.Turn
	why        protocol.Why
	state      supervisor.InboundState
	end        End
	stream     *reply.Stream // still open
	taken      int           // how many messages the turn had taken in beside its first
	superseded bool          // it was stopped for what was sent next
	unfinished bool          // the process is ending: the turn stays open, and is gone on with after the start
}

// runTurn runs a turn until it has come to something, with as many workers as that takes.
func (s *session) runTurn(ctx context.Context, open sqlite.RunningTurn) outcome {
	o := outcome{turn: open.Turn, stream: s.Feeds.Open(open.Turn, progressOf(open).said)}
	for {
		turnCtx := s.stops.begin(ctx, open.Turn)
		open, _ = s.takeWaiting(ctx, open)
		end := s.watchInbox(ctx, open.Turn)
		s.tryUntilEnd(ctx, turnCtx, open, &o)
		end()
		again, taken := s.restartWithWaiting(ctx, open, o)
		if !taken {
			return o
		}
		open = again
		o = outcome{turn: o.turn, stream: o.stream}
	}
}

// tryUntilEnd is work until the turn is stopped. It leaves in o what the turn has come to.
func (s *session) tryUntilEnd(ctx, turnCtx context.Context, open sqlite.RunningTurn, o *outcome) {
	o.state = supervisor.InboundAnswered
	first := s.firstMessage(ctx, open)
	alone := open.Turn.Deaths > 0
	for {
		at := progressOf(open)
		if at.answered {
			o.why = protocol.WhyDone
			return
		}
		a := Attempt{Turn: open.Turn, First: first, Start: at.start(open.Turn, s.Limits), Stream: o.stream,
			CheckEnd: s.check(ctx, turnCtx, open)}
		end, shared, err := s.attemptOnceReady(turnCtx, a, alone)
		switch {
		case ctx.Err() != nil:
			o.unfinished = true
			return
		case isStopped(turnCtx) && (err != nil || end.Why != protocol.WhyDone): // else the stop came too late
			o.why, o.superseded = protocol.WhyStopped, errors.Is(context.Cause(turnCtx), errSuperseded)
			return
		case err == nil:
			o.why, o.end = end.Why, end
			return
		}
		if parked := s.died(ctx, open.Turn, shared, err); parked {
			o.why, o.state = protocol.WhyError, supervisor.InboundParked
			if now, ok := s.reopen(ctx, open); ok {
				o.taken = progressOf(now).taken
			}
			return
		}
		alone = true
		o.stream.Reset()
		again, ok := s.reopen(ctx, open)
		if !ok {
			o.unfinished = true
			return
		}
		open = again
	}
}

func isStopped(turnCtx context.Context) bool {
	why := context.Cause(turnCtx)
	return errors.Is(why, errStopped) || errors.Is(why, errSuperseded)
}

// offence is the audit log's word for a worker that broke a rule.
const offence = "worker.offence"

// check gives what is wrong with an end of the turn that a worker reports, and has that audited.
func (s *session) check(ctx, turnCtx context.Context, open sqlite.RunningTurn) func(protocol.TurnEnd) error {
	return func(end protocol.TurnEnd) error {
		if ctx.Err() != nil {
			return context.Cause(ctx) // at the service's end every turn is stopped, and goes on after the start
		}
		err := checkEnd(end.Why, isStopped(turnCtx))
		if err == nil && end.Why == protocol.WhyDone {
			if now, ok := s.reopen(ctx, open); ok && !progressOf(now).answered {
				err = errors.New("the worker ended the turn as done, and the model's last word is not there")
			}
		}
		if err != nil {
			s.Audit(s.conversation.User, offence, fmt.Sprintf("turn %d: %v", open.Turn.ID, err))
		}
		return err
	}
}

// checkEnd is what is wrong with an end that a worker reported: it is not trusted to make sense.
func checkEnd(why protocol.Why, stopped bool) error {
	switch _, known := endTexts[why]; {
	case !known:
		return fmt.Errorf("the worker ended the turn as %.40q, which means nothing", why)
	case why == protocol.WhyStopped && !stopped:
		return errors.New("the worker ended the turn as stopped, and nobody had asked for it")
	}
	return nil
}

// attemptOnceReady runs the turn with one worker, once there is one. shared says that another turn was in it in the meantime: a
// death is not this one's alone then.
func (s *session) attemptOnceReady(ctx context.Context, a Attempt, alone bool) (end End, shared bool, err error) {
	for told := false; ; {
		end, shared, err = s.attempt(ctx, a, alone)
		var waiting *NoWorkerError
		if !errors.As(err, &waiting) {
			return end, shared, err
		}
		if !told {
			told = s.notice(ctx, waiting.notice())
		}
		if err := sleep(ctx, waiting.Until.Sub(s.Now())+time.Millisecond); err != nil {
			return End{}, false, err
		}
	}
}

// notice is what the person is told of it, once.
func (w *NoWorkerError) notice() string {
	if w.Why != "" {
		return fmt.Sprintf("Your assistant can't be started: %s. I try again every now and then, and go on with what you sent "+
			"as soon as it can; nothing of it is lost.", w.Why)
	}
	return fmt.Sprintf("Your assistant's process keeps ending unexpectedly. I leave it alone until %s and then go on with what "+
		"you sent; nothing of it is lost. The log says why it ended; `mews doctor` may name the cause.", w.Until.Format("15:04:05"))
}

// attempt runs an attempt when the lane lets it. A turn that is stopped before asks for no worker.
func (s *session) attempt(ctx context.Context, a Attempt, alone bool) (end End, shared bool, err error) {
	if ctx.Err() != nil {
		return End{}, false, context.Cause(ctx)
	}
	v, err := s.userTurns.acquire(ctx, alone)
	if err != nil {
		return End{}, false, err
	}
	end, err = s.Runner.Run(ctx, a)
	return end, s.userTurns.release(v), err
}

// died counts a worker's death in the turn, unless it may have been another turn's, and says whether it was the last one
// that the turn gets.
func (s *session) died(ctx context.Context, turn supervisor.Turn, shared bool, cause error) (parked bool) {
	log := s.Log.With("user", s.conversation.User, "turn", turn.ID, "error", cause)
	if shared {
		log.Warn("worker ended in a turn and another; each goes on alone")
		return false
	}
	deaths := 0
	counted := s.persist(ctx, "count a worker's death", func() (err error) {
		deaths, err = s.Turns.Died(ctx, turn.ID)
		return err
	})
	log.Warn("worker ended in a turn", "deaths", deaths)
	return counted && deaths >= maxDeaths
}

// reopen reads how far the turn has come.
func (s *session) reopen(ctx context.Context, was sqlite.RunningTurn) (open sqlite.RunningTurn, ok bool) {
	ok = s.persist(ctx, "read an open turn", func() error {
		again, found, err := s.Turns.Open(ctx, s.conversation.ID)
		if err == nil && (!found || again.Turn.ID != was.Turn.ID) {
			err = backoff.Permanent(fmt.Errorf("turn %d is not open any more", was.Turn.ID))
		}
		open = again
		return err
	})
	return open, ok
}

// finish puts the answer into the outbox. Until that is on disk, the turn is open.
func (s *session) finish(ctx context.Context, o outcome) (done bool) {
	defer s.stops.left(o.turn.Inbound)
	defer o.stream.Close()
	if o.unfinished {
		return false
	}
	text, partial := o.stream.Text()
	end := sqlite.FinishTurn{
		Turn:       o.turn.ID,
		Why:        o.why,
		State:      o.state,
		Text:       finalText(o, text, s.Limits),
		Partial:    partial,
		Unanswered: unanswered(o.why),
	}
	done = s.persist(ctx, "finish a turn", func() error {
		_, err := s.Turns.Finish(ctx, end)
		return err
	})
	if done {
		s.stops.ended(o.turn.Inbound, o.why)
		s.Log.Debug("turn ended", "user", s.conversation.User, "turn", o.turn.ID, "why", o.why)
	}
	return done
}

// notice tells the person something that no turn says, and whether that was possible.
func (s *session) notice(ctx context.Context, text string) bool {
	if _, err := s.Notices.PutNotice(ctx, s.conversation.ID, text); err != nil {
		s.Log.Error("put a notice", "user", s.conversation.User, "error", err)
		return false
	}
	s.Feeds.Delivery(s.conversation.ID)
	return true
}
