package memory

import (
	"context"
	"fmt"
	"time"

	"mews/protocol"
	"mews/protocol/facts"
	"mews/worker"
)

// RunOperation runs an operation of the kind protocol.OperationMemory.
func (h *Home) RunOperation(ctx context.Context, p protocol.MemoryParameters, now time.Time) (r protocol.MemoryResult,
	err error) {
	if p.Turns != nil {
		return h.forgetTurns(ctx, *p.Turns, p.Action == protocol.MemoryActionForget)
	}
	run, known := actions[p.Action]
	if !known {
		return r, fmt.Errorf("there is no action %.20q", p.Action)
	}
	found, c, err := run(h, ctx, p, now, &r)
	if err != nil && ctx.Err() == nil {
		return protocol.MemoryResult{Refused: worker.TrimPartialRune(err.Error()[:min(len(err.Error()), 2000)])}, nil
	}
	if err != nil {
		return r, err
	}
	fillResult(&r, found, c)
	file, err := h.ReadMemoryFile()
	r.Total = len(file.Facts())
	return r, err
}

// fillResult puts facts and a change into a result.
func fillResult(r *protocol.MemoryResult, list []facts.Fact, c Change) {
	r.Before, r.After = c.Before, c.After
	for _, f := range list {
		const longest = 2000 // bound for the bytes of a bullet written by hand
		r.Facts = append(r.Facts, protocol.MemoryFact{ID: f.ID, Text: worker.TrimPartialRune(f.Text[:min(len(f.Text),
			longest)]), Kind: f.Kind, Confidence: f.Confidence,
			Message: f.Message, Origin: f.DescribeProvenance(), Line: f.Line})
	}
}

var actions = map[protocol.MemoryAction]func(*Home, context.Context, protocol.MemoryParameters, time.Time,
	*protocol.MemoryResult) ([]facts.Fact, Change, error){
	protocol.MemoryActionList: func(h *Home, _ context.Context, p protocol.MemoryParameters, _ time.Time,
		_ *protocol.MemoryResult) ([]facts.Fact, Change, error) {
		file, err := h.ReadMemoryFile()
		all := file.Facts()
		from := min(max(p.Offset, 0), len(all))
		return all[from:min(len(all), from+min(max(p.Limit, 1), protocol.MaxFactsPerMemoryPage))], Change{}, err
	},
	protocol.MemoryActionShow: func(h *Home, ctx context.Context, p protocol.MemoryParameters, _ time.Time,
		_ *protocol.MemoryResult) ([]facts.Fact, Change, error) {
		list, err := h.findFact(ctx, p.ID)
		return list, Change{}, err
	},
	protocol.MemoryActionCorrect: func(h *Home, ctx context.Context, p protocol.MemoryParameters, now time.Time,
		_ *protocol.MemoryResult) ([]facts.Fact, Change, error) {
		today := now.In(h.Zone).Format(time.DateOnly)
		fact := facts.Fact{Text: p.Text, Confidence: 1, Date: today}
		kept, c, err := h.CorrectFact(ctx, ChangeOptions{Keep: h.Keep, HighestForgotten: p.HighestForgotten},
			p.ID, fact)
		return []facts.Fact{kept}, c, err
	},
	protocol.MemoryActionForget: func(h *Home, ctx context.Context, p protocol.MemoryParameters, _ time.Time,
		_ *protocol.MemoryResult) ([]facts.Fact, Change, error) {
		list, err := h.findFact(ctx, p.ID)
		if err != nil {
			return nil, Change{}, err
		}
		_, c, err := h.ForgetFacts(ctx, []string{p.ID}, func(Change, []facts.Fact) error { return nil })
		return list, c, err
	},
	protocol.MemoryActionImport: (*Home).importMemory,
}

// findFact returns the fact with an id, or no fact. If MEMORY.md does not have the fact any more,
// it returns the fact of an earlier version, without a line.
func (h *Home) findFact(ctx context.Context, id string) (list []facts.Fact, err error) {
	file, err := h.ReadMemoryFile()
	if err != nil {
		return nil, err
	}
	if f, ok := file.FindFact(id); ok {
		return []facts.Fact{f}, nil
	}
	return h.findEarlierFact(ctx, id)
}
