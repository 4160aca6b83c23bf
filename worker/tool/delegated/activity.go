package delegated

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
)

var activitySpec = worker.Spec{
	Name:        "read_activity_log",
	Family:      "activity",
	Description: "What was done. time: today, 7d, 2026-11-20",
	Effect:      protocol.EffectNone,
	Arguments: []worker.Argument{
		{Name: "time", Type: worker.String},
		{Name: "kind", Values: []string{"changed", "run", "sent", "asked", "received"}},
	},
}

type activityArgs struct {
	Time string `json:"time"`
	Kind string `json:"kind"`
}

// activityTools reads what was done for the person.
func activityTools(turn host.Caller) []worker.Tool {
	var reads atomic.Int64
	return []worker.Tool{worker.Define(activitySpec, activityArgs{}, func(ctx context.Context, _ worker.Call, args activityArgs) (r worker.Result, err error) {
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
