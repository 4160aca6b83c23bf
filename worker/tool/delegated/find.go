package delegated

import (
	"context"
	"strings"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
)

var findSpec = worker.ToolSpec{
	Name: "find_tools",
	Description: "More tools: web, to-dos, calendar, services, charts, terminals, uploads, versions, memory, what " +
		"was said, done or added. Lists families; opens by words, family or name, for your next step.",
	Effect: protocol.EffectIdempotent, // a repeated call changes nothing more: see protocol.MethodToolsFind
	Arguments: []worker.Argument{
		{Name: "words", Type: worker.StringArgument},
	},
}

// findTools makes the tool that opens further tools for the model.
func findTools(turn host.Caller) []worker.Tool {
	finds := &calls[protocol.ToolsFindParams, protocol.ToolsFindResult]{turn: turn, method: protocol.MethodToolsFind,
		most: protocol.MaxToolsFindCalls, done: "tools were looked for"}
	return []worker.Tool{
		worker.DefineTool(
			findSpec,
			protocol.FindToolsArguments{},
			func(ctx context.Context, call worker.Call, _ protocol.FindToolsArguments) (worker.Result, error) {
				found, err := finds.answer(ctx, protocol.ToolsFindParams{Call: call.ID})
				return worker.Result{
					Text:  found.Text,
					Brief: strings.Join(found.Opened, ", "),
					Tools: found.Opened,
				}, err
			},
		),
	}
}
