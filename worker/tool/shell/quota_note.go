package shell

import (
	"context"
	"fmt"
	"strings"

	"mews/worker"
)

// define makes a tool of the family. The second line of its result says why nothing more should be
// written, where that is so. Its program runs all the same: it may be one that deletes. A program
// is taken to have read what was received.
func define[A any](e *environment, s worker.Spec, run func(context.Context, worker.Call, A) (worker.Result, error)) worker.Tool {
	var none A
	return worker.Define(s, none, func(ctx context.Context, call worker.Call, args A) (worker.Result, error) {
		world := e.ws.HasReceived()
		result, err := run(ctx, call, args)
		result.World = world || e.ws.HasReceived()
		note := ""
		if e.options.QuotaNote != nil {
			note = e.options.QuotaNote(ctx) // after a failure too: the program may have written
		}
		if err != nil {
			return result, fmt.Errorf("%s: %w", s.Name, err)
		}
		if note == "" {
			return result, nil
		}
		first, rest, more := strings.Cut(result.Text, "\n")
		result.Text = first + "\n" + note
		if more {
			result.Text += "\n" + rest
		}
		return result, nil
	})
}
