// Package activity has the tool with which a model reads what was done for its person.
package activity

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
)

var readSpec = worker.Spec{
	Name:        "read_activity_log",
	Family:      "activity",
	Description: "What was done. time: today, 7d, 2026-11-20",
	Effect:      protocol.EffectNone,
	Arguments: []worker.Argument{
		{Name: "time", Type: worker.String},
		{Name: "kind", Values: []string{"changed", "run", "sent", "asked", "received"}},
	},
}

type readArgs struct {
	Time string `json:"time"`
	Kind string `json:"kind"`
}

// Tools makes the family for one turn.
func Tools(turn host.Caller) []worker.Tool {
	var reads atomic.Int64
	return []worker.Tool{worker.Define(readSpec, readArgs{}, func(ctx context.Context, _ worker.Call, args readArgs) (r worker.Result, err error) {
		// the supervisor would end this worker for one more
		if reads.Add(1) > protocol.MaxActivityReads {
			return r, fmt.Errorf("the log was read %d times in this turn, and no more can be", protocol.MaxActivityReads)
		}
		a, err := host.Call[protocol.Activity](ctx, turn, protocol.MethodActivityRead, protocol.ActivityRead{Time: args.Time, Kind: args.Kind})
		if refused := new(protocol.Error); errors.As(err, &refused) {
			err = errors.New(refused.Message)
		}
		return worker.Result{Text: a.Text, World: a.World}, err
	})}
}
