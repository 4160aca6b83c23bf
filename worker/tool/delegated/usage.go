package delegated

import (
	"context"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
)

var usageSpec = worker.ToolSpec{
	Name: "get_token_usage", Family: "numbers", Effect: protocol.EffectNone,
	Description: "The tokens and costs of the person's models",
	Arguments: []worker.Argument{
		{Name: "time", Type: worker.StringArgument,
			Description: "such as today, 7d, 2026-11; default today, this week and this month"},
	},
}

var statsSpec = worker.ToolSpec{
	Name: "token_stats", Family: "numbers", Effect: protocol.EffectNone,
	Description: "The same by day and model",
	Arguments: []worker.Argument{
		{Name: "model", Type: worker.StringArgument, Description: "default all"},
		{Name: "day", Type: worker.StringArgument, Description: "such as 2026-11-20, 7d; default 7d"},
	},
}

// usageTools makes the tools that tell the user's use of models.
func usageTools(turn host.Caller) []worker.Tool {
	reads := &calls[protocol.UsageReadParams, protocol.UsageReadResult]{turn: turn, method: protocol.MethodUsageRead,
		most: protocol.MaxUsageReads, done: "the usage was read"}
	return []worker.Tool{
		usageTool(usageSpec, protocol.TokenUsageArguments{}, reads), usageTool(statsSpec,
			protocol.TokenStatsArguments{}, reads),
	}
}

func usageTool[A any](spec worker.ToolSpec, none A,
	reads *calls[protocol.UsageReadParams, protocol.UsageReadResult]) worker.Tool {
	return worker.DefineTool(spec, none, func(ctx context.Context, call worker.Call, _ A) (worker.Result, error) {
		a, err := reads.answer(ctx, protocol.UsageReadParams{Call: call.ID})
		return worker.Result{Text: a.Text}, err
	})
}
