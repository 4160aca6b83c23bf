package shell

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/worker"
)

// arrivalDay is how long a received file counts as one that any program may read.
const arrivalDay = 24 * time.Hour

// define makes a tool of the family. If the folder is full, the second line of the result says so.
// The program still runs, because it may delete files. If files have arrived on this day, the program
// may have read them, so the result is marked as world. The supervisor marks other results.
func define[A any](e *environment, s worker.ToolSpec, run func(context.Context, worker.Call, A) (worker.Result,
	error)) worker.Tool {
	var none A
	return worker.DefineTool(s, none, func(ctx context.Context, call worker.Call, args A) (worker.Result, error) {
		since := time.Now().Add(-arrivalDay)
		world := e.ws.HasArrivals(since)
		result, err := run(ctx, call, args)
		result.World = world || e.ws.HasArrivals(since)
		note := ""
		if e.options.QuotaNote != nil {
			note = e.options.QuotaNote(ctx) // asked even after a failure, because the program may have written files
		}
		if err != nil {
			return result, fmt.Errorf("%s: %w", s.Name, err)
		}
		result.Text = insertLine(result.Text, note)
		return result, nil
	})
}

// insertLine makes line the second line of a text; "" means no line.
func insertLine(text, line string) string {
	if line == "" {
		return text
	}
	first, rest, more := strings.Cut(text, "\n")
	text = first + "\n" + line
	if more {
		text += "\n" + rest
	}
	return text
}
