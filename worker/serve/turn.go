package serve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mews/protocol"
	"mews/worker/agent"
	"mews/worker/host"
)

// Bounds of a turn that a supervisor may ask for.
const (
	maxSteps   = 10_000
	maxSeconds = 7 * 24 * 60 * 60
)

// eventTimeout is how long the end of a turn waits for its last events to leave.
const eventTimeout = time.Second

// startTurn runs a turn to its end. A cancelled call is a stopped turn, and is answered like any other.
func (s *server) startTurn(ctx context.Context, req *protocol.Request) (any, error) {
	var start protocol.TurnStart
	if err := req.Decode(&start); err != nil {
		return nil, err
	}
	if err := checkStart(start); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c, err := s.beginTurn(start.Turn, cancel)
	if err != nil {
		return nil, err
	}
	defer s.endTurn(start.Turn)
	return s.runTurn(ctx, c, start)
}

// checkStart refuses a turn that could not run.
func checkStart(start protocol.TurnStart) error {
	for _, bound := range []struct {
		name        string
		value       int64
		least, most int64
	}{
		{"turn", start.Turn, 1, 1<<63 - 1},
		{"step", int64(start.Step), 0, maxSteps},
		{"last", start.Last, 0, 1<<63 - 1},
		{"limits.steps", int64(start.Limits.Steps), 1, maxSteps},
		{"limits.seconds", start.Limits.Seconds, 1, maxSeconds},
		{"limits.output", int64(start.Limits.Output), 0, 1 << 30},
	} {
		if bound.value < bound.least || bound.value > bound.most {
			return &protocol.Error{
				Code: protocol.CodeInvalidParams,
				Message: fmt.Sprintf("%s: %s is %d, want %d to %d",
					protocol.MethodTurnStart, bound.name, bound.value, bound.least, bound.most),
			}
		}
	}
	return nil
}

// beginTurn takes a turn in, and returns the userTools it runs in. Cancel is what stops it.
func (s *server) beginTurn(turn int64, cancel context.CancelCauseFunc) (c *userTools, err error) {
	s.update(func(state *serverState) {
		_, twice := state.turns[turn]
		switch {
		case state.phase != phaseReady:
			err = outOfPhase(protocol.MethodTurnStart, state.phase)
		case twice:
			err = &protocol.Error{Code: protocol.CodeInvalidRequest, Message: fmt.Sprintf("turn %d is running", turn)}
		case len(state.turns) >= maxTurns:
			err = &protocol.Error{Code: protocol.CodeBusy, Message: fmt.Sprintf("%d turns are running", maxTurns)}
		default:
			state.turns[turn] = cancel
			s.running.Add(1)
			c = state.tools
		}
	})
	return c, err
}

// endTurn takes a turn out that has ended.
func (s *server) endTurn(turn int64) {
	s.update(func(state *serverState) {
		delete(state.turns, turn)
		if len(state.turns) == 0 {
			s.markIdle()
		}
	})
	s.running.Done()
}

func (s *server) runTurn(ctx context.Context, c *userTools, start protocol.TurnStart) (protocol.TurnEnd, error) {
	turn := s.host.Turn(start.Turn)
	flush := s.sendEvents(ctx, turn)
	defer flush()
	c.quota.Refresh()
	system, err := c.systemText()
	if err != nil {
		s.options.Report(fmt.Errorf("turn %d: %w", start.Turn, err))
	}
	end, err := agent.Run(ctx, start, agent.Options{
		Host:   turn,
		Tools:  c.forTurn(turn, start.Limits),
		System: system,
		Report: s.options.Report,
	})
	end.Disk, end.DiskMore = c.quota.Used()
	if err != nil {
		return end, fmt.Errorf("turn %d: %w", start.Turn, err)
	}
	return end, nil
}

// sendEvents sends a turn's events, also after it was stopped, until the returned function is called. That waits, but not
// long, for the last of them, so that they are queued before the turn's end.
func (s *server) sendEvents(ctx context.Context, turn *host.Turn) (flush func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var sender sync.WaitGroup
	sender.Go(func() {
		if err := turn.Run(ctx); err != nil && !errors.Is(err, protocol.ErrClosed) {
			s.options.Report(err)
		}
	})
	return func() {
		turn.Close()
		late := time.AfterFunc(eventTimeout, cancel)
		sender.Wait()
		late.Stop()
		cancel()
	}
}
