package promptfile

import (
	"context"
	"slices"

	"mews/protocol"
	"mews/worker"
)

// textWaits tells the model that its change of a prompt file must be accepted first.
const textWaits = "\n[It does not count yet: the person accepts it with a button below your answer. Tell them so.]"

// WithPendingChangeNote adds a note to the tool's result if the tool changed a prompt file. The
// note says that the change waits for the user.
func WithPendingChangeNote(tool worker.Tool) worker.Tool {
	run := tool.Run
	tool.Run = func(ctx context.Context, call worker.Call) (worker.Result, error) {
		result, err := run(ctx, call)
		if slices.ContainsFunc(result.Changes, func(c protocol.Change) bool { return protocol.MaxPromptFileBytes(c.Target) > 0 }) {
			result.Text += textWaits
		}
		return result, err
	}
	return tool
}
