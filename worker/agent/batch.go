package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"mews/protocol"
)

// maxParallel bounds the tools of one turn that run at once.
const maxParallel = 8

// batches groups a step's calls. The calls of a batch run at once: neighbours that change nothing
// share a batch, and every other call has its own. So a call sees the changes of all calls before
// it, and of none after it.
func (t *turn) batches(calls []protocol.PendingCall) [][]protocol.PendingCall {
	var batches [][]protocol.PendingCall
	open := false // whether the newest batch takes more calls
	for _, call := range calls {
		free := t.changesNothing(call)
		if free && open {
			newest := &batches[len(batches)-1]
			*newest = append(*newest, call)
			continue
		}
		batches = append(batches, []protocol.PendingCall{call})
		open = free
	}
	return batches
}

// changesNothing reports whether a call runs a tool with EffectNone, or no tool at all.
func (t *turn) changesNothing(p protocol.PendingCall) bool {
	tool, known := t.table[p.Call.Name]
	return p.Begun || !known || tool.Effect == protocol.EffectNone
}

// runBatch runs calls at once, commits the result of each as it ends, and returns when all have
// ended. The first commit that fails ends the other calls.
func (t *turn) runBatch(ctx context.Context, calls []protocol.PendingCall) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	messages := make([]int64, len(calls))
	errs := make([]error, len(calls))
	tokens := make(chan struct{}, maxParallel)
	var wg sync.WaitGroup
	for i, call := range calls {
		tokens <- struct{}{}
		wg.Go(func() {
			defer func() { <-tokens }()
			if messages[i], errs[i] = t.runCall(ctx, call); errs[i] != nil && !errors.Is(errs[i], errWaits) {
				cancel(errs[i])
			}
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("call %s of %s: %w", calls[i].Call.ID, calls[i].Call.Name, err)
		}
		t.last = max(t.last, messages[i])
	}
	return nil
}
