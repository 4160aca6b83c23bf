package host

import (
	"context"

	"mews/protocol"
)

// CommitBegun commits that a tool with EffectOnce begins. The tool may run only if it returns nil.
func (t *Turn) CommitBegun(ctx context.Context, call protocol.ToolCall) error {
	_, err := t.commit(ctx, protocol.StepCommit{Turn: t.turn, Call: call.ID, State: protocol.StateBegun})
	return err
}

// CommitResult commits a call's result and returns the id of its message.
func (t *Turn) CommitResult(ctx context.Context, result protocol.ToolResult) (int64, error) {
	return t.commit(ctx, protocol.StepCommit{
		Turn: t.turn, Call: result.Call, State: protocol.StateDone, Result: &result,
	})
}

func (t *Turn) commit(ctx context.Context, step protocol.StepCommit) (int64, error) {
	var answer protocol.StepCommitResult
	if err := t.host.call(ctx, protocol.MethodStepCommit, step, &answer); err != nil {
		return 0, err
	}
	return answer.Message, nil
}
