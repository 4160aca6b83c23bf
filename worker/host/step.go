package host

import (
	"context"

	"mews/protocol"
)

// CommitCallBegin commits that a tool with EffectOnce begins. The tool may run only if
// CommitCallBegin returns nil.
func (t *Turn) CommitCallBegin(ctx context.Context, call protocol.ToolCall) error {
	_, err := t.commit(ctx, protocol.StepCommitParams{Turn: t.turn, Call: call.ID, State: protocol.CallStateBegun})
	return err
}

// CommitCallResult commits a call's result and returns the id of its message.
func (t *Turn) CommitCallResult(ctx context.Context, result protocol.ToolResult) (int64, error) {
	return t.commit(ctx, protocol.StepCommitParams{
		Turn: t.turn, Call: result.Call, State: protocol.CallStateDone, Result: &result,
	})
}

func (t *Turn) commit(ctx context.Context, step protocol.StepCommitParams) (int64, error) {
	var answer protocol.StepCommitResult
	if err := t.host.call(ctx, protocol.MethodStepCommit, step, &answer); err != nil {
		return 0, err
	}
	return answer.Message, nil
}
