package hostcall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/effect"
	"mews/supervisor/feature"
	"mews/supervisor/spool"
	"mews/supervisor/taint"
)

// Limits of a result. An honest worker cuts texts to Limits.Output, and our tools change only a
// file or two.
const (
	maxChanges = 256
	maxField   = 4 << 10   // maximum bytes in a field of a changed file
	spareText  = 4 << 10   // bytes that a text may have beyond Limits.Output
	maxText    = 128 << 10 // maximum bytes in a text if Limits.Output is 0
)

// checkResult returns an error for a result that no honest worker sends.
func (t *turn) checkResult(ctx context.Context, r *protocol.ToolResult) error {
	if err := t.checkFields(r); err != nil {
		return feature.WorkerOffence{Err: err}
	}
	for i, c := range r.Changes {
		// kept bytes are in the file history of the home, which only the worker reads
		if u := c.Undo; u != nil && u.Obstacle == "" && u.To == "" && u.Before.IsHash() && !u.Kept {
			if err := t.checkBlob(ctx, string(u.Before), u.Size); err != nil {
				return fmt.Errorf("change %d: %w", i, err)
			}
		}
	}
	if r.Rest != nil {
		if err := t.checkBlob(ctx, r.Rest.SHA256, r.Rest.Size); err != nil {
			return fmt.Errorf("rest: %w", err)
		}
	}
	for i, image := range r.Images {
		if err := t.checkPicture(ctx, image); err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
	}
	return nil
}

// checkFields makes the checks of checkResult that do not need the store.
func (t *turn) checkFields(r *protocol.ToolResult) error {
	most := cmp.Or(t.Limits.Output, maxText)
	switch call, known := t.openCalls.find(r.Call); {
	case known && call.Name != r.Name:
		return fmt.Errorf("it is of %s, not of %s", printable(call.Name, maxName), printable(r.Name, maxName))
	case len(r.Text) > most+spareText:
		return fmt.Errorf("text: %d bytes, at most %d", len(r.Text), most+spareText)
	case len(r.Changes) > maxChanges:
		return fmt.Errorf("%d changes, at most %d", len(r.Changes), maxChanges)
	case taint.CheckOrigins(r.Origins) != nil:
		return taint.CheckOrigins(r.Origins)
	case r.Rest != nil && !spool.IsHash(r.Rest.SHA256):
		return errors.New("rest: not the name of a blob")
	case len(r.Tools) > protocol.MaxToolsPerFindCall || len(r.Tools) > 0 && r.Name != toolFindTools:
		return fmt.Errorf("%d tools, at most %d, and of %s alone", len(r.Tools), protocol.MaxToolsPerFindCall,
			toolFindTools)
	case len(r.Images) > protocol.MaxResultImages:
		return fmt.Errorf("%d images, at most %d", len(r.Images), protocol.MaxResultImages)
	}
	for i, c := range r.Changes {
		if longest := max(len(c.Kind), len(c.Target), len(c.Detail)); longest > maxField {
			return fmt.Errorf("change %d: a field of %d bytes, at most %d", i, longest, maxField)
		}
		if err := c.CheckUnnamed(); err != nil {
			return fmt.Errorf("change %d: %w", i, err)
		}
		if c.Undo != nil {
			if err := c.Undo.Validate(); err != nil {
				return fmt.Errorf("change %d: %w", i, err)
			}
		}
		if _, known := effect.FindKind(c.Kind); !known ||
			supervisor.EffectReporterOf(c.Kind) != supervisor.ReportedByWorker {
			return fmt.Errorf("change %d: kind %s is not a worker's to say", i, printable(c.Kind, maxName))
		}
	}
	return nil
}

// openCalls holds the calls of the newest step. The store refuses results of other calls.
type openCalls struct {
	mu    sync.Mutex
	calls map[string]protocol.ToolCall // calls by their ID
}

// put sets the calls of the newest step.
func (r *openCalls) put(calls []protocol.ToolCall) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = make(map[string]protocol.ToolCall, len(calls))
	for _, c := range calls {
		r.calls[c.ID] = c
	}
}

func (r *openCalls) find(id string) (call protocol.ToolCall, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	call, known = r.calls[id]
	return call, known
}
