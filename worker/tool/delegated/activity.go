package delegated

import (
	"context"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
)

var activitySpec = worker.ToolSpec{
	Name:        "read_activity_log",
	Family:      "activity",
	Description: "What was done. time: today, 7d, 2026-11-20",
	Effect:      protocol.EffectNone,
	Arguments: []worker.Argument{
		{Name: "time", Type: worker.StringArgument},
		{Name: "kind", Values: []string{"changed", "run", "sent", "asked", "received"}},
	},
}

type activityArgs struct {
	Time string `json:"time"`
	Kind string `json:"kind"`
}

// activityTools makes the tool that reads the activity log.
func activityTools(turn host.Caller) []worker.Tool {
	reads := &calls[protocol.ActivityReadParams, protocol.ActivityReadResult]{turn: turn,
		method: protocol.MethodActivityRead,
		most:   protocol.MaxActivityReads, done: "the log was read"}
	return []worker.Tool{
		worker.DefineTool(
			activitySpec,
			activityArgs{},
			func(ctx context.Context, _ worker.Call, args activityArgs) (worker.Result, error) {
				a, err := reads.answer(ctx, protocol.ActivityReadParams{Time: args.Time, Kind: args.Kind})
				return worker.Result{Text: a.Text, World: a.World}, err
			},
		),
	}
}
