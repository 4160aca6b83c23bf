package agent

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"mews/protocol"
	"mews/worker"
)

// turn is one run of the loop. Only the loop's goroutine writes its fields.
type turn struct {
	id        int64
	limits    protocol.TurnLimits
	host      Host
	system    string
	tools     []protocol.Tool // tools as the model sees them
	table     map[string]worker.Tool
	report    func(error)
	commitCtx context.Context // context of commits; it ends some seconds after the turn's context

	pending  []protocol.PendingCall  // the newest step's calls that have no result
	answered []protocol.AnsweredCall // pending calls that the supervisor answers: no tool runs for them
	repeated callCounts
	steps    int
	last     int64       // id of the transcript's newest message
	ended    atomic.Bool // a tool has ended the turn; the tool's result is committed
}

func newTurn(start protocol.TurnStart, o Options, late context.Context) *turn {
	t := &turn{
		id:        start.Turn,
		limits:    start.Limits,
		host:      o.Host,
		system:    o.System,
		table:     make(map[string]worker.Tool, len(o.Tools)),
		report:    o.Report,
		commitCtx: late,
		pending:   start.PendingCalls,
		repeated:  countsBefore(start.RecentCalls, start.PendingCalls),
		steps:     start.CommittedSteps,
		last:      start.LastMessage,
	}
	for _, tool := range o.Tools {
		t.tools = append(t.tools, tool.Tool)
		t.table[tool.Name] = tool
	}
	if t.report == nil {
		t.report = func(error) {}
	}
	return t
}

// loop alternates between running the pending calls and asking the model, until there is a reason
// to end.
func (t *turn) loop(ctx context.Context) (protocol.TurnEndReason, error) {
	for {
		if why, err := t.answerCalls(ctx); why != "" || err != nil {
			return why, err
		}
		if t.steps >= t.limits.Steps {
			return protocol.TurnEndStepLimit, nil
		}
		if why, err := t.askModel(ctx); why != "" || err != nil {
			return why, err
		}
	}
}

// answerCalls runs the pending calls and commits their results.
func (t *turn) answerCalls(ctx context.Context) (protocol.TurnEndReason, error) {
	if why := endReason(ctx); why != "" {
		return why, nil
	}
	if t.repeated.addStep(t.pending) {
		return protocol.TurnEndRepetition, nil
	}
	for _, batch := range t.batches(t.pending) {
		err := t.runBatch(ctx, batch)
		if why := endReason(ctx); why != "" {
			if err != nil {
				t.report(fmt.Errorf("turn %d ended (%s): %w", t.id, why, err))
			}
			return why, nil
		}
		if errors.Is(err, errWaits) {
			return protocol.TurnEndWaitsForUser, nil
		}
		if err != nil {
			return "", err
		}
	}
	if t.ended.Load() {
		return protocol.TurnEndDone, nil
	}
	return "", nil
}

// askModel asks the model for the next step. The calls of its message become the pending calls.
func (t *turn) askModel(ctx context.Context) (protocol.TurnEndReason, error) {
	answer, err := t.host.NextModelMessage(ctx, t.last, t.system, t.tools)
	if err == nil {
		t.steps++
		t.last = answer.Message.ID
	}
	if answer.AddedMessages > 0 {
		t.repeated = nil // the user has written meanwhile, and may want the same calls again
	}
	if why := endReason(ctx); why != "" {
		return why, nil // do not run the message's calls: the end of the turn may have cut the message short
	}
	var refused *protocol.Error
	switch {
	case isWaiting(err):
		return protocol.TurnEndWaitsForUser, nil
	case errors.As(err, &refused):
		return protocol.TurnEndError, nil // the supervisor got no message from the model
	case err != nil:
		return "", fmt.Errorf("ask the model after message %d: %w", t.last, err)
	}
	t.pending, t.answered = nil, answer.Answered
	for _, call := range answer.Message.ToolCalls() {
		t.pending = append(t.pending, protocol.PendingCall{Call: call})
	}
	if len(t.pending) == 0 {
		return protocol.TurnEndDone, nil
	}
	return "", nil
}
