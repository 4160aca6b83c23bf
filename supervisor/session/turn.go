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
	turn    supervisor.Turn
	why     protocol.Why
	state   supervisor.InboundState
	failure error
	stream  *reply.Stream // still open
	left    bool          // the process is ending: the turn stays open, and is gone on with after the start
}

// work runs a turn until it has come to something, with as many workers as that takes.
func (s *session) work(ctx context.Context, open sqlite.OpenTurn) outcome {
	turnCtx := s.turn.begin(ctx, open.Turn.Inbound)
	o := outcome{turn: open.Turn, state: supervisor.InboundAnswered}
	o.stream = s.Feeds.Open(open.Turn, resume(open).said)
	for {
		at := resume(open)
		if at.answered {
			o.why = protocol.WhyDone
			return o
		}
		end, err := s.attempt(turnCtx, open.Turn, at, o.stream)
		stopped := errors.Is(context.Cause(turnCtx), errStopped)
		if err == nil {
			err = implausible(end.Why, stopped)
		}
		switch {
		case ctx.Err() != nil:
			o.left = true
			return o
		case stopped && (err != nil || end.Why != protocol.WhyDone): // else the stop came too late
			o.why = protocol.WhyStopped
			return o
		case err == nil:
			o.why, o.failure = end.Why, end.Failure
			return o
		}
		if parked := s.died(ctx, open.Turn, err); parked {
			o.why, o.state = protocol.WhyError, supervisor.InboundParked
			return o
		}
		o.stream.Reset()
		again, ok := s.reopen(ctx, open)
		if !ok {
			o.left = true
			return o
		}
		open = again
	}
}

// implausible is what is wrong with an end that a worker reported: it is not trusted to make sense.
func implausible(why protocol.Why, stopped bool) error {
	switch _, known := endings[why]; {
	case !known:
		return fmt.Errorf("the worker ended the turn as %.40q, which means nothing", why)
	case why == protocol.WhyStopped && !stopped:
		return errors.New("the worker ended the turn as stopped, and nobody had asked for it")
	}
	return nil
}

// attempt runs the turn with one worker, once there is one.
func (s *session) attempt(ctx context.Context, turn supervisor.Turn, at point, stream *reply.Stream) (End, error) {
	told := false
	for {
		end, err := s.Runner.Run(ctx, Attempt{Turn: turn, Start: at.start(turn, s.Limits), Stream: stream})
		var waiting *Waiting
		if !errors.As(err, &waiting) {
			return end, err
		}
		if !told {
			told = s.notice(ctx, fmt.Sprintf("Your assistant's process keeps ending unexpectedly. I leave it alone until %s and "+
				"then go on with what you sent; nothing of it is lost. The log says why it ended; `mews doctor` may name the "+
				"cause.", waiting.Until.Format("15:04:05")))
		}
		if err := sleep(ctx, waiting.Until.Sub(s.Now())+time.Millisecond); err != nil {
			return End{}, err
		}
	}
}

// died counts a worker's death in the turn, and says whether it was the last one that the turn gets.
func (s *session) died(ctx context.Context, turn supervisor.Turn, cause error) (parked bool) {
	deaths := 0
	counted := s.persist(ctx, "count a worker's death", func() (err error) {
		deaths, err = s.Turns.Died(ctx, turn.ID)
		return err
	})
	s.Log.Warn("worker ended in a turn", "user", s.conversation.User, "turn", turn.ID, "deaths", deaths, "error", cause)
	return counted && deaths >= maxDeaths
}

// reopen reads how far the turn has come.
func (s *session) reopen(ctx context.Context, was sqlite.OpenTurn) (open sqlite.OpenTurn, ok bool) {
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
	defer s.turn.end()
	defer o.stream.Close()
	if o.left {
		return false
	}
	text, partial := o.stream.Text()
	end := sqlite.FinishTurn{
		Turn:       o.turn.ID,
		Why:        o.why,
		State:      o.state,
		Text:       closing(o, text, s.Limits),
		Partial:    partial,
		Unanswered: unanswered(o.why),
	}
	done = s.persist(ctx, "finish a turn", func() error {
		_, err := s.Turns.Finish(ctx, end)
		return err
	})
	if done {
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
