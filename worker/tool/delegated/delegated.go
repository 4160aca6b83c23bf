// Package delegated has the tools whose calls the supervisor answers, because only the supervisor
// has the history, the jobs and the user. The worker forwards a call and its answer.
package delegated

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
)

// Tools makes the tools for one turn.
func Tools(turn host.Caller, start protocol.TurnStart) []worker.Tool {
	return slices.Concat(activityTools(turn), askTools(turn), findTools(turn), jobTools(turn, start), searchTools(turn),
		usageTools(turn))
}

// calls makes calls of one method, up to its limit for a turn. The supervisor ends a worker that
// exceeds the limit.
type calls[P, R any] struct {
	turn   host.Caller
	method string
	most   int64
	done   string // past tense of the calls' verb, before "20 times" in an error
	made   atomic.Int64
}

// answer makes a call and returns its result. The error is in words for the model.
func (c *calls[P, R]) answer(ctx context.Context, params P) (result R, err error) {
	if c.made.Add(1) > c.most {
		return result, fmt.Errorf("%s %d times in this turn, and no more can be", c.done, c.most)
	}
	result, err = host.CallMethod[R](ctx, c.turn, c.method, params)
	return result, host.ExplainRefusal(err)
}
