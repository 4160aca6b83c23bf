package shell

import (
	"context"
	"strings"

	"mews/worker"
)

// withQuotaNote is a tool that says, below the first line of what it says, why nothing more should be written. The program runs
// all the same: it may be the one that deletes.
func withQuotaNote[A any](
	e *environment, run func(context.Context, worker.Call, A) (worker.Result, error),
) func(context.Context, worker.Call, A) (worker.Result, error) {
	return func(ctx context.Context, call worker.Call, args A) (worker.Result, error) {
		result, err := run(ctx, call, args)
		if e.options.QuotaNote == nil {
			return result, err
		}
		note := e.options.QuotaNote(ctx) // after a failure too: the program may have written
		if note == "" || err != nil {
			return result, err
		}
		first, rest, more := strings.Cut(result.Text, "\n")
		result.Text = first + "\n" + note
		if more {
			result.Text += "\n" + rest
		}
		return result, nil
	}
}
