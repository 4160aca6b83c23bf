package shell

import (
	"context"
	"fmt"
	"strings"

	"mews/worker"
)

// define makes a tool of the family. If the folder is full, the second line of the result says so.
// The program still runs, because it may delete files. If there are uploads, the program may have
// read them, so the result is marked as world.
func define[A any](e *environment, s worker.ToolSpec, run func(context.Context, worker.Call, A) (worker.Result,
	error)) worker.Tool {
	var none A
	return worker.DefineTool(s, none, func(ctx context.Context, call worker.Call, args A) (worker.Result, error) {
		world := e.ws.HasUploads()
		result, err := run(ctx, call, args)
		result.World = world || e.ws.HasUploads()
		note := ""
		if e.options.QuotaNote != nil {
			note = e.options.QuotaNote(ctx) // asked even after a failure, because the program may have written files
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
