package hostcall

import (
	"context"
	"fmt"

	"mews/protocol"
	"mews/protocol/foreign"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/sqlite"
	"mews/supervisor/taint"
)

// StepDependencies holds the store of steps.
type StepDependencies struct{ Steps Steps }

// Steps stores the steps of turns.
type Steps interface {
	CommitStep(ctx context.Context, step sqlite.Step) (message int64, err error)
	CommitCallStart(ctx context.Context, turn int64, call string) error
	CommitResult(ctx context.Context, turn int64, result protocol.ToolResult) (message int64, err error)
	AddWaitingTexts(ctx context.Context, turn int64, room int, least supervisor.InboundPriority) (taken int, err error)
	AppendEdits(ctx context.Context, turn int64, room int) (told int, err error)
}

// stepRows has a limit far above the needs of an honest turn (50 steps of a few calls each). Even
// that many calls do no harm.
var stepRows = []row{
	{method: protocol.MethodStepCommit, phase: inTurn, kinds: withHome, limit: 20_000, handler: turnCall((*turn).commitCall)},
}

const maxName = 64 // maximum bytes of a call's ID or a tool's name; real names are far shorter

// commitCall stores the state of a tool call. The store refuses a call that the turn has not made.
func (t *turn) commitCall(ctx context.Context, p *protocol.StepCommitParams) (*protocol.StepCommitResult, error) {
	switch {
	case len(p.Call) > maxName:
		return nil, feature.WorkerOffence{Err: fmt.Errorf("call: %d bytes, at most %d", len(p.Call), maxName)}
	case p.State == protocol.CallStateBegun:
		err := t.commit(ctx, func() error { return t.o.Steps.CommitCallStart(ctx, t.ID, p.Call) })
		return &protocol.StepCommitResult{}, t.checkCallIsMade(p.Call, err)
	case p.State != protocol.CallStateDone:
		return nil, invalidParams("state: want begun or done")
	case p.Result == nil || p.Result.Call != p.Call:
		return nil, invalidParams("result: want one of the same call")
	}
	if err := t.checkResult(ctx, p.Result); err != nil {
		return nil, fmt.Errorf("result of call %s: %w", printable(p.Call, maxName), err)
	}
	p.Result.Text = foreign.IndentStamps(p.Result.Text)
	result := taint.WithoutTrust(*p.Result)
	t.foreignCalls.markResult(&result)
	var id int64
	err := t.commit(ctx, func() (err error) {
		id, err = t.o.Steps.CommitResult(ctx, t.ID, result)
		return err
	})
	return &protocol.StepCommitResult{Message: id}, t.checkCallIsMade(p.Call, err)
}

// checkCallIsMade returns the store's error for a commit of a call. It is an offence if the turn
// has not made the call.
func (t *turn) checkCallIsMade(call string, err error) error {
	if _, known := t.openCalls.find(call); known || supervisor.ErrorCodeOf(err) != supervisor.CodeNotFound {
		return err
	}
	return feature.WorkerOffence{Err: fmt.Errorf("call %s: the turn has not made it", printable(call, maxName))}
}
